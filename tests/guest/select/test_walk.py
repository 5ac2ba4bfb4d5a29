"""CONTRIBUTING.md walks through the code with one I/O: the kernel goes the same way."""
# promise output/walk: An I/O takes the way through the code that `CONTRIBUTING.md` describes | by: the function
#   tracer | full: `guests-*`

import os
import re
import time

import pytest

from tests.guest.lib.tracefs import Functions
from tests.lib.command import settle, sh, wait_until
from tests.lib.disks import path_disks
from tests.lib.multipath import Multipath
from tests.lib.scenario import SELECTOR, SELECTOR_MODULE

ROOT = os.path.join(os.path.dirname(__file__), "..", "..", "..")
STEP = re.compile(r"^\d+\. `(?P<file>src/\S+):(?P<function>\w+)\(\)`", re.MULTILINE)

pytestmark = [pytest.mark.virtual_time, pytest.mark.facts]


def walk():
    """(file, function) of each step in the document."""
    with open(os.path.join(ROOT, "CONTRIBUTING.md")) as file:
        return STEP.findall(file.read())


def test_steps_are_where_it_says():
    steps = walk()
    assert 10 <= len(steps) <= 20
    for name, function in steps:
        with open(os.path.join(ROOT, name)) as file:
            assert re.search(r"^(?!\s).*\b%s\(" % function, file.read(), re.MULTILINE), (name, function)


def test_an_io_takes_the_walk():
    """One read, the window that counts it, a look at the status; each step is reached after the one before."""
    wanted = [function for _, function in walk()]
    with path_disks(2) as disks, Multipath(disks, SELECTOR, "rq") as mapped:
        settle()                # udev reads new maps
        wait_until(lambda: not any(mapped.learned(disk).inflight for disk in disks), "nothing is in flight")
        time.sleep(0.1)         # and the last window is closed, so the read begins one
        with Functions(SELECTOR_MODULE) as functions:
            sh("dd", "if=" + mapped.path, "of=/dev/null", "bs=4k", "count=1", "iflag=direct")
            wait_until(lambda: wanted[-2] in functions.called(), "a window has published")
            mapped.status(disks[0])
            called = iter(functions.called())
    missed = [function for function in wanted if function not in called]     # each after the one before
    assert not missed
