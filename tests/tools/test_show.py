"""dm-lw show: sentences."""
import pytest

from dm_lw import words
from dm_lw.columns import clock_time
from dm_lw.words import duration, often, percent

NOON = 1763730000


def test_all_maps(tool, golden):
    golden("show.txt", tool("show"))


def test_the_sentence_of_the_issue(tool):
    lines = tool("show", "mpatha", "-i", "2").splitlines()
    assert ("sdc: SLOW since 12:03:11: 31 ms, the other 1.2 ms; gets 0.5 % of I/O"
            in lines)


@pytest.mark.parametrize("block_cost, ios", [(0, 20), (250, 16), (1000, 10), (None, 20)])
def test_knee_in_ios_of_4k(block_cost, ios):
    line = words.knee_line({"knee": 20, "block_cost": block_cost, "state": "active"})
    assert line == "queues with more than about %d I/Os of 4 KiB in flight" % ios


def test_operations_that_are_told_apart(tool):
    """Flushes alone, which always are, have their line among the sizes."""
    assert "    reads, unqueued   1 ms     1600.0 I/Os a second\n" in tool("show", "mpatha", "-i", "1")
    for name in ("read", "write"):
        tool.file("dm-0/paths/sda", name, "done").write_text("0\n")
    assert "unqueued" not in tool("show", "mpatha")


def test_one_map(tool):
    out = tool("show", "/dev/mapper/mpathb")
    assert out.startswith("mpathb (dm-10, 36001405bbbb): 2 paths (1 active, 1 failed)\n")
    assert "mpatha" not in out


def test_setting_that_is_not_the_default(tool):
    assert "window_ms 50 (default 20)" in tool("show", "mpatha")
    assert tool("show", "mpathb").endswith("\nsettings: the defaults\n")
    assert "tolerance" not in tool("show")


def test_map_that_is_only_observed(tool, clock):
    """A slow path gets what the rule gives it, and not only probes."""
    (more,) = clock.later
    clock.later[:] = [lambda: (more(), tool.file("dm-0/choose").write_text("round-robin\n"))]
    lines = tool("show", "mpatha", "-i", "2").splitlines()
    assert lines[1] == "observes only: I/O goes by round-robin, as choose=round-robin says"
    assert any(line.startswith("sdc: SLOW since") and "gets" in line and "probes" not in line for line in lines)
    assert "choose round-robin" in lines[-1]
    tool.file("dm-0/choose").unlink()           # a module without it
    assert "observes" not in tool("show", "mpatha")


def test_map_that_goes_meanwhile(tool, clock):
    clock.later[:] = [lambda: tool.file("dm-0").rename(tool.root / "gone")]
    assert "gone while this looked: mpatha" in tool.fails("show", "mpatha")


@pytest.mark.parametrize("interval", ["0", "-1", "nan", "inf"])
def test_impossible_interval(tool, interval):
    tool.fails("show", "--interval=" + interval, status=2)


@pytest.mark.parametrize("microseconds, text", [
    (1, "1 us"), (85, "85 us"), (994, "994 us"), (1200, "1.2 ms"), (1000, "1 ms"),
    (31040, "31 ms"), (999_600, "1 s"), (2_500_000, "2.5 s"), (9_960_000, "10 s"),
    (3_600_000_000, "3600 s")])
def test_duration(microseconds, text):
    assert duration(microseconds) == text


@pytest.mark.parametrize("rate, text", [
    (None, None), (0, None), (0.2, "every 5 s"), (1, "once a second"), (2.2, "twice a second"),
    (4.7, "5 times a second")])
def test_often(rate, text):
    assert often(rate) == text


@pytest.mark.parametrize("share, text", [
    (0, "0 %"), (0.04, "less than 0.1 %"), (0.4, "0.4 %"), (48.73, "48.7 %"), (100, "100 %"),
    (None, "an unknown part")])
def test_percent(share, text):
    assert percent(share) == text


def row(**values):
    return dict(dict(
        path="sda", state="active", state_since=NOON - 60, latency_source="stamps", prefer=0,
        latency_us=1200, base_latency_us=1200, share_percent=50.0, ios_per_s=100.0,
        probes_per_s=0.0, inflight=4, failures=0), **values)


@pytest.mark.parametrize("values, sentence", [
    ({}, "sda: 1.2 ms; gets 50 % of I/O, 100 a second, 4 in flight"),
    ({"base_latency_us": None}, "sda: 1.2 ms; gets 50 % of I/O, 100 a second, 4 in flight"),
    ({"latency_us": 3000, "inflight": 0},
     "sda: 3 ms (1.2 ms without queueing); gets 50 % of I/O, 100 a second"),
    ({"outlier_latency_us": 100}, "sda: 1.2 ms; gets 50 % of I/O, 100 a second, 4 in flight"),
    ({"state": "slow", "outlier_latency_us": 600, "share_percent": 0.4, "probes_per_s": 1.0},
     "sda: SLOW since 12:59:00: 1.2 ms (rare slow I/Os add 600 us), the others 900 us to 1.5 ms; gets 0.4 % of I/O"),
    ({"latency_us": 3000, "outlier_latency_us": 600, "inflight": 0},
     "sda: 3 ms (1.2 ms without queueing, rare slow I/Os add 600 us); gets 50 % of I/O, 100 a second"),
    ({"prefer": 1, "ios_per_s": 0.0, "inflight": 0},
     "sda: 1.2 ms; gets 50 % of I/O; preferred: its latency counts as half"),
    ({"latency_source": "counts", "ios_per_s": None, "inflight": 0},
     "sda: 1.2 ms; gets 50 % of I/O; measured by counting alone, as its requests have no time"
     " stamps"),
    ({"state": "new", "latency_us": None, "latency_source": "none", "share_percent": 0.0, "inflight": 0},
     "sda: not measured yet; gets 0 % of I/O"),
    ({"state": "stalled", "latency_us": 8000000, "share_percent": 0.0, "ios_per_s": 0.0, "inflight": 3},
     "sda: STALLED since 12:59:00: nothing done for 8 s; gets a rare single I/O until one is done, 3 in flight"),
    ({"state": "ramping", "latency_us": None, "share_percent": 0.0, "inflight": 0},
     "sda: not measured yet, back since 12:59:00; gets 0 % of I/O"),
    ({"state": "ramping", "share_percent": 0.2, "probes_per_s": 1.0},
     "sda: back since 12:59:00, and not measured since; 1.2 ms before it failed; gets 0.2 % of I/O"),
    ({"state": "failed", "failures": 3},
     "sda: FAILED since 12:59:00, waits to be reinstated; failed 3 times so far"),
    ({"state": "failed", "state_since": None}, "sda: FAILED, waits to be reinstated"),
])
def test_sentences(clock, values, sentence):
    assert words.path_sentence(row(**values), [1500, 900]) == sentence


@pytest.mark.parametrize("probes, told", [(1.0, "gets probes only, once a second"), (0.0, "gets probes only")])
def test_no_share_contradicts_the_state(clock, probes, told):
    """The map does next to nothing, or the path was used in a part of the second."""
    slow = row(path="sde", state="slow", latency_us=40000, base_latency_us=40000, share_percent=57.1, probes_per_s=probes)
    assert words.path_sentence(slow, [1500]) == "sde: SLOW since 12:59:00: 40 ms, the other 1.5 ms; " + told


def test_what_a_path_is_compared_with(clock):
    """Those that are used and measured; where there is none, with nothing."""
    assert words.compared([]) == "" and words.compared([1510, 1490]) == ", the others 1.5 ms"


def test_where_a_path_leads(tool):
    """What the storage's administrators ask for."""
    device = tool.root / "devices/pci0/host2/session1/target2:0:0/2:0:0:1"
    device.joinpath("scsi_device/2:0:0:1").mkdir(parents=True)
    disk = tool.root / "dev/block/8:32"
    disk.mkdir(parents=True)
    disk.joinpath("device").symlink_to(device)
    for name, text in (("persistent_address", "10.77.2.2"), ("persistent_port", "3260")):
        file = tool.root / "class/iscsi_connection/connection1:0" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text + "\n")
    assert "\nsdc (2:0:0:1, 10.77.2.2:3260): SLOW since 12:03:11: 31 ms, the other 1.2 ms; gets " in tool("show", "mpatha")


def test_another_day_has_its_date(clock):
    assert " since 2025-11-19 13:00:00, " in words.path_sentence(
        row(state="failed", state_since=NOON - 2 * 86400))


def test_time_that_no_clock_has():
    """From a copy of another host's files, or from what only looks like one."""
    for seconds in (99999999999999999999, -99999999999999999999, float("1e300")):
        assert clock_time(seconds) == "?"
