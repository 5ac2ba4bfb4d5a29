"""A kernel that does not tell which map a selector serves: all works, under a name of our own."""
# promise output/true-values

import os
import re

import pytest

from tests.guest.lib import tracefs
from tests.lib import debugfs, fio, sysfs
from tests.lib.command import load_module, unload_module, wait_until
from tests.lib.disks import path_disks
from tests.lib.multipath import TwoGroups
from tests.lib.scenario import SELECTOR, SELECTOR_MODULE

pytestmark = [
    pytest.mark.virtual_time,
    pytest.mark.facts,
    pytest.mark.observe,
]


@pytest.fixture(autouse=True)
def hidden():
    """The map's number is what lw_hide takes from the module."""
    debugfs.mount()
    tracefs.mount()
    load_module(SELECTOR_MODULE)
    load_module("lw_hide")
    yield
    unload_module("lw_hide")


def check_directories(labels, disks):
    """A directory for each priority group, with the paths of that."""
    assert len(labels) == 2 and all(re.fullmatch(r"unknown-\d+", label) for label in labels)
    found = [sysfs.Directory(label) for label in labels]
    assert [files["name"] for files in found] == ["unknown", "unknown"]
    assert sorted(os.listdir(files.file("paths")) for files in found) == \
        [[disk.name] for disk in disks]
    assert sorted(os.listdir(debugfs.ROOT)) == labels


def check_tuning(labels):
    """It reaches one group, as nobody knows that the other belongs to it."""
    one, other = (sysfs.Directory(label) for label in labels)
    one["tolerance"] = 30
    assert (one["tolerance"], other["tolerance"]) == ("30", "12")


def test_map_that_is_not_known():
    with path_disks(2) as disks, TwoGroups(disks, SELECTOR) as mapped:
        first = sysfs.maps()
        check_directories(first, disks)
        check_tuning(first)
        with tracefs.Events("lw_choose") as events:
            fio.run(mapped.path, runtime=None, number_ios=100)
        assert events.of("lw_choose", map="0:0", dev=disks[0].number)
        wait_until(lambda: mapped.learned(disks[0]).latency_us, "a window has closed")

        mapped.reload()
        again = sysfs.maps()
        check_directories(again, disks)
        assert not set(first) & set(again)
        assert mapped.learned(disks[0]).latency_us > 0
    assert sysfs.maps() == []
