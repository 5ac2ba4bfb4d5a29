"""The bound against cases that were computed by hand."""
import math

import pytest

from . import oracle
from .random_scenarios import scenarios as random_scenarios
from .scenarios import SCENARIOS

MB = 1 << 20


def closed(depth, *paths, **more):
    return dict(paths=list(paths), jobs=[dict(cpu=0, depth=depth)], **more)


CASES = {
    # 100 us alone, 10 us in the server: 4 / 100 us
    "one path, idle": (closed(4, dict(delay_us=90, service_us=10)), 40000),
    # 20 I/Os could make 200 000, the server 100 000
    "one path, full": (closed(20, dict(delay_us=90, service_us=10)), 100000),
    # the mean of a lognormal delay: 90 * exp(0.4^2 / 2) = 97.496; 4 / 107.496 us
    "spread delays": (closed(4, dict(delay_us=90, sigma=0.4, service_us=10)), 4e6 / 107.49583),
    # 1 % takes 10 ms more: 100 us in the mean; 4 / 200 us
    "tail": (closed(4, dict(delay_us=90, service_us=10, tail=0.01, tail_us=10000)), 20000),
    # the server rests one tenth of the time
    "stalls": (closed(99, dict(service_us=10, stall_period_ms=100, stall_ms=10)), 90000),
    # 10 of 16 fill the near path: 100 000; 6 are left for 1 ms: 6000
    "fill by latency": (closed(16, dict(delay_us=990, service_us=10),
                               dict(delay_us=90, service_us=10)), 106000),
    # 8 do not fill it: 8 / 100 us
    "near path only": (closed(8, dict(delay_us=990, service_us=10),
                              dict(delay_us=90, service_us=10)), 80000),
    # 1 MiB at 1000 MB/s: 1048.576 us in the server; two in flight, half of the time each
    "bandwidth": (closed(2, dict(delay_us=1048.576, mbps=1000), sizes=[[MB, 1]]),
                  1e6 / 1048.576),
    # 4 tags of 100 us: 40 000; 12 are left for 1 ms: 12 000
    "tags": (closed(16, dict(delay_us=90, service_us=10, tags=4),
                    dict(delay_us=990, service_us=10)), 52000),
    "busy driver": (closed(16, dict(delay_us=90, service_us=10, driver_depth=2)), 20000),
    # the near path is dead: 16 / 1 ms
    "hang": (closed(16, dict(delay_us=90, service_us=10, hang=True),
                    dict(delay_us=990, service_us=10)), 16000),
    "no path": (closed(16, dict(delay_us=90, service_us=10, error=True)), 0),
    # half of the I/Os are 4000 bytes, half 400 000, 100 MB/s: 40 and 4000 us; mean 2020
    "mix, one path": (closed(99, dict(mbps=100), sizes=[[4000, 1], [400000, 1]]), 1e6 / 2020),
    # Any size takes 100 us on path 0; on path 1 a small one 100 us, a large one 10 ms. So the large
    # ones go to path 0, the small ones to path 1: 50 us of each for one I/O of the mix
    "sizes apart": (closed(9999, dict(service_us=100), dict(mbps=10),
                           sizes=[[1000, 1], [100000, 1]]), 20000),
    # 10 us and 1 ms on path 1: it has time for a part z of large ones, until both are as busy:
    # 100 (1/2 - z) = 10 * 1/2 + 1000 z at z = 45 / 1100; then 50 - 100 z
    "sizes split": (closed(9999, dict(service_us=100), dict(mbps=100),
                           sizes=[[1000, 1], [100000, 1]]), 1e6 / (50 - 4500 / 1100)),
    # a quarter is large: 100 (1/4 - z) = 10 * 3/4 + 1000 z at z = 17.5 / 1100; then 25 - 100 z
    "weights": (closed(9999, dict(service_us=100), dict(mbps=100),
                       sizes=[[1000, 3], [100000, 1]]), 1e6 / (25 - 1750 / 1100)),
    # each node has 4 in flight, 100 us at home and 200 us elsewhere
    "nodes": (dict(cpus=2, nodes=2, jobs=[dict(cpu=0, depth=4), dict(cpu=1, depth=4)],
                   paths=[dict(delay_us=90, service_us=10, remote_us=[0, 100]),
                          dict(delay_us=90, service_us=10, remote_us=[100, 0])]), 80000),
    # only node 1 has a job: the path near to it
    "one node": (dict(cpus=4, nodes=2, jobs=[dict(cpu=3, depth=4)],
                      paths=[dict(delay_us=90, service_us=10, remote_us=[0, 100]),
                             dict(delay_us=140, service_us=10, remote_us=[100, 0])]), 4e6 / 150),
    "arrivals": (dict(load=dict(type="poisson", iops=45000),
                      paths=[dict(delay_us=200, service_us=20)]), 45000),
    "too many arrivals": (dict(load=dict(type="poisson", iops=70000),
                               paths=[dict(delay_us=200, service_us=20)]), 50000),
    # half of the I/Os are writes of 30 us: 20 us in the mean
    "writes": (closed(99, dict(service_us=10, write_service_us=30), writes=0.5), 50000),
    # alone, a read takes 100 us and a write 300
    "slow writes": (closed(2, dict(delay_us=100, write_delay_us=300), writes=0.5), 10000),
    # 100 us for data, 500 without
    "flushes": (closed(3, dict(delay_us=100, flush_delay_us=500), sizes=[[0, 1], [4096, 1]]), 10000),
    # reads of 100 us on the first path, writes of 300 on the second: 200 in the mean
    "directions apart": (closed(2, dict(delay_us=100, write_delay_us=900), dict(delay_us=700, write_delay_us=300),
                                writes=0.5), 10000),
    # 10 us, and in one of ten 90 more
    "misses": (closed(99, dict(service_us=10, miss=0.1, miss_us=90)), 1e6 / 19),
    # it rests 10 ms of each 50 in the mean
    "rests by chance": (closed(99, dict(service_us=10, gc_every_ms=40, gc_min_ms=10, gc_max_ms=10)), 80000),
    # both paths could make 200 000, what is behind them 50 000
    "one backend": (closed(99, dict(service_us=10, backend=0), dict(service_us=10, backend=0),
                           backends=[dict(service_us=20)]), 50000),
    # 4 in flight, 10 us in each server and 80 us after them
    "backend, idle": (closed(4, dict(service_us=10, delay_us=80, backend=0), backends=[dict(service_us=10)]), 40000),
    # three maps of 2 / 100 us
    "maps": (closed(2, dict(delay_us=90, backend=0), maps=3, backends=[dict(service_us=10)]), 60000),
    "maps, full": (closed(50, dict(delay_us=90, backend=0), maps=3, backends=[dict(service_us=10)]), 100000),
    # 100 us for half of the time, then 400
    "square wave": (closed(4, dict(delay_us=100, wave="square", wave_period_ms=50, wave_delay=4)), 25000),
    "bursts": (dict(load=dict(type="burst", size=64, period_ms=20),
                    paths=[dict(delay_us=200, service_us=20)]), 3200),
}


@pytest.mark.parametrize("scenario, iops", CASES.values(), ids=CASES.keys())
def test_by_hand(scenario, iops):
    assert oracle.bound(scenario) == pytest.approx(iops, rel=1e-6)


def test_without_directions():
    """Reads 100 us and writes 900, or 700 and 300: 500 us in the mean on either path. So it is with one path."""
    two = closed(2, dict(delay_us=100, write_delay_us=900), dict(delay_us=700, write_delay_us=300), writes=0.5)
    assert oracle.bound(two, by_direction=False) == pytest.approx(4000)
    alone = CASES["writes"][0]
    assert oracle.bound(alone, by_direction=False) == pytest.approx(oracle.bound(alone))


def by_latency(scenario):
    """The program's solution for one size and one node: fill the paths by latency."""
    left = sum(job["depth"] for job in scenario["jobs"])
    size = scenario.get("sizes", oracle.DEFAULT_SIZES)[0][0]
    iops = 0
    for path in sorted(map(oracle.Path, scenario["paths"]), key=lambda p: p.latency_us(size, 0)):
        flow = min(left / path.latency_us(size, 0), path.open / path.server_us(size))
        left -= flow * path.latency_us(size, 0)
        iops += 1e6 * flow
    return iops


def test_filling_by_latency():
    everything = {**SCENARIOS, **random_scenarios(3, 100)}
    simple = [one for one in everything.values() if one["load"]["type"] == "closed" and
              len(one.get("sizes", [0])) == 1 and
              not any(path.get("tags") or path.get("remote_us") for path in one["paths"])]
    assert len(simple) > 50
    for one in simple:
        assert oracle.bound(one) == pytest.approx(by_latency(one), rel=1e-6)


def by_grid(paths, sizes, depth, steps=50):
    """Two paths, two sizes: try how much of each size goes to the first path."""
    total = sum(weight for _, weight in sizes)
    best = 0
    for first in range(steps + 1):
        for second in range(steps + 1):
            parts = [(first / steps, 1 - first / steps), (second / steps, 1 - second / steps)]
            held = sum(weight / total * part[i] * paths[i].latency_us(size, 0)
                       for (size, weight), part in zip(sizes, parts) for i in (0, 1))
            busy = [sum(weight / total * part[i] * paths[i].server_us(size)
                        for (size, weight), part in zip(sizes, parts)) for i in (0, 1)]
            best = max(best, 1e6 * min(depth / held, 1 / max(busy)))
    return best


@pytest.mark.parametrize("depth", [1, 4, 16, 64])
@pytest.mark.parametrize("slow", [dict(delay_us=400, service_us=5, mbps=2000),
                                  dict(delay_us=3000, service_us=50)])
def test_two_sizes_against_a_grid(slow, depth):
    sizes = [[4096, 70], [MB, 30]]
    configs = [dict(delay_us=100, service_us=5, mbps=200), slow]
    bound = oracle.bound(closed(depth, *configs, sizes=sizes))
    grid = by_grid([oracle.Path(config) for config in configs], sizes, depth)
    assert grid <= bound * (1 + 1e-9)
    assert bound <= 1.03 * grid


def test_no_bound_where_jobs_differ():
    assert oracle.bound(dict(closed(1, {}), jobs=[dict(cpu=0, depth=1, name="writer")])) is None


def test_free_lunch():
    assert oracle.bound(closed(1, {})) == math.inf
