"""Paths that stop completing: what was sent there is stuck, nothing else may be.

Each path serves 200 IOPS and takes 15 ms for an I/O; it hangs for three seconds.
"""
# promise service/hanging-path: A path that hangs gets no new I/O, except one after 0.2 s and one after each
#   doubling of that time, if eight I/Os are in flight on other paths | by: a disk, a lost network | full:
#   `guests-*`: a suspended device, too
# promise service/no-failed-io

import contextlib
import os
import time

import pytest

from tests.guest.lib.linear import linear
from tests.guest.lib.parametrized import in_full, needs_scsi_debug, one_mode, variant
from tests.guest.lib.shares_over_time import Trace
from tests.guest.lib.stamps import needs_stamps
from tests.lib import iscsi
from tests.lib.command import read_text, settle, write_text
from tests.lib.disks import path_disks, scsi_debug_disk
from tests.lib.multipath import Multipath
from tests.lib.network import losing
from tests.lib.scenario import SELECTOR, Load, rate_alone

pytestmark = [pytest.mark.virtual_time, pytest.mark.upstream]

SERVICE = 0.005                 # seconds
PATH = dict(service_us=5000, delay_us=10000)
BASE = 0.015                    # seconds that an I/O takes alone
RETURN = 1.0
HANG = 3.0
TRIES = 4                       # in that time: after 0.2, 0.4, 0.8 and 1.6 s without a completion
PORTALS = ["127.0.0.2", "127.0.0.3"]


def notice(depth):
    """Seconds until the path has lost its new I/O: what one usually takes is no silence to notice yet."""
    return 0.1 + max(BASE, depth / 2 * SERVICE)


def hang_of(stuck, hanging, mapped, depth, inflight, silence=0, back=0.3):
    """Compare what the other path does while `stuck` is `hanging()` with what it does alone.

    A load of depth 1 is stuck with its only I/O. A second one, that begins
    later, must not be. Something below the path may go on with its `silence` for some
    seconds after the hang. Its share must be `back` in time, and its half soon after.
    """
    good = next(path for path in mapped.paths if path is not stuck)
    alone = rate_alone(good, mapped.queue_mode, depth)
    with Load(mapped, iodepth=depth) as load, contextlib.ExitStack() as second:
        load.warm_up(stuck, good, ios=600 if depth > 1 else 200)
        # A dip of the other path may take its I/Os; from three on, which 15 ms each need, it has all its throughput.
        load.wait_until(lambda: inflight(stuck) <= max(1, 5 * depth // 8), "%s has no more than its part" % stuck)
        with hanging():
            time.sleep(notice(depth))
            noticed = inflight(stuck)
            if depth == 1:
                second.enter_context(Load(mapped, depth)).warm_up(good, ios=3)
            beside = load.watch(HANG, good).rate
            kept = inflight(stuck)
        if silence:
            load.wait_until(lambda: inflight(stuck) < kept, "%s answers" % stuck, silence)
        trace = Trace(load).run(RETURN + 4.8)
    # Later for four seconds: at 200 IOPS, half a second is a hundred I/Os, whose share is chance, and a dip takes one.
    after, later = [trace.span(since, until).share(stuck)
                    for since, until in ((RETURN - 0.2, RETURN + 0.3), (RETURN + 0.8, RETURN + 4.8))]
    print("alone %.0f IOPS, beside the hanging path %.0f; stuck after %.0f ms %d, after %g s %d; "
          "share after the return %.2f, %.2f"
          % (alone, beside, 1000 * notice(depth), noticed, HANG, kept, after, later))
    assert kept > 0
    assert kept - noticed <= (TRIES if depth > 1 else 1)
    assert beside >= 0.9 * alone
    assert after >= back                        # in use again
    assert later >= 0.4


@one_mode
@pytest.mark.parametrize("depth", [variant(1), 16, variant(64)])
def test_hung_path_takes_nothing_down(queue_mode, depth):
    with path_disks(2) as (stuck, good):
        for path in (stuck, good):
            path.set(**PATH)
        with Multipath([stuck, good], SELECTOR, queue_mode) as mapped:
            hang_of(stuck, stuck.hanging, mapped, depth, lambda path: path.get("inflight"))


@in_full
def test_suspended_device_takes_nothing_down():
    """A dm device as path: whatever is sent to it waits, and no count of its own shows it."""
    with path_disks(2) as disks, contextlib.ExitStack() as stack:
        for disk in disks:
            disk.set(**PATH)
        stuck, good = [stack.enter_context(linear(disk, "lw-" + disk.name)) for disk in disks]
        with Multipath([stuck, good], SELECTOR, "bio") as mapped:
            hang_of(stuck, stuck.hanging, mapped, 16, lambda path: mapped.learned(path).inflight)


def test_lost_network_takes_nothing_down():
    """iSCSI: the session stays, its packets are lost, TCP sends them again ever more slowly.

    Both sessions lead to one disk, which serves 200 IOPS: another path brings nothing more, so that
    the selector takes its time to find out that this one holds more than an I/O or two.
    """
    with path_disks(1) as (disk,):
        disk.set(**PATH)
        with iscsi.target_by_configfs(disk.path, PORTALS), iscsi.sessions(PORTALS) as paths, \
                Multipath(paths, SELECTOR) as mapped:
            stuck = paths[1]
            hang_of(stuck, lambda: losing([PORTALS[1]]), mapped, 16, lambda path: path.inflight(),
                    silence=4, back=0.1)


# promise service/reinstated: A reinstated path is used like its equals although older I/Os hang there, also once
#   SCSI starts them again | full: `guests-*`
@one_mode
def test_reinstated_path_is_used_beside_what_hangs(queue_mode):
    """What was lost before the failure is not back before it times out; the path, says user space, works."""
    with path_disks(2) as (lossy, good):
        for path in (lossy, good):
            path.set(**PATH)
        with Multipath([lossy, good], SELECTOR, queue_mode) as mapped, Load(mapped, iodepth=16) as load:
            load.warm_up(lossy, good)
            needs_stamps(mapped, "any end may be that of what hangs")
            lossy.set(delay_us=15000000)
            load.watch(0.5)
            mapped.fail_path(lossy)
            lossy.set(**PATH)
            load.watch(0.5)
            lost = lossy.get("inflight")
            mapped.reinstate_path(lossy)
            load.watch(1)
            share, still = load.watch(1).share(lossy), lossy.get("inflight")
    print("%d I/Os hang, share of their path %.2f" % (lost, share))
    assert 2 <= lost <= still
    assert share >= 0.4


@contextlib.contextmanager
def dropping_commands():
    """scsi_debug answers none within, and aborts each that times out."""
    driver = "/sys/bus/pseudo/drivers/scsi_debug/"
    write_text(driver + "opts", 4)
    write_text(driver + "every_nth", 1)
    try:
        yield
    finally:
        write_text(driver + "every_nth", 0)
        write_text(driver + "opts", 0)


# promise service/reinstated
@needs_scsi_debug
@one_mode
def test_what_scsi_starts_again_hangs_no_more(queue_mode):
    """A request gets a new time stamp then, by which its end is not that of what hung before the reinstatement."""
    with path_disks(1) as (good,), scsi_debug_disk(15000) as lossy:
        good.set(delay_us=15000)
        write_text(lossy.sysfs + "/device/timeout", 5)
        with Multipath([lossy, good], SELECTOR, queue_mode) as mapped, Load(mapped, iodepth=16) as load:
            load.warm_up(lossy, good)
            needs_stamps(mapped, "any end may be that of what hangs")
            settle()            # udev's read-ahead is not started again: it fails, and the path with it
            with dropping_commands():
                load.watch(0.5)
                mapped.fail_path(lossy)
            load.watch(0.5)
            lost = lossy.inflight()
            mapped.reinstate_path(lossy)
            load.watch(1)
            beside, still = load.watch(1).share(lossy), lossy.inflight()
            load.watch(7)
            after = load.watch(2).share(lossy)
        timeouts = lossy.sysfs + "/device/iotmo_cnt"    # not before 6.0
        if os.path.exists(timeouts):
            assert int(read_text(timeouts), 16) >= lost
    print("%d I/Os hang, share of their path %.2f; %.2f after SCSI started them again" % (lost, beside, after))
    assert 2 <= lost <= still
    assert 0.4 <= beside <= 0.6
    assert 0.4 <= after <= 0.62     # one I/O too many may be taken for hanging; with all of them, 0.75
