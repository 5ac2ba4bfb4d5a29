"""More maps and paths than anybody has, and what they take; fewer of them in make check."""
# promise memory/limits: 1,000 maps and 256 paths in a map work, and the memory of each is bounded | check: 100 and
#   32 | full: `guests-*`: all

import contextlib
import glob
import os

import pytest

from tests.guest.lib.many import linear_devices, many, no_udev, tables  # noqa: F401
from tests.lib import fio
from tests.lib.command import unload_module, wait_until
from tests.lib.disks import path_disks
from tests.lib.memory import kernel_memory
from tests.lib.multipath import Multipath
from tests.lib.scenario import SELECTOR, SELECTOR_MODULE, Load
from tests.lib.sysfs import Directory, MapFiles, maps

pytestmark = [pytest.mark.virtual_time, pytest.mark.time_limit(300)]

# KiB, above what round-robin takes, and what was measured, with as much again or half of it. Most
# of it are the nodes of sysfs and debugfs: a path has some seventy files there.
PER_MAP = 50            # of two paths that other maps have, too
PER_PATH = 30
PER_PATH_AND_CPU = 6


def kib_taken(lines):
    """By a map each, while they are there."""
    before = kernel_memory()
    with many(lines):
        return (kernel_memory() - before) / len(lines)


def tell(capsys, text):
    """Show it also if the test passes."""
    with capsys.disabled():
        print(text, flush=True)


def how_many(some, most):
    return pytest.mark.parametrize("count", [some, pytest.param(most, marks=pytest.mark.long)])


@pytest.mark.facts
@how_many(100, 1000)
def test_many_maps(count):
    """Of two paths each, all on the same two devices."""
    with path_disks(2) as paths:
        with many(tables(paths, SELECTOR, count)):
            assert len(maps()) == count
            last = Directory(maps()[-1])
            last["tolerance"] = 50
            assert last["tolerance"] == "50"
            one = glob.glob("/sys/block/dm-*/dm/name")[count // 2].split("/")[3]
            assert fio.run("/dev/" + one, runtime=None, number_ios=100).ios == 100
        assert maps() == []
        unload_module(SELECTOR_MODULE)


@how_many(100, 1000)
def test_memory_of_maps(count, capsys):
    """As many of either: what earlier maps left partly filled, the first ones get for nothing."""
    with path_disks(2) as paths:
        theirs = kib_taken(tables(paths, "round-robin", count))
        ours = kib_taken(tables(paths, SELECTOR, count)) - theirs
        unload_module(SELECTOR_MODULE)
    tell(capsys, "%d maps of two paths: %.1f KiB each, above %.1f of round-robin"
         % (count, ours, theirs))
    assert ours < PER_MAP


@contextlib.contextmanager
def many_paths(count):
    """Slow enough that each has I/O."""
    with path_disks(1) as (disk,):
        disk.set(delay_us=10000)
        with linear_devices(disk, count) as paths:
            yield paths
        wait_until(lambda: not glob.glob("/sys/block/dm-*"), "all maps are gone")


@pytest.mark.facts
@how_many(32, 256)
def test_many_paths_in_a_map(count):
    """Each has its turn; status and files tell of each."""
    with many_paths(count) as paths:
        with Multipath(paths, SELECTOR, "bio") as mapped:
            with Load(mapped, iodepth=64) as load:
                load.warm_up(*paths, ios=1)
                for path in (paths[0], paths[-1]):
                    load.wait_until(lambda: mapped.learned(path).latency_us, "a window has closed")
                    assert int(MapFiles(mapped).path(path)["latency_us"]) > 0
            assert len(MapFiles(mapped).paths()) == count
            mapped.fail_path(paths[-1])
            mapped.reload()
        assert maps() == []


@how_many(32, 256)
def test_memory_of_paths(count, capsys):
    with many_paths(count) as paths:
        before = kernel_memory()
        with Multipath(paths, "round-robin", "bio", name="lwother"):
            theirs = kernel_memory() - before
        before = kernel_memory()
        with Multipath(paths, SELECTOR, "bio"):
            ours = (kernel_memory() - before - theirs) / count
    tell(capsys, "%d paths in a map: %.1f KiB each, above round-robin's" % (count, ours))
    assert ours < PER_PATH + PER_PATH_AND_CPU * os.cpu_count()
