"""Where the traffic goes when the paths differ, and when they do not.

A mark is set against what another selector, or the fast path alone, does in
the same run: the emulated machine's speed changes from minute to minute.
"""
# promise steering/slow-path: A slow path loses its traffic, equal paths share evenly, a fast path is used to the
#   full | check: some in one queue mode only | full: `guests-*`

import statistics
import time

import pytest

from tests.guest.lib.parametrized import both_modes, one_mode
from tests.lib.disks import NullBlk, path_disks
from tests.lib.multipath import Multipath
from tests.lib.scenario import SELECTOR, Load

pytestmark = [pytest.mark.virtual_time, pytest.mark.upstream]

SETTLE = 0.4                    # seconds a selector has for a change


@one_mode
def test_slow_null_blk_path_is_left_alone(queue_mode):
    """1 ms and 10 ms: queue-length gives the slow path 10 % of the I/Os."""
    with NullBlk("lwfast", 1000) as fast, NullBlk("lwslow", 10000) as slow, \
            Multipath([fast, slow], "queue-length", queue_mode) as mapped, \
            Load(mapped, iodepth=3) as load:
        load.warm_up(fast, slow)
        by_queue = load.watch(1)
        mapped.reload(SELECTOR)
        time.sleep(SETTLE)
        by_latency = load.watch(1)
    assert by_latency.share(slow) < 0.04
    assert by_latency.share(slow) < by_queue.share(slow) / 2


@one_mode
def test_fast_path_is_used_to_the_full(queue_mode):
    """10 ms and 100 ms at depth 4: the slow path has nothing to add."""
    with path_disks(2) as (fast, slow):
        fast.set(delay_us=10000)
        slow.set(delay_us=100000)
        with Multipath([fast, slow], SELECTOR, queue_mode) as mapped, \
                Load(mapped, iodepth=4) as load:
            load.warm_up(fast)
            mapped.fail_path(slow)
            time.sleep(SETTLE)
            alone = load.watch(0.8)
            mapped.reinstate_path(slow)
            time.sleep(SETTLE)
            both = load.watch(1.5)
    assert both.share(slow) < 0.02
    assert both.rate >= 0.93 * alone.rate


def test_slow_path_takes_what_the_fast_one_cannot():
    """Each path serves 100 IOPS, one in 30 ms, the other in 70 ms."""
    with path_disks(2) as (fast, slow):
        fast.set(service_us=10000, delay_us=20000)
        slow.set(service_us=10000, delay_us=60000)
        with Multipath([fast, slow], SELECTOR) as mapped, \
                Load(mapped, iodepth=16) as load:
            load.warm_up(fast, slow, ios=20)
            both = load.watch(2)
    assert both.rate >= 1.5 * 100


@both_modes
def test_equal_paths_share_equally(queue_mode):
    """Each path serves 100 IOPS: together 200, if none is ever left idle."""
    rates = {"round-robin": [], SELECTOR: []}
    shares = []
    with path_disks(2) as paths:
        for path in paths:
            path.set(service_us=10000, delay_us=10000)
        with Multipath(paths, "round-robin", queue_mode) as mapped, \
                Load(mapped, iodepth=16) as load:
            load.warm_up(*paths)
            for _ in range(3):
                for selector, rate in rates.items():
                    mapped.reload(selector)
                    time.sleep(SETTLE)
                    span = load.watch(0.8)
                    rate.append(span.rate)
                shares.append(span.share(paths[0]))
    assert 0.45 <= statistics.median(shares) <= 0.55
    assert (statistics.median(rates[SELECTOR])
            >= 0.98 * statistics.median(rates["round-robin"]))


def test_equal_paths_share_beside_a_slow_one():
    """One I/O at a time goes round over the two, wherever the third stands."""
    with path_disks(3) as paths:
        for path, delay_us in zip(paths, (5000, 50000, 5000)):
            path.set(delay_us=delay_us)
        with Multipath(paths, SELECTOR) as mapped, Load(mapped, iodepth=1) as load:
            load.begin()
            span = load.watch(1)
    assert span.share(paths[1]) < 0.05
    assert 0.45 <= span.share(paths[0]) <= 0.55


# promise steering/log-returns: A log with I/Os of 4k comes back to the near path after it has rested beside large
#   reads, which teach that path nothing of short I/Os | by: `sim/test_edges.py` | check: yes
def test_log_comes_back_beside_large_reads():
    """Reads of 1M alone, until the effect of size is forgotten. The far path takes 20 ms."""
    with path_disks(2) as (near, far):
        near.set(delay_us=800, service_us=80, mbps=250)
        far.set(delay_us=20000, service_us=80, mbps=250)
        with Multipath([near, far], SELECTOR) as mapped, Load(mapped, iodepth=4, bs="1M") as reads:
            reads.begin()
            time.sleep(20)
            with Load(mapped, iodepth=1, rw="randwrite") as log:
                time.sleep(5)
                before = [path.get("writes") for path in (near, far)]
                log.watch(3)
                near_writes, far_writes = (path.get("writes") - had for path, had in zip((near, far), before))
    assert near_writes >= max(2 * far_writes, 100), (near_writes, far_writes)
