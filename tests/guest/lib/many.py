"""Maps by the hundred."""

import contextlib
import glob
import os

import pytest

from tests.lib.command import read_text, settle, sh, tell_udev, wait_until
from tests.lib.disks import Device
from tests.lib.multipath import WITHOUT_UDEV, table

from .leftovers import maps

UDEVD = ["/usr/lib/systemd/systemd-udevd", "/lib/systemd/systemd-udevd"]
AT_ONCE = 100           # maps on one command line


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
    tell_udev("exit")
    wait_until(lambda: "systemd-udevd" not in commands(), "udev has ended")
    yield
    sh(next(file for file in UDEVD if os.path.exists(file)), "--daemon")


@contextlib.contextmanager
def many(lines):
    """Maps while they are needed; their names."""
    try:
        create_many(lines)
        yield list(lines)
    finally:
        made = maps()
        remove_many([name for name in lines if name in made])


@contextlib.contextmanager
def linear_devices(disk, count):
    """Devices that are all the same disk, as far as the kernel knows different ones."""
    line = "0 %d linear %s 0" % (disk.sectors(), disk.number)
    with many({"lwlinear%d" % index: line for index in range(count)}):
        by_name = {read_text(file): file.split("/")[3]
                   for file in glob.glob("/sys/block/dm-*/dm/name")}
        yield [Device(by_name["lwlinear%d" % index]) for index in range(count)]


def tables(paths, selector, count):
    """Table lines of so many maps over the same paths, by name."""
    return {"lwmany%d" % index: table(paths, selector, "bio") for index in range(count)}
