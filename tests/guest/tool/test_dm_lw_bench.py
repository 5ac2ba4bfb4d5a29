"""dm-lw bench on live maps: it measures, and whatever ends it, the map has its table again."""
# promise output/dm-lw-bench

import json
import os
import signal

import pytest

from tests.guest.lib.linear import linear
from tests.guest.lib.parametrized import in_full
from tests.lib.command import read_text, sh, wait_until, write_text
from tests.lib.disks import Device, path_disks
from tests.lib.dm_lw import dm_lw, end, start
from tests.lib.lio import loop_paths, ram_disk
from tests.lib.multipath import Multipath
from tests.lib.multipathd import running
from tests.lib.scenario import SELECTOR

pytestmark = [pytest.mark.time_limit(240), pytest.mark.programs, pytest.mark.observe]

SHORT = ("--job", "randread-1", "--runtime", "0.2", "--repeat", "1", "--quiet")
# Turn after turn, until it is stopped.
ENDLESS = ("--job", "randread-1", "--runtime", "0.5", "--repeat", "1000", "--limit", "100000",
           "--selectors", "round-robin", "--quiet")
FIELDS = {"scenario", "transport", "selector", "kernel", "iops", "mib_s", "mean_us", "p50_us",
          "p99_us", "p999_us", "shares", "cpu"}


@pytest.fixture(scope="module")
def paths():
    """Two disks that count what they are told to read and write."""
    with path_disks(2) as disks:
        for disk in disks:      # without a delay, fio would keep an emulated CPU busy all the time
            disk.set(delay_us=5000)
        yield disks


@pytest.fixture
def mapped(paths):
    with Multipath(paths, "service-time", queue_mode="bio") as made:
        yield made


@pytest.fixture
def before(mapped):
    return mapped.live_table()


def begun(name):
    """bench, while another selector than the map's own is at work."""
    process = start("bench", name, *ENDLESS)
    wait_until(lambda: "round-robin" in sh("dmsetup", "table", name) or process.poll() is not None,
               "the other selector's turn", timeout=120)
    assert process.poll() is None, end(process)
    return process


def refused(mapped, *options):
    """The reason; nothing was touched."""
    before = mapped.live_table()
    told = dm_lw("bench", mapped.name, *(options or SHORT)).complaint()
    assert mapped.live_table() == before
    return told


def test_measures_reads_only_and_gives_back(mapped, before):
    written = [path.get("writes") for path in mapped.paths]
    told = dm_lw("bench", mapped.name, *SHORT, "--selectors", SELECTOR, "--json").success()
    document = json.loads(told)
    assert [row["selector"] for row in document["results"]] == ["service-time", SELECTOR]
    for row in document["results"]:
        assert FIELDS <= set(row)
        assert row["iops"] > 0 and 0 < row["p50_us"] <= row["p999_us"]
        assert abs(sum(row["shares"]) - 1) < 1e-6
    assert document["paths"] == [path.name for path in mapped.paths]
    assert mapped.live_table() == before
    assert [path.get("writes") for path in mapped.paths] == written


def interrupt(name, number):
    """bench, in the middle."""
    process = begun(name)
    process.send_signal(number)
    assert "interrupted by %s" % number.name in end(process).complaint(128 + number)


@in_full
def test_interrupted(mapped, before):
    interrupt(mapped.name, signal.SIGINT)
    assert mapped.live_table() == before


def test_killed(paths):
    """The table comes back, and what was set, which went with the last latency-weighted."""
    with Multipath(paths, SELECTOR, queue_mode="bio") as mapped:
        before, tuned = mapped.live_table(), tune(mapped)
        process = begun(mapped.name)
        process.kill()
        process.communicate()
        wait_until(lambda: not runs("dm-lw"), "the guardian is gone", timeout=60)
        assert mapped.live_table() == before
        assert {file: read_text(file) for file in tuned} == tuned
        wait_until(lambda: not runs("fio"), "fio is gone", timeout=60)


def runs(name):
    """As /proc tells it."""
    def is_it(number):
        try:
            return read_text("/proc/%s/comm" % number) == name
        except (FileNotFoundError, ProcessLookupError):
            return False

    return any(is_it(number) for number in os.listdir("/proc") if number.isdigit())


def tune(mapped):
    """Set some things; the files and what they say."""
    directory = "/sys/kernel/dm-latency-weighted/" + os.path.basename(mapped.path)
    tuned = {directory + "/window_ms": "50", directory + "/probe_max_ms": "9000",
             directory + "/probe_min_ms": "7000",
             "%s/paths/%s/prefer" % (directory, mapped.paths[1].name): "1"}
    for file, value in tuned.items():
        write_text(file, value)
    return tuned


@in_full
@pytest.mark.expect_dm_error("Failing path")
def test_refused(mapped):
    with open(mapped.path, "rb"):
        assert "somebody has it open" in refused(mapped)
    with linear(Device(os.path.basename(mapped.path)), "ontop"):
        assert "held by ontop" in refused(mapped)
    mapped.fail_path(mapped.paths[1])
    assert "failed: %s" % mapped.paths[1].name in refused(mapped)


@in_full
def test_writes_only_where_nothing_is_lost(mapped, before, tmp_path):
    write = ("--job", "randwrite-32", "--selectors", "round-robin", *SHORT[2:])
    assert "--write-destroys-data" in dm_lw("bench", mapped.name, *write).complaint(2)
    sh("mkfs.ext4", "-q", mapped.path)
    sh("mount", mapped.path, tmp_path)
    try:
        assert "mounted on %s" % tmp_path in refused(mapped)
    finally:
        sh("umount", tmp_path)
    assert "ext4" in refused(mapped, *write, "--write-destroys-data")
    sh("wipefs", "--all", mapped.path)
    written = [path.get("writes") for path in mapped.paths]
    dm_lw("bench", mapped.name, *write, "--write-destroys-data").success()
    assert all(path.get("writes") > count for path, count in zip(mapped.paths, written))
    assert mapped.live_table() == before


@in_full
def test_beside_multipathd():
    """It lets the map be; what it loads when told to reconfigure stays."""
    with ram_disk() as disk, loop_paths(disk) as paths, running(selector=None) as daemon:
        name = daemon.wait_for_map(paths)
        before = sh("dmsetup", "table", name)
        interrupt(name, signal.SIGTERM)
        assert sh("dmsetup", "table", name) == before
        assert daemon.reloads() == 0
        assert os.path.exists("/dev/mapper/" + name)

        process = begun(name)
        daemon.reconfigure()
        assert "somebody else has loaded another table" in end(process).complaint()
        assert sh("dmsetup", "table", name) == before
