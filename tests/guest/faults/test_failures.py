"""Paths that fail, vanish and come back while the map is in use.

That no I/O error reaches the user is part of each test, see Load.
"""
# promise service/no-failed-io: No I/O fails while any path works and others are failed, pulled, flapping, full,
#   busy or hanging | by: each test with a load: fio ends without an error | full: `guests-*`

import time

import pytest

from tests.guest.lib.parametrized import both_modes, one_mode
from tests.lib.command import wait_until
from tests.lib.disks import path_disks
from tests.lib.multipath import ACTIVE, FAILED, Multipath
from tests.lib.scenario import SELECTOR, Load

pytestmark = [pytest.mark.virtual_time, pytest.mark.upstream]

DELAY_US = 10000
DEPTH = 8


def wait_for_return(load, path, seconds=2.5):
    """The path gets a fair part of the traffic again."""
    load.wait_until(lambda: load.watch(0.2).share(path) >= 0.3,
                    "%s is in use again" % path, timeout=seconds)


def fail_by_message(load, mapped, path):
    mapped.fail_path(path)


def fail_by_error(load, mapped, path):
    path.set(error=1)
    load.wait_until(lambda: not mapped.usable(path), "an error fails the path")


def fail_by_removal(load, mapped, path):
    path.remove()
    load.wait_until(lambda: not mapped.usable(path), "the path is failed")


@one_mode
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


# promise memory/ended-twice: The count in flight returns to zero where dm ends an I/O twice | full: `guests-*`
@both_modes
def test_what_no_path_could_do_is_not_in_flight(queue_mode):
    """All paths fail under load, a new table finds them well: dm ends some of a bio-based map's I/Os
    twice then."""
    with path_disks(2) as paths:
        for path in paths:
            path.set(delay_us=DELAY_US)
        with Multipath(paths, SELECTOR, queue_mode, features=["queue_if_no_path"]) as mapped:
            def inflight():
                return sum(mapped.learned(path).inflight for path in paths)

            with Load(mapped, iodepth=DEPTH) as load:
                for _ in range(3):
                    load.warm_up(*paths)
                    for path in paths:
                        path.set(error=1)
                    load.wait_until(lambda: not any(map(mapped.usable, paths)), "both paths are failed")
                    for path in paths:
                        path.set(error=0)
                    mapped.reload(noflush=True)
                load.warm_up(*paths)
                wait_until(lambda: inflight() <= DEPTH, "no more than fio's, beside what udev reads")
            wait_until(lambda: inflight() == 0, "none is left")


@one_mode
def test_one_usable_path_carries_all(queue_mode):
    """There is nothing to choose, but counts and status go on."""
    with path_disks(2) as (failed, only):
        for path in (failed, only):
            path.set(delay_us=DELAY_US)
        with Multipath([failed, only], SELECTOR, queue_mode) as mapped, \
                Load(mapped, iodepth=DEPTH) as load:
            load.warm_up(failed, only)
            mapped.fail_path(failed)
            time.sleep(0.2)
            span = load.watch(1)
            known = {path: mapped.learned(path) for path in (failed, only)}
            mapped.reinstate_path(failed)
            wait_for_return(load, failed)
    assert span.counts[failed] == 0
    assert span.rate >= 0.95 * DEPTH / (DELAY_US / 1e6)
    assert (known[failed].state, known[failed].weight, known[failed].inflight) == (FAILED, 0, 0)
    assert (known[only].state, known[only].weight) == (ACTIVE, 128)
    assert known[only].inflight <= DEPTH
    assert known[only].latency_us == pytest.approx(DELAY_US, rel=0.1)


def test_a_map_of_one_path_works():
    with path_disks(1) as (path,):
        path.set(delay_us=DELAY_US)
        with Multipath([path], SELECTOR) as mapped, Load(mapped, iodepth=DEPTH) as load:
            load.warm_up(path)
            assert load.watch(1).rate >= 0.95 * DEPTH / (DELAY_US / 1e6)
            learned = mapped.learned(path)
            assert (learned.state, learned.weight) == (ACTIVE, 128)
            assert learned.latency_us == pytest.approx(DELAY_US, rel=0.1)
