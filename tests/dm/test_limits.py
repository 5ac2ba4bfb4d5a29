"""More maps and paths than anybody has, and what they take."""

import contextlib
import glob
import os

import pytest

from tests.dm.lib import fio
from tests.dm.lib.command import read_text, settle, sh, unload_module, wait_until
from tests.dm.lib.disks import Device, path_disks
from tests.dm.lib.multipath import WITHOUT_UDEV, Multipath, table
from tests.dm.lib.scenario import SELECTOR, SELECTOR_MODULE
from tests.dm.lib.sysfs import MapFiles, maps

pytestmark = [pytest.mark.virtual_time, pytest.mark.time_limit(300)]

MAPS = 1000
PATHS = 256
UDEVD = ["/usr/lib/systemd/systemd-udevd", "/lib/systemd/systemd-udevd"]
AT_ONCE = 200           # maps on one command line
# KiB, above what round-robin takes. Most of it are the nodes of sysfs and debugfs: a path has
# some seventy files there.
PER_MAP = 120
PER_PATH = 80


def kernel_memory():
    """KiB."""
    with open("/proc/meminfo") as file:
        figures = {line.split(":")[0]: int(line.split()[1]) for line in file}
    return figures["Slab"] + figures["Percpu"] + figures["VmallocUsed"]


def create_many(lines):
    """Maps by name and table line."""
    names = list(lines)
    for first in range(0, len(names), AT_ONCE):
        some = names[first:first + AT_ONCE]
        sh("dmsetup", "create", *WITHOUT_UDEV, "--concise",
           ";".join("%s,,,,%s" % (name, lines[name]) for name in some), timeout=120)


def remove_many(names):
    for first in range(0, len(names), AT_ONCE):
        sh("dmsetup", "remove", *WITHOUT_UDEV, *names[first:first + AT_ONCE], timeout=120)


def commands():
    """What runs."""
    names = set()
    for file in glob.glob("/proc/[0-9]*/comm"):
        with contextlib.suppress(OSError):      # it has just ended
            names.add(read_text(file))
    return names


@pytest.fixture(autouse=True, scope="module")
def no_udev():
    """It would look at each map, for minutes."""
    settle()
    sh("udevadm", "control", "--exit")
    wait_until(lambda: "systemd-udevd" not in commands(), "udev has ended")
    yield
    sh(next(file for file in UDEVD if os.path.exists(file)), "--daemon")


@contextlib.contextmanager
def many(lines):
    """Maps while they are needed."""
    try:
        create_many(lines)
        yield
    finally:
        made = set(read_text(file) for file in glob.glob("/sys/block/dm-*/dm/name"))
        remove_many([name for name in lines if name in made])


def kib_taken(lines):
    """By a map each, while they are there."""
    before = kernel_memory()
    with many(lines):
        return (kernel_memory() - before) / len(lines)


def tables(paths, selector, count):
    return {"lwmany%d" % index: table(paths, selector, "bio") for index in range(count)}


def test_thousand_maps():
    """Of two paths each, all on the same two devices."""
    with path_disks(2) as paths:
        theirs = kib_taken(tables(paths, "round-robin", AT_ONCE))
        before = kernel_memory()
        with many(tables(paths, SELECTOR, MAPS)):
            ours = (kernel_memory() - before) / MAPS - theirs
            assert len(maps()) == MAPS
            last = "/sys/kernel/dm-latency-weighted/%s/" % maps()[-1]
            with open(last + "tolerance", "w") as file:
                file.write("50")
            assert read_text(last + "tolerance") == "50"
            one = glob.glob("/sys/block/dm-*/dm/name")[MAPS // 2].split("/")[3]
            assert fio.run("/dev/" + one, runtime=0.2).ios > 0
        assert maps() == []
        unload_module(SELECTOR_MODULE)
    print("KiB a map of two paths: %.1f, above %.1f of round-robin" % (ours, theirs))
    assert ours < PER_MAP


@contextlib.contextmanager
def linear_devices(disk, count):
    """Devices that are all the same disk, as far as the kernel knows different ones."""
    line = "0 %d linear %s 0" % (disk.sectors(), disk.number)
    with many({"lwlinear%d" % index: line for index in range(count)}):
        by_name = {read_text(file): file.split("/")[3]
                   for file in glob.glob("/sys/block/dm-*/dm/name")}
        yield [Device(by_name["lwlinear%d" % index]) for index in range(count)]


def test_many_paths_in_a_map():
    """Each has its turn; status and files tell of each."""
    with path_disks(1) as (disk,):
        disk.set(delay_us=1000)
        with linear_devices(disk, PATHS) as paths:
            before = kernel_memory()
            with Multipath(paths, "round-robin", "bio", name="lwother"):
                theirs = kernel_memory() - before
            before = kernel_memory()
            with Multipath(paths, SELECTOR, "bio") as mapped:
                ours = (kernel_memory() - before - theirs) / PATHS
                fio.run(mapped.path, runtime=2, iodepth=64)
                assert min(path.used() for path in paths) > 0
                assert len(MapFiles(mapped).paths()) == PATHS
                for path in (paths[0], paths[-1]):
                    assert mapped.learned(path).latency_us > 0
                    assert int(MapFiles(mapped).path(path)["latency_us"]) > 0
                mapped.fail_path(paths[-1])
                mapped.reload()
            assert maps() == []
        wait_until(lambda: not glob.glob("/sys/block/dm-*"), "all maps are gone")
    print("KiB a path: %.1f" % ours)
    assert ours < PER_PATH * os.cpu_count()
