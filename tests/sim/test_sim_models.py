"""Each model of paths, back ends, loads and maps against cases that were computed by hand.

One I/O at a time unless told otherwise, and nothing left to chance unless it is what is tested.
"""
import math

import pytest

from . import engine
from .scenarios import MB, between, closed


@pytest.fixture(scope="session")
def program():
    return engine.build()


def run(program, paths, depth=1, cpus=1, selector="round-robin", **more):
    config = {**closed(paths, cpus, 1, depth), "selector": selector, "warmup_ms": 0, "runtime_ms": 1000, **more}
    return engine.run(program, config)


CASES = {
    # 100 us for nine of ten, 1100 us for the tenth: 200 us
    "misses": (dict(paths=[dict(service_us=100, miss=0.1, miss_us=1000)], runtime_ms=20000), 5000),
    # the mean is service_us, whatever the distribution
    "lognormal": (dict(paths=[dict(service_us=100, service_sigma=0.5)], runtime_ms=20000), 10000),
    "Pareto": (dict(paths=[dict(service_us=100, service_pareto=3)], runtime_ms=20000), 10000),
    "Pareto tail": (dict(paths=[dict(delay_us=50, tail=0.5, tail_us=100, tail_pareto=3)], runtime_ms=20000), 10000),
    # half of them take 300 us: 200 us
    "writes in the server": (dict(paths=[dict(service_us=100, write_service_us=300)], writes=0.5,
                                  runtime_ms=10000), 5000),
    "writes on the way": (dict(paths=[dict(delay_us=100, write_delay_us=300)], writes=0.5, runtime_ms=10000), 5000),
    "only writes": (dict(paths=[dict(mbps=1000, write_mbps=500)], writes=1, sizes=[[1000000, 1]]), 500),
    "flushes": (dict(paths=[dict(delay_us=100, flush_delay_us=500)], sizes=[[0, 1], [4096, 1]], runtime_ms=10000), 3333),
    "write cache": (dict(paths=[dict(delay_us=400, write_delay_us=0, service_us=100)], writes=1), 10000),
    # rests of 10 ms after 30 ms in the mean: a quarter of the time
    "rests by chance": (dict(paths=[dict(service_us=100, gc_every_ms=30, gc_min_ms=10, gc_max_ms=10)],
                             runtime_ms=60000), 7500),
    # from 10 to 40 ms, the mean of whose logarithm is uniform: 30 / ln 4 = 21.64; of 50 + 21.64
    "rests of several lengths": (dict(paths=[dict(service_us=100, gc_every_ms=50, gc_min_ms=10, gc_max_ms=40)],
                                      runtime_ms=60000), 10000 * 50 / (50 + 30 / math.log(4))),
    # nothing in the first half of a second, then one in 100 us
    "begins in a rest": (dict(paths=[dict(service_us=100, stall_period_ms=2000, stall_ms=500)]), 5000),
    "rests later": (dict(paths=[dict(service_us=100, stall_period_ms=2000, stall_ms=500, stall_at_ms=600)]), 6000),
    # 100 us for half of the time, 400 us for the other: 5000 and 1250
    "square wave, delay": (dict(paths=[dict(delay_us=100, wave="square", wave_period_ms=100, wave_delay=4)]), 6250),
    "square wave, server": (dict(paths=[dict(service_us=100, wave="square", wave_period_ms=100,
                                             wave_service=4)]), 6250),
    # its phase makes the second half the first one, which alone counts
    "phase": (dict(paths=[dict(delay_us=100, wave="square", wave_period_ms=2000, wave_phase=0.5, wave_delay=4)]), 2500),
    # 1 / (100 * 4^w), w = (1 - cos x) / 2: 10000 / 2 * I0(ln 2), by the integral of exp(a cos x)
    "sine": (dict(paths=[dict(delay_us=100, wave="sine", wave_period_ms=50, wave_delay=4)]),
             5000 * sum((math.log(2) / 2) ** (2 * k) / math.factorial(k) ** 2 for k in range(9))),
    # two paths of 100 us behind each other's server of 50: 150 us each, but 50 us apart
    "one backend": (dict(paths=[dict(delay_us=100, backend=0)] * 2, depth=10, backends=[dict(service_us=50)]), 20000),
    "its own server, then the backend": (dict(paths=[dict(service_us=40, delay_us=100, backend=0)],
                                              backends=[dict(service_us=60)]), 5000),
    "two backends": (dict(paths=[dict(backend=0), dict(backend=1)], depth=10,
                          backends=[dict(service_us=50), dict(service_us=50)]), 40000),
    # three maps with two I/Os each, all in one server of 100 us
    "maps behind one backend": (dict(paths=[dict(backend=0)], depth=2, maps=3, backends=[dict(service_us=100)]), 10000),
    "maps on their own": (dict(paths=[dict(service_us=100)], maps=3), 30000),
    # each 20 ms in the mean 8 I/Os
    "bursts by chance": (dict(paths=[dict(delay_us=100)], runtime_ms=60000,
                              load=dict(type="burst", size=8, period_ms=20, random=True)), 400),
    # 100 us for half a second
    "the machine stands still": (dict(paths=[dict(delay_us=100)], halts=[dict(at_ms=200, ms=500)]), 5000),
    # five begin; one server ends them at 100, 200, ... ms, the other 100 ms later, all before 700 ms. Then one at 900 ms
    "what is behind the paths goes on": (dict(paths=[dict(service_us=100000, backend=0)], depth=5, runtime_ms=950,
                                              backends=[dict(service_us=100000)], halts=[dict(at_ms=50, ms=650)]),
                                         6 / 0.95),
    # nine of ten fail at once, and are not counted: in 1 ms ten I/Os, of which one
    "some errors": (dict(paths=[dict(delay_us=910, error=True, error_part=0.9, error_us=10, error_is_final=True)],
                         runtime_ms=20000), 1000),
}


@pytest.mark.parametrize("case, iops", CASES.values(), ids=CASES.keys())
def test_by_hand(program, case, iops):
    assert run(program, **case)["iops"] == pytest.approx(iops, rel=0.03)


def test_a_walk_goes_from_end_to_end(program):
    """From 100 to 1000 us, and it is everywhere about as often: the mean logarithm is in the middle."""
    paths = [dict(delay_us=100, wave="walk", wave_period_ms=20, wave_phase=0.5, wave_delay=10)]
    result = run(program, paths, runtime_ms=20000, bucket_ms=10)
    done = result["timeline"]["done"]
    assert max(done) > 75 and min(done[:-1]) < 15        # of 100 and 10, but it takes turns in a bucket
    walks = [run(program, paths, seed=seed, bucket_ms=10)["timeline"]["done"] for seed in (1, 1, 2)]
    assert walks[0] == walks[1] != walks[2]


def test_array_wide_rests(program):
    """Both paths stand still together, since what is behind them does."""
    paths = [dict(delay_us=100, backend=0), dict(delay_us=100, backend=0)]
    rests = [dict(service_us=10, stall_period_ms=100, stall_ms=50)]
    timeline = run(program, paths, 4, backends=rests, bucket_ms=10)["timeline"]
    assert sum(timeline["done"][1:5]) == 0 and timeline["done"][6] > 300
    assert all(sum(starts[1:5]) == 0 for starts in timeline["starts"])


def test_jobs_of_their_own_beside_others(program):
    """4k at 100 us, one at a time; 1 MiB at 1000 MB/s, 1048.576 us, on a map of its own."""
    jobs = [dict(cpu=0, depth=1, name="small", map=0), dict(cpu=1, depth=1, name="large", map=1, sizes=[[MB, 1]])]
    result = run(program, [dict(delay_us=95.904, mbps=1000)], cpus=2, maps=2, jobs=jobs)
    small, large = result["jobs"]
    assert (small["name"], large["name"]) == ("small", "large")
    assert small["iops"] == pytest.approx(10000, rel=0.01)
    assert large["iops"] == pytest.approx(1e6 / (1048.576 + 95.904), rel=0.01)
    assert large["mbps"] == pytest.approx(large["iops"] * 1.048576, rel=0.01)
    assert result["maps"] == [small["iops"], large["iops"]]
    assert result["all_iops"] == pytest.approx(small["iops"] + large["iops"])
    assert result["iops"] == pytest.approx(math.sqrt(small["iops"] * large["iops"]))


def test_jobs_of_one_name_are_one(program):
    jobs = [dict(cpu=cpu, depth=1, name=name) for cpu, name in enumerate(("reader", "reader", "writer"))]
    result = run(program, [dict(delay_us=100)], cpus=3, jobs=jobs)
    assert {job["name"]: job["iops"] for job in result["jobs"]} == pytest.approx(
        dict(reader=20000, writer=10000), rel=0.01)


def test_bursts_beside_a_loop(program):
    jobs = [dict(cpu=0, depth=1, name="loop"),
            dict(cpu=0, name="bursts", load=dict(type="burst", size=4, period_ms=10))]
    result = run(program, [dict(delay_us=100)], jobs=jobs)
    assert [job["iops"] for job in result["jobs"]] == pytest.approx([10000, 400], rel=0.03)


def test_a_bio_waits_at_its_path(program):
    """One request each, and turns. A bio has chosen: the paths get as many, so both are as slow as the
    slow one, 100 a second. A request has not: when the fast path is free it goes there."""
    paths = [dict(delay_us=10000, tags=1), dict(delay_us=100, tags=1)]
    by_bio, by_request = (run(program, paths, 3, bio=bio, runtime_ms=3000)["iops"] for bio in (True, False))
    assert by_bio == pytest.approx(200, rel=0.05)
    assert by_request > 20 * by_bio


def test_the_module_sees_tags(program):
    """Two requests on the near path: who does not know waits for it as for a path that is not full."""
    paths = [dict(delay_us=200, service_us=20, tags=2), dict(delay_us=400, service_us=20)]
    seen, hidden = (run(program, [dict(each, tags_hidden=hide) for each in paths], 64, selector=engine.OURS)["iops"]
                    for hide in (False, True))
    assert seen > 3 * hidden


def test_bio_based_maps_have_stamps_of_dm(program):
    """A busy driver is not seen there: bios wait at the path, and that is in the latency."""
    paths = [dict(delay_us=100, driver_depth=1), dict(delay_us=1000)]
    shares = run(program, paths, 16, selector=engine.OURS, bio=True, runtime_ms=3000)["starts"]
    # 1 / 100 us and 15 / 1000 us: two to three
    assert 0.3 <= shares[0] / sum(shares) <= 0.6


@pytest.mark.parametrize("faulty", [dict(no_stamp=1), dict(stamps=False)])
def test_missing_stamps(program, faulty):
    """nvme-latency and the module have to measure by themselves; the result is that of no stamps at all."""
    paths = [dict(delay_us=200, service_us=20, **faulty), dict(delay_us=1000, service_us=20, **faulty)]
    result = run(program, paths, 8, selector=engine.OURS, cpus=2)
    bare = run(program, [{**path, "stamps": False, "no_stamp": 0} for path in paths], 8, selector=engine.OURS, cpus=2)
    assert {**result, "name": ""} == {**bare, "name": ""}


def test_errors_that_do_not_fail_a_path(program):
    """They come back as errors: of one in two I/Os, for the middle half of the time."""
    changes = between(0.25, 0.75, 0, dict(error=True, error_part=0.5, error_us=100, error_is_final=True),
                      dict(error=False))
    result = run(program, [dict(delay_us=100)], changes=changes)
    assert result["errors"] == pytest.approx(2500, rel=0.05)
    assert result["iops"] == pytest.approx(7500, rel=0.03)


@pytest.mark.parametrize("change, complaint", [
    (dict(paths=[dict(backend=0)]), "backend: one of the 0 there are"),
    (dict(paths=[dict(wave="saw", wave_period_ms=5)]), 'none, sine, square or walk, not "saw"'),
    (dict(paths=[dict(wave="sine")]), "a wave wants at least 1"),
    (dict(paths=[dict(service_pareto=1)]), "above 1"),
    (dict(paths=[dict(miss=2)]), "paths[0].miss: 2 is not from 0 to 1"),
    (dict(paths=[dict(gc_every_ms=5)]), "gc_min_ms above 0"),
    (dict(maps=0), "maps: 1 to 64"),
    (dict(jobs=[dict(cpu=0, map=1)]), "map is below maps"),
    (dict(load=dict(type="poisson", iops=1, random=True)), "random is for bursts"),
])
def test_refused(program, change, complaint):
    config = {**dict(paths=[dict(service_us=100)]), **change}
    with pytest.raises(engine.EngineFailed) as failure:
        run(program, **config)
    assert complaint in str(failure.value) and "\n" not in str(failure.value)
