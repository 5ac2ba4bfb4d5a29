"""The edge cases of tests/guest, in the simulator: hanging paths, lost I/Os, and paths without time stamps."""
import statistics

import pytest

from . import engine, lists
from .compare import shares
from .scenarios import MB, MIX, RARE, closed

PATH = dict(delay_us=10000, service_us=5000)    # 200 IOPS, 15 ms alone
FIRST_MS, HANG_MS, NOTICED_MS = 2000, 3000, 115


@pytest.fixture(scope="session")
def program():
    return engine.build()


def run(program, config, **more):
    return engine.run(program, {**config, "selector": engine.OURS, **more})


@pytest.mark.parametrize("depth", [8, 64])
def test_hung_path_takes_nothing_down(program, depth):
    hang = [dict(at_ms=FIRST_MS, path=0, hang=True),
            dict(at_ms=FIRST_MS + HANG_MS, path=0, hang=False)]
    result = run(program, closed([PATH, PATH], 1, 1, depth, changes=hang), bucket_ms=5,
                 warmup_ms=0, runtime_ms=FIRST_MS + HANG_MS + 2000)
    alone = run(program, closed([PATH], 1, 1, depth), warmup_ms=1000, runtime_ms=3000)["iops"]
    noticed, end = (FIRST_MS + NOTICED_MS) // 5, (FIRST_MS + HANG_MS) // 5
    stuck, good = result["timeline"]["starts"]
    assert sum(stuck[noticed:end]) <= 4         # after 0.2, 0.4, 0.8 and 1.6 s
    assert sum(good[noticed:end]) >= 0.9 * alone * (HANG_MS - NOTICED_MS) / 1000
    back = [share for share in shares(result, 0)[end + 160:] if share is not None]
    assert sum(back) / len(back) >= 0.3


# promise service/dead-fabric: If half of the paths hang, retries there leave I/Os on the others, however long it takes |
#   check: yes
@pytest.mark.parametrize("depth", [16, 32])
def test_hung_fabric_takes_no_more_than_it_has(program, depth):
    """What hangs on one path is no I/O in flight elsewhere, by which the other one is tried again."""
    path = dict(delay_us=10000, service_us=100)
    hang = [dict(at_ms=FIRST_MS, path=at, hang=True) for at in (0, 1)]
    result = run(program, closed([path] * 4, 1, 1, depth, changes=hang), bucket_ms=1000, warmup_ms=0,
                 runtime_ms=FIRST_MS + 30000)
    starts = [sum(column) for column in zip(*result["timeline"]["starts"])]
    left = sum(starts[-11:-1]) / 10 / starts[1] * depth
    assert 5.5 <= left <= 8     # both are tried in the window in which eight are left


@pytest.mark.parametrize("depth", [4, 8, 16])
@pytest.mark.parametrize("path", [PATH, dict(delay_us=10000, service_us=500)], ids=["at-its-limit", "idle"])
def test_lost_network_is_one_event(program, path, depth):
    """A second after it is back: what was lost for three seconds ends in several windows, but is no habit."""
    lost = [dict(at_ms=FIRST_MS, path=0, tail=1, tail_us=1000 * HANG_MS), dict(at_ms=FIRST_MS + 15, path=0, tail=0)]
    result = run(program, closed([path, path], 1, 1, depth, changes=lost), bucket_ms=500,
                 warmup_ms=0, runtime_ms=FIRST_MS + HANG_MS + 5000)
    stuck, good = (sum(starts[-8:]) for starts in result["timeline"]["starts"])
    assert stuck >= 0.9 * good


# promise service/lossy-near: A near path that loses an I/O in 500 or 200 keeps its traffic if its mean is still less
#   | by: rows `K-loses`, `E-lossfar` of `make sim` | check: yes
@pytest.mark.parametrize("name", ["K-loses", "E-lossfar"])     # 0.79 and 0.88 where losses were latency
def test_near_path_with_losses_keeps_its_traffic(program, name):
    """By Little's law what was lost is a load, and the path seems to queue."""
    row = dict(lists.by_name(name), warmup_ms=5000, runtime_ms=10000)
    ours, peer = (statistics.fmean(engine.run(program, dict(row, selector=one, seed=seed))["iops"] for seed in range(4))
                  for one in (engine.OURS, "historical-service-time"))
    assert ours >= 0.95 * peer


# promise service/lost-ios: A path that lost I/Os is used again before they time out, if eight I/Os are in flight on
#   other paths; also after the loss of its first I/O | by: `long-lost-ios` of `make acceptance LONG=1` | check:
#   yes, but the last
def test_lost_io_is_probed_around(program):
    """At depth 2 the only I/O of a path is lost; then 64 more come, while it waits for its timeout."""
    lost = [dict(at_ms=2500, path=0, tail=1, tail_us=30_000_000), dict(at_ms=2515, path=0, tail=0)]
    deep = dict(type="closed", period_ms=4000, pause_ms=2000)       # rests from 1 s to 3 s
    config = closed([PATH, PATH], 1, 1, 2, changes=lost)
    config["jobs"].append(dict(cpu=0, depth=64, load=deep))
    result = run(program, config, bucket_ms=500, warmup_ms=0, runtime_ms=5000)
    missing, other = result["timeline"]["starts"]
    assert missing[5] <= 2 and other[5] > 20        # it stalls with one I/O or two
    assert sum(missing[7:10]) >= 0.9 * sum(other[7:10])


# promise service/lost-ios
def test_lost_first_io_is_probed_around(program):
    """The first I/O of a reinstated path is lost. A probe takes longer than a window here, so the second is no sample."""
    path = dict(delay_us=35000, service_us=500)
    changes = [dict(at_ms=1000, path=0, error=True), dict(at_ms=1100, path=0, error=False, tail=1, tail_us=30_000_000),
               dict(at_ms=1560, path=0, tail=0)]
    config = closed([path, path], 1, 1, 80, changes=changes)
    result = run(program, config, bucket_ms=500, warmup_ms=0, runtime_ms=10000, reinstate_ms=500)
    missing, other = result["timeline"]["starts"]
    assert missing[3] >= 1          # reinstated at 1.5 s
    assert missing[4] >= 0.9 * other[4]     # and in use half a second later
    assert sum(missing[6:20]) >= 0.9 * sum(other[6:20])     # dips may test it for a second


def test_paths_that_pause_cost_little(program):
    """Nor do their probes: one that meets a pause takes half a second, and there are four I/Os. They took 27 %."""
    pauses = dict(delay_us=900, service_us=80, stall_period_ms=1800, stall_ms=500)
    paths = [dict(delay_us=900, service_us=60), pauses, dict(pauses, stall_period_ms=1700), dict(pauses, stall_period_ms=1900)]
    alone, among = (run(program, closed(some, 1, 1, 4), warmup_ms=60000, runtime_ms=30000) for some in (paths[:1], paths))
    assert among["iops"] >= 0.85 * alone["iops"]


# promise steering/one-late-io
@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("kind, near_us", [("node", 1000), ("length", 2050)])
def test_one_late_io_is_forgotten(program, kind, near_us, late):
    """It is all that a node, or I/Os of 1 MiB, know of the near path after it, while all others use that path."""
    near, far = dict(delay_us=900, service_us=100, mbps=1000), dict(delay_us=4900, service_us=100, mbps=1000)
    before, after = {"node": (dict(remote_us=[0, 30000]), dict(remote_us=[0, 0])),
                     "length": (dict(tail=1, tail_us=30000), dict(tail=0))}[kind]
    changes = [dict(at_ms=9990, path=0, **before), dict(at_ms=10110, path=0, **after)] if late else []
    jobs = [dict(cpu=0, depth=4, name="all"),
            dict(cpu=1, depth=1, name="rare", sizes=[[MB if kind == "length" else 4096, 1]], load=RARE)]
    config = dict(paths=[near, far], cpus=2, nodes=2, jobs=jobs, changes=changes)
    _, rare = run(program, config, warmup_ms=90000, runtime_ms=10000)["jobs"]
    assert rare["mean_us"] < 1.2 * near_us


@pytest.mark.parametrize("then", ["nothing", "pause", "retry", "no stamps"])
@pytest.mark.parametrize("depth", [16, 64])
@pytest.mark.parametrize("path", [PATH, dict(delay_us=10000, service_us=500), dict(delay_us=200, service_us=50)],
                         ids=["at-its-limit", "idle", "fast"])
# promise service/reinstated
def test_what_hangs_is_no_load(program, path, depth, then):
    """Of the I/Os that one of two equal paths got, some are lost until it fails. What is left is shared from its return on;
    also after a pause, in which others wait, if SCSI aborts those after four seconds and starts them again, and without stamps."""
    losing = dict(tail=1, tail_us=4_000_000 if then == "retry" else 30_000_000, error=True, error_part=0.2)
    changes = [dict(at_ms=2000, path=0, **losing), dict(at_ms=2200, path=0, tail=0, error=False)]
    if then == "pause":
        changes += [dict(at_ms=4500, path=0, hang=True), dict(at_ms=4600, path=0, hang=False)]
    elif then == "retry":
        path = dict(path, retry_us=path["delay_us"] + path["service_us"])
    elif then == "no stamps":
        path = dict(path, stamps=False)
    config = closed([path, path], 1, 1, depth, changes=changes)
    results = [run(program, config, bucket_ms=500, warmup_ms=0, runtime_ms=12000, reinstate_ms=1000, seed=seed)
               for seed in range(1, 4)]
    # in some runs all that it had hangs before one fails; without stamps, nobody knows then which ends are of that
    failed = [(lossy, good) for lossy, good in (result["timeline"]["starts"] for result in results)
              if sum(lossy[5:]) > (60 if then == "no stamps" else 0)]
    assert failed
    for lossy, good in failed:
        assert (0.85 if then == "no stamps" else 0.95) <= sum(lossy[18:]) / sum(good[18:]) <= 1.06
        assert then in ("retry", "no stamps") or sum(lossy[7:]) >= 0.93 * sum(good[7:])


@pytest.mark.parametrize("slower", [1, 4])
def test_log_comes_back_beside_large_reads(program, slower):
    """While it rests the near path has I/Os of 1M alone, and forgets that 4k take less."""
    paths = [dict(delay_us=delay_us * slower, service_us=20 * slower, mbps=1000 / slower) for delay_us in (200, 5000)]
    config = closed(paths, 1, 5, 1, sizes=[[MB, 1]], part_ms=10000)
    config["jobs"][0].update(writes=1, sizes=[[4096, 1]], load=dict(type="closed", period_ms=40000, pause_ms=20000))
    before, _, rest, _, after, _ = (part["iops"] for part in run(program, config, warmup_ms=0, runtime_ms=60000)["parts"])
    assert after - rest >= 0.5 * (before - rest) > 0


@pytest.mark.parametrize("hangs", [True, False])
@pytest.mark.parametrize("chance", [0, 0.2])
def test_nothing_hides_a_wait(program, hangs, chance):
    """Stamps miss the wait before the driver, and Little's law counts what hangs: only both together tell of a queue."""
    paths = [dict(delay_us=delay_us, service_us=service_us, hidden=True, sigma=chance, jitter=chance)
             for delay_us, service_us in ((500, 100), (1000, 50))]
    changes = [dict(at_ms=2000, path=0, tail=1, tail_us=30_000_000), dict(at_ms=2001, path=0, tail=0, error=True),
               dict(at_ms=2200, path=0, error=False)] if hangs else []
    result = run(program, closed(paths, 2, 2, 32, changes=changes), bucket_ms=500, warmup_ms=0, runtime_ms=8000, reinstate_ms=1000)
    near, far = (sum(starts[8:]) for starts in result["timeline"]["starts"])
    assert near > 0 and near + far >= 0.9 * 30000 * 4


@pytest.mark.xfail(reason="equal paths under a deep mixed load part by length, with or without what hangs", strict=False)
def test_what_hangs_tells_nothing_of_its_size(program):
    """Of mixed sizes: what hangs is long, and the path then gets few that are as long."""
    path = dict(delay_us=500, service_us=100, mbps=1000)
    losing = dict(tail=1, tail_us=30_000_000, error=True, error_part=0.06)
    changes = [dict(at_ms=2000, path=0, **losing), dict(at_ms=2200, path=0, tail=0, error=False)]
    for seed in (1, 4, 5):
        result = run(program, closed([path, path], 1, 1, 64, sizes=MIX, changes=changes), bucket_ms=500, warmup_ms=0,
                     runtime_ms=15000, reinstate_ms=1000, seed=seed)
        lossy, good = result["timeline"]["starts"]
        assert all(mine >= 0.5 * others for mine, others in zip(lossy[9:], good[9:]))


@pytest.mark.parametrize("paths, depth", [
    ([dict(delay_us=5000), dict(delay_us=35000)], 32),
    ([dict(delay_us=1000, service_us=1000), dict(delay_us=10000, service_us=500)], 32),
], ids=["5-35-ms", "capped"])
def test_steers_as_well_without_stamps(program, paths, depth):
    stamped, unstamped = (
        run(program, closed([dict(path, stamps=stamps) for path in paths], 1, 1, depth),
            submit_us=9, complete_us=9)["iops"] for stamps in (True, False))
    assert unstamped >= 0.95 * stamped


def test_steers_mixed_sizes_as_well_without_stamps(program):
    """Over many seeds: which sizes a seed has matters more than the stamps."""
    paths = [dict(delay_us=1000, service_us=1, mbps=200), dict(delay_us=5000, service_us=1, mbps=50)]
    ratios = []
    for seed in range(1, 31):
        stamped, unstamped = (
            run(program, closed([dict(path, stamps=stamps) for path in paths], 1, 1, 16, sizes=MIX),
                seed=seed, warmup_ms=0, runtime_ms=6000)["iops"] for stamps in (True, False))
        ratios.append(unstamped / stamped)
    assert statistics.median(ratios) >= 0.99
    assert min(ratios) >= 0.89, ratios


@pytest.mark.parametrize("depth", [1, 2, 8])
def test_equal_paths_share_without_stamps(program, depth):
    starts = run(program, closed([dict(PATH, stamps=False)] * 2, 1, 1, depth), submit_us=9,
                 complete_us=9)["starts"]
    assert 0.45 <= starts[0] / sum(starts) <= 0.55


@pytest.mark.parametrize("depth", [8, 16, 32])
def test_equal_noisy_paths_share(program, depth):
    """Distance alone, of which a path's first I/O tells little; what it said must not stay for ever."""
    path = dict(delay_us=5000, sigma=0.2, service_us=1)
    for seed in range(1, 25):
        result = run(program, closed([path, path], 1, 1, depth), seed=seed, bucket_ms=500, warmup_ms=0, runtime_ms=8000)
        first, second = (sum(starts[10:16]) for starts in result["timeline"]["starts"])
        assert 0.45 <= first / (first + second) <= 0.55, seed
