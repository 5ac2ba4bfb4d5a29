"""Arguments: what is accepted comes back as it was, what is refused changes nothing."""
# promise output/arguments

import contextlib
import os
import re
import time

import pytest

from tests.lib.command import CommandError, load_module, read_text, sh, wait_until, write_text
from tests.lib.disks import path_disks
from tests.lib.kernel_log import KernelLog
from tests.lib.multipath import LITTLE, STAMPS, UNMEASURED, Multipath
from tests.lib.options import DEFAULTS, OPTIONS, PARAMETERS
from tests.lib.sysfs import MapFiles

GOOD = [
    [],
    ["window_ms", "50"],
    ["window_ms", "0020"],                      # echoed as it was given
    ["probe_min_ms", "7000", "probe_max_ms", "8000"],
    ["probe_min_ms", "6000"],                   # the other one, not named, gives way
    ["probe_max_ms", "50"],
    ["ewma_shift", "0", "window_ms", "5", "tolerance", "0", "probe_min_ms", "10",
     "probe_max_ms", "10", "accounting", "0"],
    ["ewma_shift", "8", "window_ms", "1000", "tolerance", "100", "probe_min_ms",
     "60000", "probe_max_ms", "600000", "accounting", "1"],
    ["choose", "latency"],
    ["choose", "queue-length"],
    ["tolerance", "5", "choose", "round-robin"],
    ["window_ms", "50", "window_ms", "60"],     # the last one counts
    ["prefer", "8:0", "window_ms", "50", "prefer", "008:1048575"],  # no paths of this map
]


def bad_arguments():
    """(arguments, what the kernel log must say of them)"""
    for key, (least, most, _) in OPTIONS.items():
        told = r"%s: .*from %d to %d" % (key, least, most)
        yield [key, str(most + 1)], told
        yield [key, "-1"], told
        yield [key, "many"], told
        if least:
            yield [key, str(least - 1)], told
    told = r"window_ms: .*from 5 to 1000"
    for value in ("20ms", "0x14", "2.5", "4294967316", "18446744073709551636", "20,"):
        yield ["window_ms", value], told
    for value in ("8", "8:", ":0", "8:0:0", "8-0", "sda", "/dev/sda", "-1:0", "8:0x1", "4096:0",
                  "8:1048576", "4294967304:0", "1234567890:1234567890"):
        yield ["prefer", value], (r"prefer: \"%s\" is not the number of a device, <major>:<minor>"
                                  % re.escape(value))
    for value in ("fastest", "Latency", "latency,", "0", "1", "service-time", "round-robin,"):
        yield ["choose", value], r"choose: \"%s\" is none of latency, queue-length, round-robin" % value
    yield ["prefer"], r"1 arguments.*pairs.*\"prefer\""
    yield ["window"], r"1 arguments.*pairs.*\"window\""
    yield ["window_ms", "20", "tolerance"], r"3 arguments.*pairs.*\"tolerance\""
    yield ["window", "20"], r"unknown argument \"window\"; known are ewma_shift"
    yield ["Window_ms", "20"], r"unknown argument \"Window_ms\""
    yield ["20", "window_ms"], r"unknown argument \"20\""
    yield ["window_ms", "20", "tolerance", "101"], r"tolerance: \"101\""
    yield ["probe_min_ms", "6000", "probe_max_ms", "5000"], r"probe_min_ms: 6000 is more than probe_max_ms.*5000"
    yield ["probe_max_ms", "50", "probe_min_ms", "51"], r"probe_min_ms: 51 is more than probe_max_ms.*50"


def bad_path_arguments():
    told = r"repeat count: \"%s\" is not a number from 0 to 4294967295"
    for value in ("one", "-1", "1.5", "4294967296", "0x"):
        yield [value], told % re.escape(value)
    yield ["1", "2"], r"2 path arguments, the last is \"2\""


BAD, BAD_PATHS = list(bad_arguments()), list(bad_path_arguments())
# dm's own words after ours
PASSED_ON = (r"device-mapper: (multipath|table|ioctl): .*(latency-weighted"
             r"|constructor failed|adding target|-?EINVAL|repeat count|path arguments)")
CONSTRUCTOR = pytest.mark.expect_dm_error(PASSED_ON)
OURS = pytest.mark.expect_dm_error(r"device-mapper: multipath latency-weighted: ")


@pytest.fixture(scope="module")
def paths():
    with path_disks(2) as disks:
        yield disks


def table_with(mapped, arguments, path_arguments=("1",)):
    words = ["0", str(mapped.paths[0].sectors()), "multipath", "0", "0", "1", "1",
             "latency-weighted", str(len(arguments)), *arguments,
             str(len(mapped.paths)), str(len(path_arguments))]
    for path in mapped.paths:
        words += [path.number, *path_arguments]
    return " ".join(words)


@contextlib.contextmanager
def unharmed(mapped):
    """The map's table, state and data are the same afterwards."""
    def look():
        return (mapped.live_table(), sh("dmsetup", "info", "-c", "--noheadings", "-o",
                                        "name,tables_loaded,suspended", mapped.name))
    before = look()
    yield
    assert look() == before
    with open(mapped.path, "rb") as device:
        assert len(device.read(4096)) == 4096


def refused(mapped, line):
    log = KernelLog()
    with unharmed(mapped), pytest.raises(CommandError):
        sh("dmsetup", "load", mapped.name, "--table", line)
    return "\n".join(text for _, text in log.new_records())


def test_there_are_enough_bad_tables():
    assert len(BAD) + len(BAD_PATHS) >= 30
    assert len({tuple(arguments) for arguments, _ in BAD}) == len(BAD)


@OURS
@CONSTRUCTOR
def test_bad_arguments_are_refused(paths):
    """Each names the argument, its value and what would be right."""
    with Multipath(paths, "latency-weighted") as mapped:
        for arguments, told in BAD:
            log = refused(mapped, table_with(mapped, arguments))
            assert re.search(r"latency-weighted: " + told, log), (arguments, log)


@pytest.mark.upstream
@OURS
@CONSTRUCTOR
def test_bad_path_arguments_are_refused(paths):
    with Multipath(paths, "latency-weighted") as mapped:
        for arguments, told in BAD_PATHS:
            log = refused(mapped, table_with(mapped, [], arguments))
            assert re.search(r"latency-weighted: " + told, log), (arguments, log)


@pytest.mark.facts
@OURS
@CONSTRUCTOR
def test_refused_table_of_another_selector_keeps_it(paths):
    with Multipath(paths, "round-robin") as mapped:
        refused(mapped, table_with(mapped, ["window_ms", "0"]))
        assert " round-robin 0 " in mapped.live_table()


@pytest.mark.parametrize("arguments", GOOD, ids=lambda words: " ".join(words) or "none")
def test_good_arguments_come_back(paths, arguments):
    with Multipath(paths, "latency-weighted", selector_args=arguments) as mapped:
        echoed = "latency-weighted %s 2 1 " % " ".join([str(len(arguments)), *arguments])
        assert echoed in mapped.live_table()
        assert mapped.status(paths[0]).usable


@pytest.mark.upstream
@pytest.mark.parametrize("count", [0, 1, 10, 1000, 4294967295])
def test_any_repeat_count_is_shown_as_one(paths, count):
    """multipathd compares it with rr_min_io_rq, whatever it gave."""
    with Multipath(paths, "latency-weighted", repeat_count=count) as mapped:
        for path in paths:
            assert re.search(" %s 1( |$)" % path.number, mapped.live_table())


def test_paths_need_no_argument(paths):
    with Multipath(paths, "latency-weighted") as mapped:
        sh("dmsetup", "load", mapped.name, "--table", table_with(mapped, [], []))
        sh("dmsetup", "resume", mapped.name)
        assert all(mapped.usable(path) for path in paths)


@pytest.mark.upstream
@pytest.mark.facts
def test_status_has_five_numbers_a_path(paths):
    with Multipath(paths, "latency-weighted") as mapped:
        line = sh("dmsetup", "status", mapped.name)
        assert re.search(r" [AE] 0 2 5( [0-9:]+ A 0( \d+){5}){2} *$", line.rstrip("\n")), line


@pytest.mark.facts
@pytest.mark.parametrize("queue_mode", ["rq", "bio"])
def test_status_tells_what_measures(paths, queue_mode):
    """5.10 gives bio-based maps no time stamp; see docs/latency-weighted.rst."""
    unstamped = queue_mode == "bio" and os.uname().release.startswith("5.10.")
    for path in paths:
        path.set(delay_us=5000)
    began = time.monotonic()
    # a long window, since udev reads new maps
    with Multipath(paths, "latency-weighted", queue_mode,
                   selector_args=["window_ms", "1000"]) as mapped:
        def sources():
            return [mapped.learned(path).source for path in paths]
        found = sources()
        too_late = time.monotonic() - began > 1
        assert too_late or found == [UNMEASURED] * 2
        sh("dd", "if=" + mapped.path, "of=/dev/null", "bs=4k", "count=40", "iflag=direct")
        wait_until(lambda: UNMEASURED not in sources(), "a window ended")
        measured = sources()
    for path in paths:
        path.reset()
    assert measured == [LITTLE if unstamped else STAMPS] * 2


def test_parameters_have_their_defaults():
    load_module("dm_latency_weighted")
    for key, default in DEFAULTS.items():
        assert read_text(PARAMETERS + key) == str(default)


def in_range(key, value):
    """By itself; a table refuses limits that cross."""
    return key in OPTIONS and value.isdigit() and OPTIONS[key][0] <= int(value) <= OPTIONS[key][1]


@pytest.mark.upstream
@pytest.mark.facts
def test_limits_that_cross_fail_no_map(paths):
    """Parameters are set one by one: in between no map may be refused."""
    load_module("dm_latency_weighted")
    write_text(PARAMETERS + "probe_min_ms", 6000)
    try:
        with Multipath(paths, "latency-weighted") as mapped:
            assert mapped.usable(paths[0])
    finally:
        write_text(PARAMETERS + "probe_min_ms", 100)


@OURS
def test_bad_parameters_change_nothing():
    load_module("dm_latency_weighted")
    for arguments, _ in BAD:
        key, value = arguments[0], arguments[-1]
        if len(arguments) != 2 or key not in DEFAULTS or in_range(key, value):
            continue
        with pytest.raises(OSError):
            write_text(PARAMETERS + key, value)
        assert read_text(PARAMETERS + key) == str(DEFAULTS[key])


@pytest.mark.facts
def test_parameters_are_the_default_of_new_maps(paths):
    """A window of a second, and a new path is not known before."""
    load_module("dm_latency_weighted")
    write_text(PARAMETERS + "window_ms", 1000)
    began = time.monotonic()
    try:
        with Multipath(paths, "latency-weighted") as mapped:
            sh("dd", "if=" + mapped.path, "of=/dev/null", "bs=4k", "count=8", "iflag=direct")
            learned = [mapped.learned(path).latency_us for path in paths]
            too_late = time.monotonic() - began > 1     # in a kernel that checks itself
            assert MapFiles(mapped)["window_ms"] == "1000"
            assert too_late or learned == [0, 0]
    finally:
        write_text(PARAMETERS + "window_ms", 20)
    assert read_text(PARAMETERS + "window_ms") == "20"
