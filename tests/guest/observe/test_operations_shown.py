"""What users see of reads and writes: base latencies, counts and percentiles, held against fio and the test disk's truth."""
# promise output/operations-shown: Base latencies, counts and percentiles of reads and writes are right within 10 %
#   | by: base and count of flushes | full: `guests-*`

import contextlib
import json
import time

import pytest

from tests.guest.lib.parametrized import both_modes
from tests.lib import debugfs
from tests.lib import dm_lw as tool
from tests.lib.command import load_module, settle, unload_module, wait_until
from tests.lib.disks import path_disks
from tests.lib.fio import Fio
from tests.lib.multipath import STAMPS, Multipath
from tests.lib.scenario import SELECTOR, SELECTOR_MODULE
from tests.lib.sysfs import CLASSES, OPERATIONS, MapFiles
from tools.dm_lw import fio_output

pytestmark = [pytest.mark.virtual_time, pytest.mark.observe]

BOTH = ["histogram", 1, "by_operation", 1]      # arguments of the selector
READ_US, WRITE_US = 2000, 6000
SLOWER = 4                                      # from the middle of the run on
NEAR = {"rel": 0.1}


@pytest.fixture(autouse=True)
def mounted():
    debugfs.mount()
    load_module(SELECTOR_MODULE)
    yield
    unload_module(SELECTOR_MODULE)              # as in test_by_operation.py


@contextlib.contextmanager
def map_of_one_disk(queue_mode):
    """The disk is slow from the first I/O on, since that is where the base begins."""
    with path_disks(1) as (disk,):
        set_delay(disk)
        with Multipath([disk], SELECTOR, queue_mode, selector_args=BOTH) as mapped:
            mapped.keep_ios_apart()
            yield disk, mapped


def set_delay(disk, slower=1):
    disk.set(delay_us=READ_US * slower, write_delay_us=WRITE_US * slower)


def rest(at):
    settle()
    wait_until(lambda: at.number("inflight") == 0, "all I/O is done")
    time.sleep(0.1)                             # and the last window is closed


def operations(at):
    return {name: {file: at.number("%s/%s" % (name, file)) for file in ("base_latency_us", "done")}
            for name in OPERATIONS}


def disk_counts(disk):
    return {"read": disk.get("reads"), "write": disk.get("writes")}


def run_mix(disk, mapped, at, slower=1, **options):
    """(what fio says, I/Os that the disk did) of reads, and of writes. Reads are fio's and udev's, who looks after it."""
    before = disk_counts(disk)
    with Fio(mapped.path, 2, 4, rw="randrw", unified_rw_reporting=0, **options) as job:
        time.sleep(1)
        set_delay(disk, slower)
        (done,) = fio_output.jobs(job.output())
    rest(at)
    ios = {name: count - before[name] for name, count in disk_counts(disk).items()}
    assert ios["write"] == done["write"]["total_ios"]
    assert done["read"]["total_ios"] <= ios["read"] <= done["read"]["total_ios"] + 200
    return {name: (done[name], ios[name]) for name in ios}


@both_modes
def test_bases_and_counts(queue_mode):
    """Of flushes, too, which are told apart by their length."""
    with map_of_one_disk(queue_mode) as (disk, mapped):
        at = MapFiles(mapped).path(disk)
        rest(at)
        before = operations(at)
        done = run_mix(disk, mapped, at, fsync=8)
        found = operations(at)
        print("ios", {name: (of_fio["total_ios"], ios) for name, (of_fio, ios) in done.items()}, "before", before,
              "now", found)
        assert found["other"]["done"] > before["other"]["done"]
        assert found["other"]["done"] == at.number("zero/done")
        stamped = mapped.learned(disk).source == STAMPS
        if stamped:         # the disk's flushes take a read's time
            assert found["other"]["base_latency_us"] == pytest.approx(READ_US, **NEAR)
        for name, truth in (("read", READ_US), ("write", WRITE_US)):
            _, ios = done[name]
            counted = found[name]["done"] - before[name]["done"]
            assert counted == (pytest.approx(ios, rel=0.01) if stamped else 0)
            assert found[name]["base_latency_us"] == (pytest.approx(truth, **NEAR) if stamped else 0)


def cumulated(histogram, name):
    """(the bucket, part of the I/Os that took less than its upper border)."""
    stamped = [row for row in histogram if row["from_us"] != "unstamped"]
    whole, below = sum(row[name] for row in stamped), 0
    for row in stamped:
        below += row[name]
        yield row, below / whole


@both_modes
def test_percentiles(queue_mode):
    """Two speeds, so that p50 and p99 differ: in debugfs, and as dm-lw shows them; after a reset nothing is left."""
    with map_of_one_disk(queue_mode) as (disk, mapped):
        files, at = debugfs.MapFiles(mapped), MapFiles(mapped).path(disk)
        rest(at)
        files.reset()
        done = run_mix(disk, mapped, at, SLOWER)
        histogram = files.tables(disk)["from_us"]
        assert list(histogram[0]) == ["from_us", "below_us"] + CLASSES + ["read", "write"]
        (path,) = json.loads(tool.dm_lw("latency", "-j", mapped.name).success())["paths"]
        stamped = mapped.learned(disk).source == STAMPS
        for name, (of_fio, ios) in done.items():
            shown, truth = path["operations"][name], fio_output.latencies(of_fio["lat_ns"])
            print("fio", name, truth, "shown", shown)
            assert shown["ios"] == sum(row[name] for row in histogram) == pytest.approx(ios, rel=0.01)
            assert histogram[-1][name] == shown["unstamped"] == (0 if stamped else shown["ios"])
            if not stamped:
                continue
            assert truth["p50_us"] < 0.7 * truth["p99_us"]
            for rank, key in ((0.5, "p50_us"), (0.99, "p99_us")):
                bucket = next(row for row, part in cumulated(histogram, name) if part >= rank)
                assert bucket["from_us"] <= shown[key] <= bucket["below_us"]
                assert shown[key] == pytest.approx(truth[key], **NEAR)
        assert path["classes"]["data"]["ios"] == sum(ios for _, ios in done.values())
        files.reset()
        assert not any(row[name] for row in files.tables(disk)["from_us"] for name in ("read", "write"))


def test_columns_are_there_while_both_are_asked_for():
    with path_disks(1) as (disk,), Multipath([disk], SELECTOR) as mapped:
        tunables, files = MapFiles(mapped), debugfs.MapFiles(mapped)
        for histogram, by_operation in ((0, 1), (1, 1), (1, 0), (1, 1), (0, 1), (0, 0)):
            tunables["histogram"], tunables["by_operation"] = histogram, by_operation
            table = files.tables(disk).get("from_us")
            assert bool(table) == bool(histogram)
            assert ("read" in (table or [{}])[0]) == bool(histogram and by_operation)
