"""What the files of maps and paths say, held against the test disk's truth."""
# promise output/true-values: Values in sysfs, debugfs, status and tracepoints are true | check: some in one queue
#   mode only | full: `guests-*`
# promise lifecycle/disk-number

import contextlib
import os
import re
import time
from pathlib import Path

import pytest

from tests.guest.lib.parametrized import one_mode
from tests.lib import multipath
from tests.lib.command import CommandError, read_text, settle, sh, udev_waits, unload_module, wait_until
from tests.lib.disks import NullBlk, path_disks
from tests.lib.multipath import FAILED, LITTLE, WITHOUT_UDEV, Multipath
from tests.lib.scenario import SELECTOR, SELECTOR_MODULE, Load
from tests.lib.sysfs import CLASSES, OPERATIONS, ROOT, SOURCES, STATES, MapFiles, every_file, maps
from tools.dm_lw import values

pytestmark = [pytest.mark.virtual_time, pytest.mark.observe]

COUNTS = list(values.keys(values.COUNT))
PATH_FILES = ["device", *values.keys(*values.FILES), *values.NOT_SHOWN]
CLASS_FILES = [value.key for value in values.CLASS_VALUES]
LATENCIES = ["latency_us", "base_latency_us", "32k/latency_us"]
OPERATION_FILES = [value.key for value in values.OPERATION_VALUES]
OURS = pytest.mark.expect_dm_error(r"device-mapper: multipath latency-weighted: ")
REFUSED = pytest.mark.expect_dm_error(r"device-mapper: (multipath|table|ioctl): ")


@contextlib.contextmanager
def disks(*delays_us, **parameters):
    with path_disks(len(delays_us), **parameters) as paths:
        for path, delay_us in zip(paths, delays_us):
            path.set(delay_us=delay_us)
        yield paths


def table(*groups):
    """A table line with so many priority groups, each a list of disks."""
    return multipath.table(groups[0], SELECTOR, "rq", groups=groups)


def load_table(mapped, line):
    sh("dmsetup", "load", mapped.name, "--table", line)


@contextlib.contextmanager
def unread_map(paths, queue_mode):
    """A map that udev does not read before the test is over, since it reads I/Os of several sizes."""
    mapped = None
    try:
        with udev_waits():
            mapped = Multipath(paths, SELECTOR, queue_mode)
            yield mapped
    finally:
        if mapped:
            mapped.remove()


def at_rest(files, paths):
    settle()                                    # udev reads new maps
    all_done(files, paths)


def all_done(files, paths):
    wait_until(lambda: all(files.path(path).number("inflight") == 0 for path in paths),
               "all I/O is done")
    time.sleep(0.1)                             # and the last window is closed


@pytest.mark.facts
def test_each_file_has_one_value():
    began = time.time()
    with disks(1000, 1000) as paths, Multipath(paths, SELECTOR) as mapped:
        files = MapFiles(mapped)
        assert files.paths() == ["lwt0", "lwt1"]
        for path in paths:
            at = files.path(path)
            assert began - 0.001 <= float(at["known_since"]) <= time.time()
            assert sorted(os.listdir(at.directory)) == sorted(PATH_FILES + CLASSES + OPERATIONS)
            assert at["device"] == path.number
            for name in CLASSES:
                assert sorted(os.listdir(at.file(name))) == sorted(CLASS_FILES)
            for name in OPERATIONS:
                assert sorted(os.listdir(at.file(name))) == sorted(OPERATION_FILES)
        for file in every_file():
            assert len(read_text(file).split()) == 1, file
    assert maps() == []
    unload_module(SELECTOR_MODULE)
    assert not os.path.exists(ROOT)


@pytest.mark.facts
def test_each_file_is_documented():
    text = (Path(__file__).parents[3] / "docs/ABI/testing/sysfs-kernel-dm-latency-weighted").read_text()
    documented = set(re.findall(r"^What:\t\t(\S+[^/])$", text, re.M))
    with disks(1000) as paths, Multipath(paths, SELECTOR) as mapped:
        files = MapFiles(mapped)
        path = files.path(paths[0]).directory
        found = set()
        for file in every_file():
            name = file.replace(path, ROOT + "/<map>/paths/<path>")
            name = name.replace(files.directory, ROOT + "/<map>")
            name = re.sub("/(%s)/" % "|".join(CLASSES), "/<class>/", name)
            found.add(re.sub("/(%s)/" % "|".join(OPERATIONS), "/<operation>/", name))
    assert found == documented


@one_mode
def test_figures_are_those_of_the_disk(queue_mode):
    with disks(5000, 20000) as paths, unread_map(paths, queue_mode) as mapped:
        files = MapFiles(mapped)
        with Load(mapped, iodepth=1) as load:
            load.warm_up(*paths, ios=2)         # a load that begins at once would find noise in its own queue
        all_done(files, paths)
        counted = [{name: files.path(path).number(name) for name in COUNTS} for path in paths]
        used = [path.used() for path in paths]
        with Load(mapped, iodepth=16) as load:
            load.begin(ios=600)
            load.watch(2)
            share = [float(files.path(path)["share"]) for path in paths]
            # Not at rest: by Little's law, the window in which only the last I/O ends takes a quarter off a class.
            shown = [{name: files.path(path).number(name) for name in LATENCIES} for path in paths]
        all_done(files, paths)
        for path, before, was_used, latencies in zip(paths, counted, used, shown):
            at = files.path(path)
            delta = {name: at.number(name) - before[name] for name in COUNTS}
            assert delta["starts"] == delta["ends"] == delta["done"] == path.used() - was_used
            assert delta["failures"] == delta["ignored_failed"] == delta["ignored_unissued"] == 0
            assert latencies == pytest.approx(dict.fromkeys(LATENCIES, path.get("delay_us")), rel=0.15), path
            assert at.number("noise_percent") <= 5
            assert at.number("block_cost") == at.number("block_latency_ns") == 0    # I/Os of one size tell nothing
            assert sum(at.number(name + "/done") for name in CLASSES) == at.number("done")
            assert at.number("knee") >= 2
        assert files.path(paths[1]).number("probes") > counted[1]["probes"]
        assert sum(share) == pytest.approx(100, abs=0.1)
        assert share[0] > 90


@one_mode
def test_figures_are_those_of_the_status(queue_mode):
    with disks(5000, 8000) as paths, Multipath(paths, SELECTOR, queue_mode) as mapped:
        files = MapFiles(mapped)
        with Load(mapped, iodepth=8) as load:
            load.begin()
        at_rest(files, paths)
        for path in paths:
            at, told = files.path(path), mapped.learned(path)
            assert told.weight == at.number("weight") and told.latency_us == at.number("latency_us")
            assert told.inflight == at.number("inflight")
            assert STATES[told.state] == at["state"] and SOURCES[told.source] == at["latency_source"]


def test_share_follows_the_group_in_use():
    """The group left behind has no window any more; its share fades all the same."""
    with disks(2000, 2000) as paths, Multipath(paths, SELECTOR) as mapped:
        load_table(mapped, table(*([path] for path in paths)))
        sh("dmsetup", "resume", *WITHOUT_UDEV, mapped.name)
        files = MapFiles(mapped)
        with Load(mapped, iodepth=4) as load:
            load.warm_up(paths[0])
            mapped.message("switch_group", 2)
            load.warm_up(paths[1])
            load.watch(16)                      # eight times half of it
            assert float(files.path(paths[0])["share"]) < 1
            assert float(files.path(paths[1])["share"]) > 99


@one_mode
def test_hanging_path_shows_since_when(queue_mode):
    with disks(2000, 2000) as paths, Multipath(paths, SELECTOR, queue_mode) as mapped:
        at = MapFiles(mapped).path(paths[0])
        with Load(mapped, iodepth=8) as load:
            load.begin()
            assert at["state"] == "active"
            stale, began = at.number("ignored_stale"), time.time()
            with paths[0].hanging():
                load.wait_until(lambda: at["state"] == "probing", "the hang is seen")
                since = float(at["state_since"])
                assert began <= since <= time.time()
                load.watch(1)
                assert float(at["state_since"]) == since
                held = at.number("inflight")
                assert held >= 1 and at.number("32k/inflight") == held
                assert at.number("latency_us") >= 900000
            load.wait_until(lambda: at["state"] == "active", "it is used again")
            assert float(at["state_since"]) > since + 1
            if SOURCES.index(at["latency_source"]) != LITTLE:
                assert at.number("ignored_stale") - stale == held


def test_failed_path_is_counted():
    with disks(2000, 2000) as paths, Multipath(paths, SELECTOR) as mapped:
        at = MapFiles(mapped).path(paths[0])
        with Load(mapped, iodepth=8) as load:
            load.begin()
            began = time.time()
            mapped.fail_path(paths[0])
            assert (at["state"], at.number("failures")) == (STATES[FAILED], 1)
            assert began - 0.001 <= float(at["state_since"]) <= time.time()
            load.wait_until(lambda: at.number("inflight") == 0, "it is empty")
            assert at.number("ignored_failed") >= 1
            mapped.reinstate_path(paths[0])
            load.wait_until(lambda: at["state"] == "active", "it is used again")
        at_rest(MapFiles(mapped), paths)
        assert at.number("failures") == 1
        assert at.number("starts") == at.number("ends") > at.number("done")


def test_busy_driver_is_counted():
    with disks(20000, 20000) as paths:
        for path in paths:
            path.set(tags=2)
        with Multipath(paths, SELECTOR) as mapped, Load(mapped, iodepth=16) as load:
            load.warm_up(*paths)
            load.watch(1)
            files = MapFiles(mapped)
            for path in paths:
                assert files.path(path).number("ignored_unissued") > 0
                assert files.path(path).number("full") > 0


@pytest.mark.facts
def test_map_is_called_as_dm_calls_it():
    with disks(1000) as paths, Multipath(paths, SELECTOR) as mapped:
        files, before = MapFiles(mapped), MapFiles(mapped).identity()
        assert files["name"] == mapped.name
        for name in ("lw other name", "x" * 127, "lwagain"):
            sh("dmsetup", "rename", *WITHOUT_UDEV, mapped.name, name)
            mapped.name = name
            # dmsetup writes a blank as \x20
            assert files["name"] == read_text(mapped.path.replace("/dev", "/sys/block") + "/dm/name")
        assert files.identity() == before


def test_files_stay_through_reloads():
    """And what they say: counts, and since when."""
    with disks(2000, 2000) as paths, Multipath(paths, SELECTOR) as mapped:
        files = MapFiles(mapped)
        with Load(mapped, iodepth=4) as load:
            load.warm_up(*paths)
            dirs = [files] + [files.path(path) for path in paths]
            was = [one.identity() for one in dirs]
            since = [one["state_since"] for one in dirs[1:]]
            starts = [one.number("starts") for one in dirs[1:]]
            for _ in range(3):
                mapped.reload()
                load.warm_up(*paths, ios=20)
            assert [one.identity() for one in dirs] == was
            assert [one["state_since"] for one in dirs[1:]] == since
            assert all(one.number("starts") >= before + 60
                       for one, before in zip(dirs[1:], starts))


@pytest.mark.facts
def test_paths_are_those_of_all_tables():
    """A table that is loaded, and one in use; one directory for each path."""
    with disks(1000, 1000, 1000) as paths, Multipath(paths[:2], SELECTOR) as mapped:
        files = MapFiles(mapped)
        load_table(mapped, table(paths[:1], paths[1:]))
        assert files.paths() == ["lwt0", "lwt1", "lwt2"]
        sh("dmsetup", "clear", mapped.name)
        assert files.paths() == ["lwt0", "lwt1"]
        load_table(mapped, table(paths[2:], paths[:1]))
        assert files.paths() == ["lwt0", "lwt1", "lwt2"]
        sh("dmsetup", "resume", *WITHOUT_UDEV, mapped.name)
        assert files.paths() == ["lwt0", "lwt2"]
        assert maps() == [os.path.basename(files.directory)]


@pytest.mark.facts
@REFUSED
@OURS
def test_refused_tables_leave_nothing():
    with disks(1000, 1000) as paths:
        sh("modprobe", SELECTOR_MODULE)
        bad = [table(paths).replace(paths[1].number + " 1", paths[1].number + " none"),
               table(paths, paths[:1])[:-1] + "none",
               table(paths).replace(SELECTOR + " 0", SELECTOR + " 2 max_penalty 0"),
               table(paths).replace(paths[1].number, "0:0")]
        for line in bad:
            with pytest.raises(CommandError):
                sh("dmsetup", "create", *WITHOUT_UDEV, "lwbad", "--table", line)
            assert maps() == []
        with Multipath(paths[:1], SELECTOR) as mapped:
            before = every_file()
            for line in bad:
                with pytest.raises(CommandError):
                    load_table(mapped, line)
                assert every_file() == before


def test_unplugged_disk_and_its_successor():
    """Of the same name and number, in another map, while the first one still has the old one."""
    with NullBlk("lwone", 5000) as disk, contextlib.ExitStack() as stack:
        old = stack.enter_context(Multipath([disk], SELECTOR, name="lwold"))
        with Load(old, iodepth=2) as load:
            load.warm_up(disk)
        at_rest(MapFiles(old), [disk])
        was = MapFiles(old).path(disk)
        known = {name: was[name] for name in COUNTS + ["latency_us", "device"]}
        disk.pull()
        disk.plug_in(completion_us=20000)
        new = stack.enter_context(Multipath([disk], SELECTOR, name="lwnew"))
        now = MapFiles(new).path(disk)
        assert now["device"] == known["device"] and now["state"] == "new"
        with Load(new, iodepth=2) as load:
            load.warm_up(disk)
        assert now.number("latency_us") > 15000
        assert {name: was[name] for name in known} == known


@pytest.mark.facts
def test_maps_do_not_mix():
    with disks(1000, 1000) as paths, \
            Multipath(paths[:1], SELECTOR, name="lwone") as one, \
            Multipath(paths[1:], SELECTOR, name="lwtwo") as two:
        assert maps() == sorted(os.path.basename(mapped.path) for mapped in (one, two))
        assert MapFiles(one).paths() == ["lwt0"] and MapFiles(two).paths() == ["lwt1"]
        MapFiles(one)["tolerance"] = 50
        assert MapFiles(two)["tolerance"] == "12"
