"""The tool dm-lw on a live kernel: what it says is so, and what it sets is set."""
# promise output/garbage

import fcntl
import json
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time

import pytest

from tests.guest.lib.parametrized import in_full
from tests.lib import debugfs
from tests.lib import dm_lw as tool
from tests.lib.command import is_loaded, read_text, unload_module, wait_until
from tests.lib.debugfs import MapFiles
from tests.lib.disks import path_disks
from tests.lib.multipath import Multipath
from tests.lib.scenario import SELECTOR, SELECTOR_MODULE, Load

pytestmark = pytest.mark.observe
# Where a path's latency is asserted; the others only run programs, in another guest.
virtual_time = pytest.mark.virtual_time
programs = pytest.mark.programs

ROOT = "/sys/kernel/dm-latency-weighted"
FAST_US, SLOW_US = 5000, 31000
NEARLY = 0.97                   # an average comes near to the truth from below


def dm_lw(*words, **options):
    """What it prints; it must succeed without complaint."""
    return tool.dm_lw(*words, **options).success()


def complaint(*words, status=1, **options):
    """The one line in which it complains; it prints nothing else."""
    run = tool.dm_lw(*words, **options)
    assert run.out == "", run
    return run.complaint(status)


@pytest.fixture
def steered():
    """A map of two paths under load, of which the second became slow: (map, load, since)."""
    with path_disks(2) as (fast, slow):
        for path in (fast, slow):
            path.set(delay_us=FAST_US)
        with Multipath([fast, slow], SELECTOR) as mapped, Load(mapped, iodepth=4) as load:
            load.begin()
            load.watch(1)
            since = time.time()
            slow.set(delay_us=SLOW_US)
            wait_until(lambda: value(mapped, slow, "state") == "probing", "it is avoided")
            yield mapped, load, since


@pytest.fixture
def measured(steered):
    """The same when what is known of the slow path is true."""
    mapped, _, _ = steered
    for name in ("latency_us", "32k/latency_us"):       # which averages other samples
        wait_until(lambda: float(value(mapped, mapped.paths[1], name)) > NEARLY * SLOW_US, "it is measured")
    return steered


def directory(mapped):
    return "%s/%s" % (ROOT, os.path.basename(mapped.path))


def value(mapped, path, name):
    return read_text("%s/paths/%s/%s" % (directory(mapped), path.name, name))


def is_slow(microseconds):
    return NEARLY * SLOW_US < float(microseconds) < 1.2 * SLOW_US


def rows(out):
    """The rows of the last report, by path: values by header."""
    header, *lines = [line.split() for line in out.split("\n\n")[-1].splitlines()]
    return {line[header.index("path")]: dict(zip(header, line)) for line in lines}


@virtual_time
def test_stat(measured):
    """The last interval, against what the disks counted and how slow they were told to be."""
    mapped, load, _ = measured
    fast, slow = mapped.paths
    before, start = load.used(mapped.paths), time.monotonic()
    found = rows(dm_lw("stat", 1, 3))
    rate = (load.used(mapped.paths)[fast] - before[fast]) / (time.monotonic() - start)

    assert [found[path.name]["state"] for path in (fast, slow)] == ["active", "slow"]
    assert {row["map"] for row in found.values()} == {mapped.name}
    assert {row["dm"] for row in found.values()} == {os.path.basename(mapped.path)}
    # Each step of an average is cut off, so it may be a microsecond lower.
    assert 0.999 * FAST_US / 1e3 <= float(found[fast.name]["lat-ms"]) < 1.2 * FAST_US / 1e3
    assert is_slow(1e3 * float(found[slow.name]["lat-ms"]))
    assert FAST_US / 1e3 < float(found[slow.name]["base-ms"]) < 1.2 * SLOW_US / 1e3
    assert 0.8 * rate < float(found[fast.name]["io/s"]) < 1.25 * rate
    assert float(found[fast.name]["share%"]) > 97
    assert abs(sum(float(row["share%"]) for row in found.values()) - 100) < 0.02

    # without an interval: rates since the paths became known
    assert 0 < float(rows(dm_lw("stat"))[fast.name]["io/s"]) < 5 * 1e6 / FAST_US
    for name in (mapped.name, os.path.basename(mapped.path), mapped.path):
        assert mapped.name in dm_lw("stat", "-o", "map", name)


@virtual_time
def test_order_and_filters(measured):
    """The slow path comes first, by the mean as by a percentile; both states can be asked for."""
    mapped, _, _ = measured
    fast, slow = (path.name for path in mapped.paths)
    debugfs.mount()
    dm_lw("set", mapped.name, "histogram=1")
    out = dm_lw("stat", "-yz", "--sort", "p99", "-o", "path,p99", 2, 1)
    (_, (first, first_p99), (second, second_p99)) = [line.split() for line in out.splitlines()]
    assert (first, second) == (slow, fast)
    assert is_slow(1e3 * float(first_p99)) and float(second_p99) < 1.3 * FAST_US / 1e3
    assert dm_lw("stat", "--sort", "latency", "-r", "-o", "path").split() == ["path", fast, slow]
    assert dm_lw("stat", "--state", "slow", "-o", "path").split() == ["path", slow]
    assert dm_lw("stat", "--state", "new,failed", "-o", "path").split() == ["path"]


@in_full
@virtual_time
def test_classes_and_documents(measured, tmp_path):
    """By class, as JSON and as metrics: the slow path is slow everywhere."""
    mapped, _, since = measured
    check_classes(mapped, mapped.paths[1])
    check_json(mapped, mapped.paths[1], since)
    check_prometheus(mapped, mapped.paths[1], tmp_path)


def check_classes(mapped, slow):
    lines = dm_lw("stat", "-c", "-o", "path,class,latency", mapped.name).splitlines()
    latencies = {tuple(line.split()[:2]): float(line.split()[2]) for line in lines[1:]}
    assert is_slow(1e3 * latencies[slow.name, "32k"])


def check_json(mapped, slow, since):
    documents = [json.loads(line) for line in dm_lw("stat", "-j", 1, 2).splitlines()]
    assert [document["version"] for document in documents] == [3, 3]
    (found,) = documents[1]["maps"]
    assert found["map"] == mapped.name
    assert found["settings"]["window_ms"] == 20
    path = found["paths"][1]
    assert path["device"] == slow.number
    assert path["state"] == "slow"
    assert since - 0.1 <= path["state_since"] <= documents[0]["time"]
    assert path["classes"]["32k"]["done"] > 0


def check_prometheus(mapped, slow, tmp_path):
    file = tmp_path / "dm_lw.prom"
    assert dm_lw("stat", "--prometheus", file, "--prometheus-all") == ""
    labels = 'device="%s",path="%s"' % (mapped.name, slow.name)
    values = dict(line.rsplit(" ", 1) for line in file.read_text().splitlines()
                  if not line.startswith("#"))
    assert values['dm_lw_path_state{%s,state="slow"}' % labels] == values["dm_lw_path_slow{%s}" % labels] == "1"
    assert is_slow(1e6 * float(values['dm_lw_class_latency_seconds{%s,class="32k"}' % labels]))
    assert float(values["dm_lw_path_read_bytes_total{%s}" % labels]) >= 4096
    assert os.listdir(str(tmp_path)) == ["dm_lw.prom"]


@virtual_time
def test_show(measured):
    mapped, _, _ = measured
    out = dm_lw("show", mapped.name, "-i", 2)
    fast, slow = (path.name for path in mapped.paths)
    assert re.match(r"%s \(dm-\d+\): 2 paths \(1 active, 1 slow\)\n" % mapped.name, out)
    assert re.search(r"^%s: 5(\.\d)? ms; gets (9\d(\.\d)?|100) %% of I/O, \d+ a second" % fast,
                     out, re.M), out
    assert re.search(r"^%s: SLOW since [0-9: -]+: 3[0-6] ms( \([0-9.]+ ms without queueing\))?, the other 5(\.\d)? ms;"
                     r" gets [0-9a-z .]+ %% of I/O$" % slow, out, re.M), out


@virtual_time
def test_set(steered):
    mapped, load, _ = steered
    out = dm_lw("set", mapped.name, "window_ms=50", "probe_max_ms=60", "probe_min_ms=50")
    assert "%s: window_ms 20 -> 50\n" % mapped.name in out
    assert [read_text("%s/%s" % (directory(mapped), name))
            for name in ("window_ms", "probe_min_ms", "probe_max_ms")] == ["50", "50", "60"]
    # each order that keeps the limits from crossing, the other way round, too
    dm_lw("set", mapped.name, "probe_min_ms=100", "probe_max_ms=5000")
    assert "window_ms 50 (default 20)" in dm_lw("show", mapped.name, "-i", 0.2)
    load.check()


def times_as_slow(one, other):
    found = rows(dm_lw("stat"))
    return float(found[one.name]["lat-ms"]) / float(found[other.name]["lat-ms"])


@in_full
@virtual_time
def test_set_on_a_path(measured):
    """Preferred, 31 ms against 5 ms is too far away still; a tenth more is not."""
    mapped, load, _ = measured
    fast, slow = mapped.paths
    slow.set(delay_us=7000)
    wait_until(lambda: times_as_slow(slow, fast) < 1.1 * 7000 / FAST_US, "it has healed")
    dm_lw("set", "%s/%s" % (mapped.name, slow.name), "prefer=1")
    time.sleep(0.5)
    assert float(rows(dm_lw("stat", 1, 2))[slow.name]["share%"]) > 90
    dm_lw("set", "%s/%s" % (mapped.name, slow.name), "prefer=0")
    time.sleep(0.5)
    assert float(rows(dm_lw("stat", 1, 2))[slow.name]["share%"]) < 10


@programs
def test_map_of_another_selector():
    with path_disks(1) as paths, Multipath(paths, "round-robin", name="other"), \
            Multipath(paths, SELECTOR, name="ours"):
        assert "other is no map of latency-weighted" in complaint("show", "other")


@programs
def test_what_is_refused():
    """Bad values, unknown maps, and changes by somebody who is not root: nothing happens."""
    with path_disks(2) as paths, Multipath(paths, SELECTOR) as mapped:
        before = settings(mapped)
        for words in (["tolerance=5", "window_ms=1"], ["max_penalty=0"], ["probe_min_ms=9999"],
                      ["speed=1"], ["prefer=1"], ["window_ms=x"]):
            complaint("set", mapped.name, *words)
        for command in (["stat"], ["show"], ["reset"], ["stat", "-j"]):
            assert "no map is called nosuch; there are: %s" % mapped.name in complaint(
                *command, "nosuch")

        assert mapped.name in dm_lw("stat", prefix=tool.NOBODY)
        assert mapped.name in dm_lw("show", "-i", 0.2, prefix=tool.NOBODY)
        assert "Permission denied; nothing was changed" in complaint(
            "set", mapped.name, "window_ms=50", prefix=tool.NOBODY)
        for words in (["reset"], ["latency", mapped.name], ["stat", "--sort", "p99"]):
            assert "only root may do this" in complaint(*words, prefix=tool.NOBODY)
        assert settings(mapped) == before


def settings(mapped):
    return {name: read_text("%s/%s" % (directory(mapped), name)) for name in (
        "window_ms", "tolerance", "max_penalty", "probe_min_ms", "probe_max_ms")}


@in_full
@virtual_time
def test_reset(measured):
    """Counts of debugfs begin anew, those of sysfs go on."""
    mapped, _, _ = measured
    fast = mapped.paths[0]

    def in_debugfs():
        return sum(row["done"] for (path, _), row in MapFiles(mapped).classes().items()
                   if path == fast.name)

    before, kept = in_debugfs(), int(value(mapped, fast, "done"))
    assert dm_lw("reset", mapped.name) == ""
    assert in_debugfs() < before
    assert int(value(mapped, fast, "done")) >= kept


@programs
def test_no_map():
    with path_disks(1) as paths, Multipath(paths, SELECTOR):
        pass                            # loads the module
    for command in (["stat"], ["show"], ["reset"]):
        assert "no map uses latency-weighted" in complaint(*command)
    assert json.loads(dm_lw("stat", "-j"))["maps"] == []


@programs
def test_no_module():
    if is_loaded(SELECTOR_MODULE):
        unload_module(SELECTOR_MODULE)
    for command in (["stat"], ["stat", "-j"], ["show"], ["latency", "a"], ["reset"],
                    ["set", "a", "window_ms=20"]):
        assert "the module dm-latency-weighted is not loaded" in complaint(*command, status=3)


@programs
@pytest.mark.time_limit(300)
def test_maps_that_come_and_go():
    """It reads all the time while maps are made and removed: no error is told."""
    with path_disks(2) as paths, Multipath(paths, SELECTOR, name="stays") as mapped:
        for options in (["-j"], ["-c"]):
            with subprocess.Popen([tool.TOOL, "stat", *options, "0.1"],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE) as reader:
                os.set_blocking(reader.stdout.fileno(), False)
                for _ in range(4):
                    with Multipath(paths, SELECTOR, name="goes"):
                        mapped.reload()
                        time.sleep(0.05)
                    reader.stdout.read()        # or it would wait for us
                assert reader.poll() is None, reader.stderr.read()
                reader.terminate()
                assert reader.stderr.read() == b""


@in_full
@virtual_time
def test_watch(steered):
    """On a terminal of its own: both paths with sparklines; q ends it."""
    mapped, _, _ = steered
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 130, 0, 0))
    environment = dict(os.environ, TERM="xterm", LC_ALL="C.UTF-8")
    screen = subprocess.Popen([tool.TOOL, "stat", "--watch", "0.2"], stdin=slave,
                              stdout=slave, stderr=slave, env=environment)
    os.close(slave)
    output = ""

    def seen():
        nonlocal output
        while select.select([master], [], [], 0)[0]:
            try:
                output += os.read(master, 65536).decode(errors="replace")
            except OSError:             # nobody has the other end any more
                break
        return all(path.name in output for path in mapped.paths) and "█" in output

    try:
        wait_until(seen, "both paths are on the screen", timeout=30)
        os.write(master, b"s")
        wait_until(lambda: [seen(), "latency" in output][1], "it sorts by latency", timeout=30)
        os.write(master, b"q")
        wait_until(lambda: [seen(), screen.poll() is not None][1], "it ended", timeout=30)
        assert screen.returncode == 0
    finally:
        screen.kill()
        screen.wait()
        os.close(master)
