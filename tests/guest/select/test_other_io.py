"""I/O that is neither read nor write takes the path that is best now: flushes, and SCSI commands through the map."""
# promise service/other-io: Flushes, and SCSI commands through the map (`sg_raw`, `sg_inq`, `sg_read`), take the
#   path that is best now; flushes are counted | full: `guests-*`: both queue modes

import contextlib
import os

import pytest

from tests.guest.lib.parametrized import needs_scsi_debug, one_mode
from tests.lib import debugfs
from tests.lib.command import read_text, settle, sh, udev_waits, wait_until
from tests.lib.debugfs import MapFiles
from tests.lib.disks import path_disks, scsi_debug_disk
from tests.lib.lio import loop_path
from tests.lib.multipath import PROBING, Multipath
from tests.lib.scenario import SELECTOR, Load

pytestmark = [pytest.mark.virtual_time, pytest.mark.facts]

FAR_US = 200000     # more than what a kernel that checks itself adds to the near path, or a busy host to a flush


@contextlib.contextmanager
def far_path_first(near, far, queue_mode):
    """A map at rest that has found out which path is slow."""
    with Multipath([far, near], SELECTOR, queue_mode) as mapped:
        with Load(mapped) as load:
            load.warm_up(near)
            load.wait_until(lambda: mapped.learned(far).state == PROBING, "the far path gets only probes")
        settle()
        wait_until(lambda: not any(mapped.learned(path).inflight for path in (near, far)), "nothing is in flight")
        yield mapped


@one_mode
def test_flushes_take_the_best_path(queue_mode):
    """None is a probe; they are counted, as a class of their own."""
    debugfs.mount()
    with path_disks(2) as (near, far):
        near.set(delay_us=1000)
        far.set(delay_us=FAR_US)
        with far_path_first(near, far, queue_mode) as mapped:
            files = MapFiles(mapped)
            files.reset()
            before = {disk: disk.get("others") for disk in (near, far)}
            disk = os.open(mapped.path, os.O_RDONLY)
            for _ in range(20):
                os.fsync(disk)
            os.close(disk)
            assert [path.get("others") - before[path] for path in (near, far)] == [20, 0]
            classes = files.classes()
            assert classes[near.name, "zero"]["ends"] == 20
            assert (far.name, "zero") not in classes


def commands(disk):
    """SCSI commands that the disk was sent so far."""
    return int(read_text("/sys/block/%s/device/iorequest_cnt" % disk.name), 16)


def sent(mapped, *argv):
    """How many commands each path had of eight runs of a program on the map; some open it for writing."""
    before = [commands(path) for path in mapped.paths]
    for _ in range(8):
        sh(*(word.format(mapped.path) for word in argv))
    return [commands(path) - count for path, count in zip(mapped.paths, before)]


# Not sg_turs: that of sg3-utils 1.48, in Debian 13, sends nothing and ends with status 0.
TEST_UNIT_READY = ["sg_raw", "--readonly", "{}", *["00"] * 6]
INQUIRY = ["sg_inq", "{}"]
# dio: its buffer begins with a page. LIO passes on what is not aligned, newer kernels refuse that for the backstore's
# disk, which takes none (dma_alignment), and LIO then says that the unit is not ready.
READ = ["sg_read", "blk_sgio=1", "dio=1", "bs=512", "count=8", "if={}"]
READ_UNALIGNED = [word for word in READ if word != "dio=1"]


def fast_scsi_disk(kind, disk):
    return loop_path(disk.path, 1) if kind == "tcm_loop" else scsi_debug_disk(1000)


@pytest.mark.parametrize("kind", ["tcm_loop", pytest.param("scsi_debug", marks=needs_scsi_debug)])
@one_mode
def test_scsi_commands_take_the_best_path(queue_mode, kind):
    """dm-mpath asks the selector for a path to send an ioctl to, and starts no I/O."""
    debugfs.mount()
    with path_disks(2) as (slow, fast), \
            loop_path(slow.path, 0, has_alua=kind == "tcm_loop") as far, fast_scsi_disk(kind, fast) as near:
        fast.set(delay_us=1000)
        slow.set(delay_us=FAR_US)
        with far_path_first(near, far, queue_mode) as mapped, udev_waits():
            files = MapFiles(mapped)
            files.reset()
            assert sent(mapped, *TEST_UNIT_READY) == [0, 8]
            inquiries = sent(mapped, *INQUIRY)
            assert inquiries[0] == 0 and inquiries[1] >= 8
            assert sent(mapped, *READ) == [0, 8]
            if kind == "scsi_debug":
                assert sent(mapped, *READ_UNALIGNED) == [0, 8]
            assert sum(row["starts"] for row in files.classes().values()) == 0


def nearly_all_go_to(load, wanted, other):
    """The writes of a second."""
    before = [disk.get("writes") for disk in (wanted, other)]
    load.watch(1)
    writes = [disk.get("writes") - count for disk, count in zip((wanted, other), before)]
    return writes[0] > 9 * writes[1]


@one_mode
def test_scsi_commands_are_placed_as_flushes_are(queue_mode):
    """Both have no data for dm-mpath, so both take the path that is near for flushes, here not that of the writes."""
    with path_disks(2) as (first, second), loop_path(first.path, 0) as data, loop_path(second.path, 1) as flushes:
        first.set(delay_us=FAR_US, write_delay_us=1000)
        second.set(delay_us=1000, write_delay_us=FAR_US)
        with Multipath([data, flushes], SELECTOR, queue_mode) as mapped:
            with Load(mapped, rw="randwrite", iodepth=1, numjobs=4, fsync=2) as load:
                load.warm_up(data, flushes)
                wait_until(lambda: second.get("others") > 20, "flushes go to the path that is near for them")
                wait_until(lambda: nearly_all_go_to(load, first, second), "writes go to the other one", timeout=30)
            with udev_waits():
                found = sent(mapped, *TEST_UNIT_READY)
                # one may be the probe of the other path, which is due now and then
                assert sum(found) == 8 and found[1] >= 7, found
