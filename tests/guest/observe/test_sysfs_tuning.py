"""What is written to the files holds at once, lasts, and is refused if it is no good."""
# promise steering/tunables, output/arguments

import contextlib
import errno
import os
import re
import time

import pytest

from tests.lib.command import load_module, sh, write_text
from tests.lib.disks import path_disks
from tests.lib.kernel_log import KernelLog
from tests.lib.multipath import PROBING, Multipath
from tests.lib.options import DEFAULTS, OPTIONS, PARAMETERS, WORDS
from tests.lib.scenario import SELECTOR, Load
from tests.lib.sysfs import MapFiles

pytestmark = [pytest.mark.virtual_time, pytest.mark.observe]

OURS = pytest.mark.expect_dm_error(r"device-mapper: multipath latency-weighted: ")
DELAYS_US = (5000, 5300)        # equal with a tolerance of 12 per cent, not without


@contextlib.contextmanager
def tuned_map(*arguments, delays_us=DELAYS_US, **parameters):
    """Two disks, their map, its files."""
    with path_disks(len(delays_us), **parameters) as paths:
        for path, delay_us in zip(paths, delays_us):
            path.set(delay_us=delay_us)
        with Multipath(paths, SELECTOR, selector_args=arguments) as mapped:
            yield paths, mapped, MapFiles(mapped)


def shares_soon(load, path, least, most):
    """Of all I/Os from a second on; and so it remains."""
    load.watch(0.2)
    share = load.watch(1).share(path)
    assert least <= share <= most
    return share


def values(files):
    return {**{key: files.number(key) for key in OPTIONS}, **{key: files[key] for key in WORDS}}


def refused(files, name, value):
    """What the kernel log says then."""
    log = KernelLog()
    with pytest.raises(OSError) as failure:
        files[name] = value
    assert failure.value.errno == errno.EINVAL, (name, value)
    return "\n".join(text for _, text in log.new_records())


@pytest.mark.facts
def test_all_of_each_range_is_taken():
    with tuned_map() as (_, mapped, files):
        assert set(os.listdir(PARAMETERS)) == {*DEFAULTS, "policy_max_us"}
        assert values(files) == DEFAULTS
        files["probe_max_ms"] = OPTIONS["probe_max_ms"][1]
        for key, (least, most, default) in OPTIONS.items():
            for value in (least, most, default):
                if (key, value) == ("probe_max_ms", least):
                    files["probe_min_ms"] = value
                files[key] = value
                assert files.number(key) == value
        for key, words in WORDS.items():
            for value in (*words, words[0]):
                files[key] = value
                assert files[key] == value
        files["probe_min_ms"] = OPTIONS["probe_min_ms"][2]
        assert values(files) == DEFAULTS
        assert " %s 0 " % SELECTOR in mapped.live_table()


@pytest.mark.facts
@OURS
def test_bad_values_change_nothing():
    with tuned_map() as (paths, mapped, files):
        table = mapped.live_table()
        for key, (least, most, _) in OPTIONS.items():
            told = r"%s: .*from %d to %d" % (key, least, most)
            for value in (most + 1, -1, "many", "", " ", "2.5", "0x14", 1 << 32, "20 20", "x" * 4000):
                assert re.search(told, refused(files, key, value)), (key, value)
        for key, words in WORDS.items():
            told = "%s: .* is none of %s" % (key, ", ".join(words))
            for value in ("many", "", " ", 0, words[0].upper(), words[0] + " ", " ".join(words), "x" * 4000):
                assert re.search(told, refused(files, key, value)), (key, value)
        assert "probe_min_ms: 6000 is more than probe_max_ms" in refused(files, "probe_min_ms", 6000)
        assert "probe_min_ms: 100 is more than probe_max_ms" in refused(files, "probe_max_ms", 50)
        prefer = files.path(paths[0])
        for value in (2, -1, "yes", paths[0].number):
            assert re.search(r"prefer: .*from 0 to 1", refused(prefer, "prefer", value)), value
        assert values(files) == DEFAULTS and prefer["prefer"] == "0"
        assert mapped.live_table() == table


def test_a_write_holds_at_once():
    with tuned_map() as (paths, mapped, files), Load(mapped, iodepth=1) as load:
        load.begin()
        shares_soon(load, paths[1], 0.45, 0.55)
        files["tolerance"] = 0
        shares_soon(load, paths[1], 0, 0.05)
        files.path(paths[1])["prefer"] = 1
        shares_soon(load, paths[1], 0.95, 1)
        files.path(paths[1])["prefer"] = 0
        shares_soon(load, paths[1], 0, 0.05)
        files["tolerance"] = 12
        shares_soon(load, paths[1], 0.45, 0.55)


def test_writing_all_the_time_puts_nothing_off():
    """A hang is seen by windows. Each write is sooner than the next one of them."""
    with tuned_map() as (paths, mapped, files), Load(mapped, iodepth=4) as load:
        load.begin()
        files["window_ms"] = 200
        load.watch(1)
        with paths[0].hanging():
            until = time.monotonic() + 3
            while time.monotonic() < until and mapped.learned(paths[0]).state != PROBING:
                files["tolerance"] = 12
                files.path(paths[1])["prefer"] = 0
                time.sleep(0.01)
            state = mapped.learned(paths[0]).state
    assert state == PROBING


def test_a_write_to_a_map_at_rest_holds_for_its_first_io():
    """There no window comes to publish it. Each dd is less than a window."""
    with tuned_map() as (paths, mapped, files):
        with Load(mapped, iodepth=2) as load:
            load.begin()
        for preferred in (0, 1, 0, 1):
            files.path(paths[preferred])["prefer"] = 1
            files.path(paths[1 - preferred])["prefer"] = 0
            before = [path.used() for path in paths]
            sh("dd", "if=" + mapped.path, "of=/dev/null", "bs=4k", "count=3", "iflag=direct")
            taken = [path.used() - was for path, was in zip(paths, before)]
            assert taken[preferred] >= 3 and taken[1 - preferred] <= 1      # a probe


def test_window_is_shortened_at_once():
    """The one that is running would last a second."""
    with tuned_map("window_ms", 1000) as (paths, mapped, files):
        with Load(mapped, iodepth=2) as load:
            load.warm_up(*paths, ios=2)
            load.wait_until(lambda: files.path(paths[0]).number("starts") > 2, "a window began")
            began = time.monotonic()
            files["window_ms"] = 5
            load.wait_until(lambda: files.path(paths[0]).number("latency_us"), "a window ended")
            assert time.monotonic() - began < 0.5
            load.warm_up(*paths)


def test_spill_decides_how_much_goes_to_the_slow_path():
    """At the least the fast path keeps all, as its queue is shorter than the way of the other."""
    with tuned_map(delays_us=(2000, 40000)) as (paths, mapped, files):
        paths[0].set(service_us=1000)           # 1000 IOPS
        with Load(mapped, iodepth=16) as load:
            load.begin(ios=2000)
            share = {}
            for max_penalty in (1000, 1):
                files["max_penalty"] = max_penalty
                load.watch(1)
                share[max_penalty] = load.watch(3).share(paths[1])
        assert share[1000] > 0.1 and share[1] < 0.05


def test_accounting_is_turned_off_and_on():
    """Under load. That stamps come and go cannot be seen on Debian's kernels: writeback
    throttling has them, too, of every queue."""
    with tuned_map(delays_us=(2000, 2000)) as (paths, mapped, files):
        with Load(mapped, iodepth=4) as load:
            load.begin()
            for value in (0, 0, 1, 1, 0, 1):
                files["accounting"] = value
                load.warm_up(*paths, ios=20)
                assert files.number("accounting") == value
            assert files.path(paths[0])["latency_source"] == "stamps"


@pytest.mark.facts
def test_what_was_written_outlasts_reloads():
    """But not the map; and a table's own argument wins as long as that table lives."""
    with tuned_map() as (paths, mapped, files):
        files["tolerance"] = 30
        files["window_ms"] = 50
        files.path(paths[1])["prefer"] = 1
        mapped.reload()
        assert (files["tolerance"], files["window_ms"]) == ("30", "50")
        assert [files.path(path)["prefer"] for path in paths] == ["0", "1"]
        mapped.table_args["selector_args"] = ["tolerance", 40, "prefer", paths[0].number]
        mapped.reload()
        assert (files["tolerance"], files["window_ms"]) == ("40", "50")
        assert [files.path(path)["prefer"] for path in paths] == ["1", "1"]
        files["tolerance"] = 35                 # the last word
        assert files["tolerance"] == "35"
        mapped.table_args["selector_args"] = []
        mapped.reload()
        assert (files["tolerance"], files["window_ms"]) == ("35", "50")
        assert [files.path(path)["prefer"] for path in paths] == ["0", "1"]
    with tuned_map() as (paths, mapped, files):
        assert values(files) == DEFAULTS
        assert files.path(paths[1])["prefer"] == "0"


@pytest.mark.facts
def test_a_table_that_is_not_live_yet_is_tuned_too():
    with tuned_map() as (_, mapped, files):
        sh("dmsetup", "load", mapped.name, "--table", mapped.table())
        files["ewma_shift"] = 5
        sh("dmsetup", "resume", "--noudevsync", "--noudevrules", mapped.name)
        assert files["ewma_shift"] == "5"


@pytest.mark.facts
def test_limits_of_table_and_file_do_not_cross():
    """A table may name one limit where another one was written: its own holds."""
    with tuned_map() as (_, mapped, files):
        files["probe_max_ms"] = 60000
        files["probe_min_ms"] = 30000
        for named, both in (
                (["probe_max_ms", 10000], ("10000", "10000")),
                (["probe_max_ms", 50], ("50", "50")),       # less than the other's default, too
                (["probe_min_ms", 60000], ("60000", "60000")),
                ([], ("30000", "60000"))):
            mapped.table_args["selector_args"] = named
            mapped.reload()
            assert (files["probe_min_ms"], files["probe_max_ms"]) == both


def test_all_groups_are_tuned():
    """The second group's selector shows in what it does."""
    with tuned_map(delays_us=(1000,) + DELAYS_US) as (paths, mapped, files):
        words = [0, paths[0].sectors(), "multipath", 0, 0, 2, 1, SELECTOR, 0, 1, 1,
                 paths[0].number, 1, SELECTOR, 0, 2, 1, paths[1].number, 1, paths[2].number, 1]
        sh("dmsetup", "load", mapped.name, "--table", " ".join(str(word) for word in words))
        sh("dmsetup", "resume", "--noudevsync", "--noudevrules", mapped.name)
        mapped.message("switch_group", 2)
        with Load(mapped, iodepth=1) as load:
            load.warm_up(paths[1], paths[2])
            shares_soon(load, paths[2], 0.45, 0.55)
            files["tolerance"] = 0
            shares_soon(load, paths[2], 0, 0.05)


@pytest.mark.facts
def test_parameters_are_for_new_maps_only():
    load_module("dm_latency_weighted")
    with tuned_map() as (_, mapped, files):
        write_text(PARAMETERS + "max_penalty", 33)
        try:
            mapped.reload()
            assert files["max_penalty"] == "20"
        finally:
            write_text(PARAMETERS + "max_penalty", 20)
    write_text(PARAMETERS + "max_penalty", 34)
    try:
        with tuned_map() as (_, _, files):
            assert files["max_penalty"] == "34"
    finally:
        write_text(PARAMETERS + "max_penalty", 20)
