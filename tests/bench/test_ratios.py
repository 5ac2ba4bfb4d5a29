"""Ratios of runs that are made up."""
import pytest

from tests.bench import ratios
from tests.bench.selectors import OURS, SIMPLE


def run(iops, p99_us=1000):
    return {"iops": iops, "p99_us": p99_us}


def test_gmean():
    assert ratios.gmean(iter([0.5, 2, 8])) == pytest.approx(2)


def test_throughput_is_against_the_best():
    assert ratios.throughput(run(150), [run(100), run(300)]) == 0.5
    assert ratios.throughput(run(150), [run(0)]) is None


@pytest.mark.parametrize("runs, expected", [
    ({OURS: 150, "round-robin": 100, "historical-service-time": 200}, 0.75),
    ({OURS: 150, "io-affinity": 300, SIMPLE: 900}, 0.5),
    ({OURS: 150, SIMPLE: 900}, None),
    ({"round-robin": 100}, None)])
def test_all_others_that_were_measured_count(runs, expected):
    assert ratios.against_peers({name: run(iops) for name, iops in runs.items()}) == expected


def test_best_peer_has_the_throughput_and_then_the_lowest_p99():
    assert ratios.best_peer([run(1000, 9), run(981, 5), run(900, 1)]) == run(981, 5)
