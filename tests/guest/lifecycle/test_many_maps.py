"""Two hundred maps on sixteen CPUs: what windows and memory cost in a real kernel.

"make scale" has the figures of 1,000 maps on 256 CPUs, from the same sources in user space; this
shows that the module in a kernel does the same. The emulated CPUs take turns on one of the host's,
100 ms each, so the median of many windows is not disturbed by the turns.
"""
# promise memory/idle-maps, memory/bytes-of-a-path

import collections
import os
import re
import statistics
import time

import pytest

from tests.guest.lib.many import linear_devices, many, no_udev, tables  # noqa: F401
from tests.guest.lib.tracefs import Events, mount
from tests.lib.command import limit, settle, sh, unload_module, wait_until
from tests.lib.disks import path_disks
from tests.lib.fio import Fio
from tests.lib.fio_series import Counters, look_words, usage
from tests.lib.memory import PERCPU, objects
from tests.lib.multipath import kernel_name, table
from tests.lib.scenario import SELECTOR, SELECTOR_MODULE

LIMIT = 900                     # seconds
pytestmark = [pytest.mark.many_cpus, pytest.mark.long, pytest.mark.time_limit(LIMIT)]

CPUS = 16
MAPS = 200
PATHS = 8
BUSY = 2                        # of the maps, in a hundred
DEVICES = 800                   # that are paths of one map each
BYTES = 260                     # of a possible CPU and path
DELAY_US = 20000
WATCHED = 5                     # seconds
WINDOW = re.compile(r"\s(?P<time>\d+\.\d+): workqueue_execute_(?P<what>start|end): work struct "
                    r"(?P<work>\w+): function lw_window_work")


@pytest.fixture(autouse=True)
def many_cpus():
    assert os.cpu_count() == CPUS
    mount()


def percpu_bytes():
    """Of each CPU."""
    settle()
    return objects()[PERCPU][0] * 1024 / CPUS


def load(names):
    """An fio process on each CPU, which goes from map to map until it is stopped.

    Threads would share one limit of open files.
    """
    devices = ":".join("/dev/" + kernel_name(name) for name in names)
    return Fio(devices, limit(LIMIT), iodepth=8, numjobs=CPUS, thread=None, cpus_allowed="0-%d" % (CPUS - 1),
               cpus_allowed_policy="split", disk_util=0, file_service_type="roundrobin:1")


def windows(seconds):
    """How long each window took that was worked on meanwhile: seconds, by selector."""
    with Events("workqueue/workqueue_execute_start", "workqueue/workqueue_execute_end") as events:
        time.sleep(seconds)
    begun, taken = {}, collections.defaultdict(list)
    for match in filter(None, map(WINDOW.search, events.lines)):
        work, now = match.group("work"), float(match.group("time"))
        if match.group("what") == "start":
            begun[work] = now
        elif work in begun:
            taken[work].append(now - begun.pop(work))
    return taken


def some_windows():
    """Watched until there is one: on a busy host a round of the CPUs' turns may take seconds."""
    return wait_until(lambda: windows(WATCHED), "a window was worked on", timeout=300)


class Busy:
    """What the paths served and what CPUs were busy with, from now on."""

    def __init__(self, disks):
        self.disks = disks
        self.before = self.look()

    def look(self):
        return Counters(sh(*look_words(self.disks)))

    def seconds_of_an_io(self):
        after = self.look()
        found = usage(self.before, after)
        return found["cpu"] * CPUS * (after.seconds - self.before.seconds) / sum(found["path_ios"])


@pytest.fixture
def disks():
    with path_disks(PATHS) as paths:
        for path in paths:
            path.set(delay_us=DELAY_US)
        yield paths
    unload_module(SELECTOR_MODULE)


def test_windows_follow_the_load(disks, capsys):
    """Maps at rest have no windows, and a window of a busy one takes less than an I/O does."""
    maps = tables(disks, SELECTOR, MAPS)
    with many(maps):
        names = list(maps)
        few = names[:MAPS * BUSY // 100]
        with load(few) as job:
            wait_until(lambda: windows(1), "a window was worked on", timeout=60)
            taken = some_windows()
            job.stop()
        assert len(taken) <= len(few)
        wait_until(lambda: not windows(0.5), "windows rest", timeout=60)
        with load(names) as job:
            wait_until(lambda: len(windows(WATCHED)) > MAPS * 3 / 4, "most maps have windows", timeout=300)
            before = Busy(disks)
            taken = some_windows()
            of_an_io = before.seconds_of_an_io()
            job.stop()
        of_a_window = statistics.median(seconds for some in taken.values() for seconds in some)
    with capsys.disabled():
        print("%d maps on %d CPUs: a window %.0f us, an I/O %.0f us of all CPUs"
              % (MAPS, CPUS, 1e6 * of_a_window, 1e6 * of_an_io), flush=True)
    if "PREEMPT_RT" in os.uname().version.split():
        pytest.skip("the time between a window's tracepoints is also that of what preempts it")
    assert of_a_window < of_an_io


def test_memory_of_a_cpu(disks, capsys):
    """Of a path: at most 260 bytes a CPU above round-robin's, of which I/Os of one size need no more."""
    def in_use(paths, selector):
        with many({"lwmany%d" % first: table(paths[first:first + PATHS], selector, "bio")
                   for first in range(0, len(paths), PATHS)}) as names:
            with load(names) as job:
                wait_until(lambda: all(path.used() for path in paths), "all paths were used", timeout=300)
                job.stop()
            return percpu_bytes()

    with linear_devices(disks[0], DEVICES) as paths:
        # In all, not by how much it grew: the kernel keeps some of what the first map gives back.
        theirs = in_use(paths, "round-robin")
        ours = (in_use(paths, SELECTOR) - theirs) / len(paths)
    with capsys.disabled():
        print("%d paths on %d CPUs: %.0f bytes a path and CPU, above round-robin's" % (DEVICES, CPUS, ours),
              flush=True)
    assert BYTES / 2 < ours <= BYTES
