"""What the simulator's summary is made of, from runs that are made up."""
import pytest

from tests.bench.selectors import OURS

from . import compare

RUNS = {"a": {"round-robin": {"iops": 100, "p99_us": 10}, OURS: {"iops": 200, "p99_us": 5}},
        "b": {"round-robin": {"iops": 100, "p99_us": 10}, OURS: {"iops": 50, "p99_us": 20}}}


def test_a_selector_over_all_scenarios():
    found = compare.by_selector([(RUNS["a"], 400), (RUNS["b"], 100)], ["round-robin"])
    assert found[OURS] == {"gmean": pytest.approx(0.5), "worst": 0.5, "p99_gmean": pytest.approx(1), "p99_worst": 2}
    assert found["round-robin"]["worst"] == 0.25


def test_spread_of_many_scenarios():
    found = compare.spread([(1 + number / 100, 2 - number / 100) for number in range(-10, 30)])
    ends = found["worst"], found["low"], found["p99_high"], found["p99_worst"]
    assert ends == pytest.approx((0.9, 0.92, 2.09, 2.1))
    assert found["good"] == 32 / 40


def test_only_events_have_reactions():
    timeline = {"bucket_ms": 10, "starts": [[5] * 100 + [0] * 100 + [5] * 100, [5] * 300]}
    results = {"event": {OURS: {"timeline": timeline}}, "calm": {OURS: {}}}
    scenarios = {"event": {"event_ms": [1000, 2000]}, "calm": {}}
    assert compare.reactions(scenarios, results) == {"event": {OURS: (0, 0)}}


def test_means_and_the_worst_of_the_seeds():
    one = {"gmean": 1.0, "worst": 0.9, "worst_p99": 1.5, "misses": 3}
    other = {"gmean": 1.1, "worst": 0.8, "worst_p99": 1.2, "misses": 4}
    found = compare.over_seeds([one, other])
    assert found == {"gmean": pytest.approx(1.05), "worst": 0.8, "worst_p99": 1.5, "misses": 3.5}
    assert compare.summary_line("noise", found) == "noise: gmean=1.050 worst=0.800 worst_p99=1.50 misses=3.5"
