"""debugfs: columns, counts that sum up, histograms that are true. Files that come and go: test_observe_stress.py."""
# promise output/true-values

import contextlib
import os
import time

import pytest

from tests.guest.lib.parametrized import one_mode
from tests.lib import debugfs, fio, sysfs
from tests.lib.command import load_module, settle, wait_until
from tests.lib.debugfs import MapFiles
from tests.lib.disks import path_disks
from tests.lib.multipath import STAMPS, Multipath, TwoGroups
from tests.lib.scenario import SELECTOR, SELECTOR_MODULE, Load
from tests.lib.sysfs import CLASSES

pytestmark = [
    pytest.mark.virtual_time,
    pytest.mark.observe,
]

COUNTS = ["starts", "ends", "done"]
BY_LATENCY = ["histogram", 1]       # arguments of the selector
# Eight for each power of two from 1 us to 33 s, and as narrow ones below; nothing ends the last.
BORDERS = [eighth / 8 for eighth in range(8)] \
    + [(8 + eighth) / 8 * 2 ** power for power in range(25) for eighth in range(8)] + [2.0 ** 25]
ALL_BORDERS = list(zip(BORDERS, BORDERS[1:] + ["-"]))
BY_CLASS = ["class"] + COUNTS + ["inflight", "latency_us", "p50_us", "p99_us", "p999_us"]


@pytest.fixture(autouse=True)
def mounted():
    debugfs.mount()
    load_module(SELECTOR_MODULE)


@contextlib.contextmanager
def disks_of_a_millisecond(count):
    """For tests that only count: at full speed I/O is all that an emulated CPU does."""
    with path_disks(count) as disks:
        for disk in disks:
            disk.set(delay_us=1000)
        yield disks


def rest(mapped):
    """Nothing under way, also nothing of udev's; and from here on an I/O stays one."""
    settle()
    mapped.keep_ios_apart()
    wait_until(lambda: not any(row["inflight"] for row in MapFiles(mapped).classes().values()),
               "the last window has closed")


def total(rows, column):
    return sum(row[column] for row in rows)


@pytest.mark.facts
def test_columns():
    with disks_of_a_millisecond(1) as (disk,), Multipath([disk], SELECTOR, selector_args=BY_LATENCY) as mapped:
        fio.run(mapped.path, runtime=None, number_ios=100)
        rest(mapped)            # or udev's I/Os, of other classes, come between two looks
        files = MapFiles(mapped)
        tables = files.tables(disk)
        heads = {first: list(table[0]) for first, table in tables.items()}
        assert heads == {
            "cpu": ["cpu", "node", "class"] + COUNTS,
            "node": ["node", "class"] + COUNTS + ["latency_us"],
            "class": BY_CLASS,
            "from_us": ["from_us", "below_us"] + CLASSES,
        }
        assert "32k" in [row["class"] for row in tables["class"]]
        *buckets, unstamped = tables["from_us"]
        assert (unstamped["from_us"], unstamped["below_us"]) == ("unstamped", "-")
        assert all(any(row[name] for name in CLASSES) for row in buckets)
        assert all((row["from_us"], row["below_us"]) in ALL_BORDERS for row in buckets)
        assert buckets == sorted(buckets, key=lambda row: row["from_us"])
        assert all(list(row) == ["path"] + BY_CLASS for row in files.classes().values())
        assert list(files.classes()) == [(disk.name, row["class"]) for row in tables["class"]]


def ignored(mapped, disk):
    return sysfs.MapFiles(mapped).path(disk).number("ignored_stale")


@pytest.mark.facts
@one_mode
def test_sums_are_the_ios_done(queue_mode):
    """Every I/O is in each table once, whatever the CPU and the class."""
    with path_disks(2) as disks, \
            Multipath(disks, SELECTOR, queue_mode, selector_args=BY_LATENCY) as mapped:
        for disk, delay_us in zip(disks, (3000, 4000)):
            disk.set(delay_us=delay_us)
        rest(mapped)
        files = MapFiles(mapped)
        files.reset()
        before = {disk: disk.used() for disk in disks}
        stale = {disk: ignored(mapped, disk) for disk in disks}
        ios = fio.run(mapped.path, runtime=None, iodepth=16, bs=None, number_ios=2000,
                      bssplit="4k/50:64k/30:256k/15:1M/5").ios
        rest(mapped)
        used = {disk: disk.used() - before[disk] for disk in disks}
        assert sum(used.values()) == ios == 2000
        for disk in disks:
            tables = files.tables(disk)
            ended = files.ended(disk)
            assert sum(ended.values()) == used[disk]
            if queue_mode == "rq":      # also of whole microseconds, before 5.19
                assert not any(tables["from_us"][-1][name] for name in CLASSES)
            # A path may stall where the guest is slow; then what it holds tells no latency.
            counted = used[disk] - (ignored(mapped, disk) - stale[disk])
            for first in ("cpu", "node", "class"):
                assert [total(tables[first], column) for column in COUNTS] == [used[disk]] * 2 + [counted]
                for name in CLASSES:
                    rows = [row for row in tables[first] if row["class"] == name]
                    assert total(rows, "ends") == ended[name]
            for row in tables["class"]:
                assert files.classes()[disk.name, row["class"]] == dict(row, path=disk.name)


def cumulated(histogram, name):
    """(the bucket, part of the I/Os that took less than its upper border)."""
    stamped = [row for row in histogram if row["from_us"] != "unstamped"]
    whole, below = total(stamped, name), 0
    for row in stamped:
        below += row[name]
        yield row, below / whole


# promise output/percentiles
@one_mode
def test_percentiles_are_true(queue_mode):
    """Against fio's, which see some 20 us more. Two speeds, so that p50 and p99 differ."""
    with path_disks(1) as (disk,), \
            Multipath([disk], SELECTOR, queue_mode, selector_args=BY_LATENCY) as mapped:
        disk.set(delay_us=3000)
        rest(mapped)
        files = MapFiles(mapped)
        files.reset()
        with fio.Fio(mapped.path, runtime=2, iodepth=4) as job:
            time.sleep(1)
            disk.set(delay_us=24000)
            true = job.wait()
        rest(mapped)
        if mapped.learned(disk).source != STAMPS:
            pytest.skip("this kernel does not stamp bios with a usable clock")
        shown = files.classes()[disk.name, "32k"]
        histogram = files.tables(disk)["from_us"]
        print("fio p50 %.0f p99 %.0f us, shown %s" % (true.p50_us, true.p99_us, shown))
        assert total(histogram, "32k") == true.ios == shown["ends"]
        assert histogram[-1]["32k"] == 0
        for rank, exact, column in ((0.5, true.p50_us, "p50_us"), (0.99, true.p99_us, "p99_us")):
            bucket = next(row for row, part in cumulated(histogram, "32k") if part >= rank)
            assert bucket["from_us"] <= shown[column] <= bucket["below_us"]
            assert shown[column] == pytest.approx(exact, rel=0.1)
        assert shown["p50_us"] < shown["p99_us"] <= shown["p999_us"]


@one_mode
def test_without_stamps_no_latency_of_its_own(queue_mode):
    """Little's law measures a mean: I/Os are counted, but in no bucket."""
    with path_disks(1, stamps="N") as (disk,), \
            Multipath([disk], SELECTOR, queue_mode, selector_args=["accounting", 0] + BY_LATENCY) as mapped:
        disk.set(delay_us=3000)
        rest(mapped)
        files = MapFiles(mapped)
        files.reset()
        ios = fio.run(mapped.path, runtime=0.5).ios
        rest(mapped)
        histogram = files.tables(disk)["from_us"]
        stamped = mapped.learned(disk).source == STAMPS
        assert [row["32k"] for row in histogram if row["32k"]] == [ios]
        assert histogram[-1]["32k"] == (0 if stamped else ios)
        if not stamped:
            assert files.classes()[disk.name, "32k"]["p50_us"] == 0


@pytest.mark.facts
def test_reset():
    with disks_of_a_millisecond(2) as disks, \
            Multipath(disks, SELECTOR, selector_args=BY_LATENCY) as mapped:
        files = MapFiles(mapped)
        rest(mapped)
        fio.run(mapped.path, runtime=None, number_ios=300)
        rest(mapped)
        known = files.classes()
        assert all(row["ends"] for row in known.values())
        for bad in ("0", "2", "x", "-1", "1 1"):
            with pytest.raises(OSError, match="Invalid argument"):
                files.reset(bad)
        assert files.classes() == known
        files.reset("1\n")
        for (path, _), row in files.classes().items():
            assert [row[column] for column in COUNTS + ["p50_us", "p999_us"]] == [0] * 5
            # what was learned stays
            assert row["latency_us"] == known[path, row["class"]]["latency_us"]
        assert not any(sum(files.ended(disk).values()) for disk in disks)
        ios = fio.run(mapped.path, runtime=None, number_ios=300).ios
        rest(mapped)
        assert total(files.classes().values(), "ends") == ios


@pytest.mark.facts
def test_two_groups_are_one_directory():
    with disks_of_a_millisecond(4) as disks, TwoGroups(disks, SELECTOR) as mapped:
        with Load(mapped) as load:
            load.warm_up(*disks[:2])
            mapped.message("switch_group", 2)
            load.warm_up(*disks[2:])
        assert os.listdir(debugfs.ROOT) == [MapFiles(mapped).label]
        assert {path for path, _ in MapFiles(mapped).classes()} == {disk.name for disk in disks}


@pytest.mark.facts
def test_counts_go_on_over_a_reload():
    """Files stay where they are, an open one too, and the histogram with them."""
    with disks_of_a_millisecond(2) as disks, \
            Multipath(disks, SELECTOR, selector_args=BY_LATENCY) as mapped:
        files = MapFiles(mapped)
        with Load(mapped) as load, \
                open("%s/%s/latency_stat" % (debugfs.ROOT, files.label)) as held:
            load.warm_up(*disks)
            for _ in range(3):
                before = {disk: sum(files.ended(disk).values()) for disk in disks}
                mapped.reload()
                assert all(sum(files.ended(disk).values()) >= before[disk] > 0 for disk in disks)
                held.seek(0)
                assert len(held.read().splitlines()) > 2
        mapped.paths = disks[:1]
        mapped.reload()
        assert os.listdir("%s/%s/paths" % (debugfs.ROOT, files.label)) == [disks[0].name]


@pytest.mark.facts
def test_latencies_are_counted_where_somebody_asks():
    """Under load: by the tunable, for paths of the tables that follow, too; and no longer."""
    with disks_of_a_millisecond(2) as disks, Multipath(disks, SELECTOR) as mapped:
        files, tunables = MapFiles(mapped), sysfs.MapFiles(mapped)
        with Load(mapped) as load:
            load.warm_up(*disks)
            for _ in range(3):
                assert all("from_us" not in files.tables(disk) for disk in disks)
                assert {row["p50_us"] for row in files.classes().values()} == {"-"}
                tunables["histogram"] = 1
                wait_until(lambda: all(files.ended(disk)["32k"] for disk in disks), "latencies are counted")
                mapped.reload()
                before = files.ended(disks[0])["32k"]
                wait_until(lambda: files.ended(disks[0])["32k"] > before, "and after a reload")
                tunables["histogram"] = 0
        assert all("from_us" not in files.tables(disk) for disk in disks)


@pytest.mark.facts
def test_each_of_many_paths_counts_latencies():
    """Their memory is more than the per-CPU allocator has at hand, so nobody may ask where waiting is forbidden."""
    with path_disks(16) as disks, Multipath(disks, SELECTOR) as mapped:
        files, tunables = MapFiles(mapped), sysfs.MapFiles(mapped)
        tunables["by_operation"] = 1
        tunables["histogram"] = 1
        assert all("from_us" in files.tables(disk) for disk in disks)
        mapped.reload()
        assert all("from_us" in files.tables(disk) for disk in disks)
        tunables["histogram"] = 0
        assert all("from_us" not in files.tables(disk) for disk in disks)
