"""Paths that hang, fail, vanish and come back while the map is in use.

That no I/O error reaches the user is part of each test, see Load.
"""

import time

import pytest

from tests.dm.lib.disks import path_disks
from tests.dm.lib.multipath import Multipath
from tests.dm.lib.scenario import HAS_LEARNED, SELECTOR, Load, both_modes

pytestmark = pytest.mark.virtual_time

DELAY_US = 10000
DEPTH = 8


def wait_for_return(load, path, seconds=2.5):
    """The path gets a fair part of the traffic again."""
    load.wait_until(lambda: load.watch(0.2).share(path) >= 0.3,
                    "%s is in use again" % path, timeout=seconds)


@both_modes
def test_hung_path_takes_nothing_down(queue_mode):
    """Each path serves 200 IOPS; 16 in flight, half of them get stuck."""
    with path_disks(2) as (stuck, good):
        for path in (stuck, good):
            path.set(service_us=5000, delay_us=10000)
        with Multipath([stuck, good], SELECTOR, queue_mode) as mapped, \
                Load(mapped, iodepth=16) as load:
            load.warm_up(stuck, good)
            mapped.fail_path(stuck)
            time.sleep(0.2)
            alone = load.watch(0.8, good)
            mapped.reinstate_path(stuck)
            wait_for_return(load, stuck)
            with stuck.hanging():
                time.sleep(0.4)                 # to notice the silence
                hang = load.watch(1.2)
                parked = stuck.get("inflight")
            wait_for_return(load, stuck)
    assert parked > 0
    assert hang.counts[stuck] <= 1              # a probe
    assert hang.rate >= 0.9 * alone.rate


def fail_by_message(load, mapped, path):
    mapped.fail_path(path)


def fail_by_error(load, mapped, path):
    path.set(error=1)
    load.wait_until(lambda: not mapped.usable(path), "an error fails the path")


def fail_by_removal(load, mapped, path):
    path.remove()
    load.wait_until(lambda: not mapped.usable(path), "the path is failed")


@both_modes
def test_failed_path_is_left_and_returned_to(queue_mode):
    with path_disks(2) as (flaky, good):
        for path in (flaky, good):
            path.set(delay_us=DELAY_US)
        with Multipath([flaky, good], SELECTOR, queue_mode) as mapped, \
                Load(mapped, iodepth=DEPTH) as load:
            load.warm_up(flaky, good)
            for fail in (fail_by_message, fail_by_error):
                fail(load, mapped, flaky)
                time.sleep(0.1)                 # what was on its way arrives
                assert load.watch(0.4).counts[flaky] == 0, fail.__name__
                flaky.set(error=0)
                mapped.reinstate_path(flaky)
                wait_for_return(load, flaky)
                assert mapped.usable(flaky)
            fail_by_removal(load, mapped, flaky)
            assert load.watch(0.4, good).counts[good] > 0


def rate_during(step, path, times):
    """The path's rate while step() is repeated, which takes CPU time as well."""
    since, before = time.monotonic(), path.used()
    for _ in range(times):
        step()
        time.sleep(0.1)
    return (path.used() - before) / (time.monotonic() - since)


@both_modes
def test_fast_errors_attract_nothing(queue_mode):
    """A path that fails at once, and that its checker believes to be good.

    It is reinstated over and over; what it gets each time must stay small,
    and its errors must not be taken for low latencies.
    """
    with path_disks(2) as (hole, good):
        for path in (hole, good):
            path.set(delay_us=DELAY_US)
        with Multipath([hole, good], SELECTOR, queue_mode,
                       features=["queue_if_no_path"]) as mapped, \
                Load(mapped, iodepth=DEPTH) as load:
            load.warm_up(hole, good)
            alone = rate_during(lambda: mapped.fail_path(hole), good, 8)
            hole.set(error=1)
            beside = rate_during(lambda: mapped.reinstate_path(hole), good, 8)
            errors = hole.get("errors")
            latency_us = HAS_LEARNED and mapped.learned(hole).latency_us
    if HAS_LEARNED:
        assert latency_us >= DELAY_US / 2
    assert 0 < errors <= 8 * DEPTH
    assert beside >= 0.75 * alone
