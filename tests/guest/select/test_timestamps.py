"""Requests without time stamps: Little's law has to measure, and to steer as well.

The stamps of a request-based map are those of its paths' queues. Debian's kernels stamp in any
case, for writeback throttling asks for it; the test disk's queue can do without. In
bio-based maps dm stamps, before 5.19 with a clock that is of no use (bullseye).
"""
# promise steering/no-stamps: Steering works as well without time stamps; displayed latencies are true | check: some
#   | full: `guests-*`

import contextlib
import statistics
import time

import pytest

from tests.guest.lib.background import in_background, keep_busy, when_idle
from tests.guest.lib.parametrized import in_full, one_mode, variant
from tests.lib.command import read_text
from tests.lib.disks import path_disks
from tests.lib.fio import Fio
from tests.lib.multipath import LITTLE, STAMPS, Multipath
from tests.lib.scenario import SELECTOR, Load
from tests.lib.sysfs import MapFiles

pytestmark = [
    pytest.mark.virtual_time,
]

NO_ACCOUNTING = ["accounting", "0"]
SIZES = {"4k": "32k", "64k": "64k", "1M": "1m"}     # and their classes
# Thinking time in µs of those who are to be few.
PAUSE_US = 60000


def unstamped(paths):
    return sum(path.get("unstamped") for path in paths)


def test_disk_without_stamps_has_none():
    for stamps in "NY":
        with path_disks(1, stamps=stamps) as (disk,):
            disk.set(delay_us=1000)
            with Multipath([disk], SELECTOR, selector_args=NO_ACCOUNTING) as mapped, \
                    Load(mapped, iodepth=2) as load:
                before, used = unstamped([disk]), disk.used()
                load.warm_up(disk)
                missing = unstamped([disk]) - before
                assert missing >= 60 if stamps == "N" else missing == 0
                assert disk.used() - used >= missing
                assert mapped.learned(disk).source == (LITTLE if stamps == "N" else STAMPS)


def measured_and_true_us(mapped, path, size):
    """Three jobs at once, each of a size; the one of this size has the most I/Os."""
    with contextlib.ExitStack() as stack:
        jobs = {each: stack.enter_context(Fio(mapped.path, runtime=2.5, iodepth=2, bs=each,
                                              ramp_time=0.5,
                                              thinktime=PAUSE_US * (each != size)))
                for each in SIZES}
        time.sleep(1)
        shown = []
        while jobs[size].runs():
            shown.append(MapFiles(mapped).path(path).number(SIZES[size] + "/latency_us"))
            time.sleep(0.05)
        true_us = {each: jobs[each].wait().mean_us for each in SIZES}[size]
    return statistics.mean(shown[:-4]), true_us


@pytest.mark.parametrize("queue_mode, stamps",
                         [("rq", "Y"), variant("bio", "N"), variant("rq", "N"), variant("bio", "Y")],
                         ids=["stamped-rq", "unstamped-bio", "unstamped-rq", "stamped-bio"])
def test_latencies_are_true(queue_mode, stamps):
    """Of each size, while all three are under way, on a path of 5 ms and 100 MB/s."""
    found = {}
    with path_disks(1, stamps=stamps) as (disk,):
        disk.set(delay_us=5000, mbps=100)
        for size in SIZES:
            with Multipath([disk], SELECTOR, queue_mode, selector_args=NO_ACCOUNTING) as mapped:
                found[size] = measured_and_true_us(mapped, disk, size)
    for size, (shown, true_us) in found.items():
        print("%s: %.0f us shown, %.0f us true: %.3f" % (size, shown, true_us, shown / true_us))
    assert all(abs(shown / true_us - 1) <= 0.1 for shown, true_us in found.values())


# (fast path, slow path, depth): one path is enough; both at their capacity. Mixed sizes, of which
# two seconds vary by more than the mark, are compared in tests/sim/test_edges.py.
SCENARIOS = {
    "5-35-ms": (dict(delay_us=5000), dict(delay_us=35000), 8),
    "capped": (dict(service_us=1000, delay_us=1000), dict(service_us=500, delay_us=10000), 32),
}


def steer(scenario, queue_mode, stamps, accounting):
    """Rate and share of the slow path, of a map that knows nothing at first."""
    fast, slow, depth = SCENARIOS[scenario]
    with path_disks(2, stamps=stamps) as paths:
        for path, config in zip(paths, (fast, slow)):
            path.set(**config)
        with Multipath(paths, SELECTOR, queue_mode,
                       selector_args=["accounting", accounting]) as mapped, \
                Load(mapped, depth) as load:
            load.warm_up(paths[0], ios=300)
            time.sleep(0.5)
            span = load.watch(2)
        return span.rate, span.share(paths[1])


@one_mode
@pytest.mark.parametrize("scenario", [name if name != "capped" else variant(name)
                                      for name in SCENARIOS])
def test_steers_as_well_without(queue_mode, scenario):
    found = {"with stamps": steer(scenario, queue_mode, "Y", "1"),
             "without": steer(scenario, queue_mode, "N", "0")}
    for what, span in found.items():
        print(what, "%.0f IOPS, %.3f on the slow path" % span)
    (rate, share), without = found["with stamps"], found["without"]
    assert without[0] >= 0.95 * rate
    assert abs(without[1] - share) <= 0.05


def read_on(name):
    while True:
        read_text(name)


# promise service/late-window
@in_full
def test_window_that_waits_for_a_reader_finds_the_same_base():
    """tests/kernel_shim/window_test.c has it without chance. The base was halved within ten seconds, twice of twice."""
    with path_disks(1, stamps="N") as (disk,):
        disk.set(delay_us=5000)
        with Multipath([disk], SELECTOR, selector_args=NO_ACCOUNTING) as mapped, \
                Load(mapped, iodepth=8) as load:
            load.warm_up(disk)
            time.sleep(1)
            files = MapFiles(mapped).path(disk)
            before = files.number("base_latency_us")
            with in_background(*[(when_idle, read_on, files.file("starts"))] * 3, (keep_busy,)):
                time.sleep(10)
            assert files.number("base_latency_us") >= 0.85 * before
