"""I/O that is neither read nor write takes the path that is best now: flushes, and SCSI commands through the map."""

import contextlib
import os

import pytest

from tests.guest.lib.parametrized import one_mode
from tests.lib import debugfs
from tests.lib.command import read_text, settle, sh, wait_until
from tests.lib.debugfs import MapFiles
from tests.lib.disks import path_disks
from tests.lib.lio import loop_path
from tests.lib.multipath import PROBING, Multipath
from tests.lib.scenario import SELECTOR, Load

pytestmark = [pytest.mark.virtual_time, pytest.mark.facts]


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
        far.set(delay_us=20000)
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


@one_mode
def test_scsi_commands_take_the_best_path(queue_mode):
    """dm-mpath asks the selector for a path to send an ioctl to, and starts no I/O."""
    debugfs.mount()
    with path_disks(2) as (near, far), loop_path(near.path, 0) as first, loop_path(far.path, 1) as second:
        near.set(delay_us=1000)
        far.set(delay_us=20000)
        with far_path_first(first, second, queue_mode) as mapped:
            files = MapFiles(mapped)
            files.reset()
            before = {disk: commands(disk) for disk in (first, second)}
            sh("sg_turs", "--num=8", mapped.path)
            for _ in range(8):
                sh("sg_inq", mapped.path)
            sent = [commands(disk) - before[disk] for disk in (first, second)]
            assert sent[0] >= 16 and sent[1] == 0, sent
            assert sum(row["starts"] for row in files.classes().values()) == 0
