"""What the simulator's summary is made of, from runs that are made up."""
import pytest

from tests.bench.selectors import OURS

from . import compare, jobs, report, simulate

RUNS = {"a": {"round-robin": {"iops": 100, "p99_us": 10}, OURS: {"iops": 200, "p99_us": 5}},
        "b": {"round-robin": {"iops": 100, "p99_us": 10}, OURS: {"iops": 50, "p99_us": 20}}}


def test_a_selector_over_all_scenarios():
    found = compare.by_selector([(RUNS["a"], 400), (RUNS["b"], 100)], ["round-robin", "io-affinity", OURS])
    assert "io-affinity" not in found
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


def test_where_jobs_differ_each_counts_the_same():
    result = {"iops": 1010, "p99_us": 50, "jobs": [{"name": "reader", "iops": 10, "p99_us": 400},
                                                   {"name": "log", "iops": 1000, "p99_us": 100}]}
    found = jobs.merged(result)
    assert found["iops"] == pytest.approx(100) and found["p99_us"] == pytest.approx(200)
    assert (found["all_iops"], found["all_p99_us"]) == (1010, 50)
    assert jobs.merged({"iops": 5}) == {"iops": 5}


def test_a_job_that_starves_counts_too():
    result = {"iops": 1000, "p99_us": 50, "jobs": [{"name": "a", "iops": 0, "p99_us": 0},
                                                   {"name": "b", "iops": 1000, "p99_us": 100}]}
    assert 0 < jobs.merged(result)["iops"] < 5
    assert jobs.merged(result)["p99_us"] == pytest.approx(100)


def test_fairness_is_the_least_of_the_jobs():
    def run(reader, log):
        return {"jobs": [{"name": "reader", "iops": reader}, {"name": "log", "iops": log}]}
    assert jobs.fairness({"x": run(100, 10), "y": run(50, 40)}) == {"x": 0.25, "y": 0.5}
    assert jobs.evenness({"maps": [100, 80, 90]}) == 0.8


@pytest.mark.parametrize("scenario, all_paths", [
    (dict(paths=[{}, {}], jobs=[dict(cpu=0)]), False),
    (dict(paths=[{}, {}], jobs=[dict(cpu=0), dict(cpu=3)]), True),
    (dict(paths=[{}, {}], jobs=[dict(cpu=0), dict(cpu=2)]), False),
    (dict(paths=[{}, {}, {}], cpus=2, load=dict(type="poisson", iops=5)), False),
    (dict(paths=[{}, {}], cpus=2, load=dict(type="poisson", iops=5)), True),
])
def test_io_affinity_is_compared_where_it_uses_all_paths(scenario, all_paths):
    names = ["round-robin", "io-affinity", OURS]
    assert simulate.uses_all_paths(scenario) == all_paths
    assert ("io-affinity" in simulate.sensible(scenario, names)) == all_paths
    assert simulate.sensible(scenario, ["io-affinity"]) == ["io-affinity"]


def test_rows_clearly_behind_the_best_peer_come_worst_first():
    def run(ours, best):
        return {"latency-weighted": {"iops": ours}, "queue-length": {"iops": best}, "round-robin": {"iops": 1}}
    names = dict.fromkeys(["S1a", "S2-1", "S2-16"])
    runs = report.Runs({1: {"sim": names}}, {1: {"S1a": run(90, 100), "S2-1": run(96, 100), "S2-16": run(80, 100)}})
    assert report.behind(runs, dict.fromkeys(names, 200)) == {
        "S2-16": {"ours": 0.4, "best": 0.5}, "S1a": {"ours": 0.45, "best": 0.5}}
