"""dm-lw record: what is in the file, how large that may be, and what is left when it is killed."""
# promise output/record: A recording is bounded, outlives a kill at any time, and `dm-lw report` shows it like
#   `dm-lw stat`; its page needs no other file | full: `guests-*`

import errno
import json
import os
import shutil
import signal
import socket

import pytest

from dm_lw import kernel_log
from dm_lw.history import recording
from dm_lw.errors import LwError
from dm_lw.sysfs import Sysfs

from tests.lib.command import wait_until

from . import trees
from .conftest import start_tool
from .test_events import RECOVERED, SLOW

TORN = ['{"time":17', '{"begin":1,"run":17', "{", "\0\0\0"]


@pytest.fixture
def file(tmp_path):
    return tmp_path / "recording"


def lines(file):
    return [json.loads(line) for line in file.read_text().splitlines()]


def many_paths(tool, count):
    shutil.rmtree(str(tool.file("dm-10")))
    trees.write(trees.map_text("dm-0", "mpatha", "36001405aaaa", {
        "sd%c" % (97 + path): trees.path_files("8:%d" % (16 * path)) for path in range(count)}), tool.root)


def busy(tool, clock, samples):
    """Between two samples, paths have done more."""
    def become(done):
        for path in "abcd":
            for name in ("starts", "ends", "done", "32k/done"):
                tool.file("dm-0/paths/sd" + path, name).write_text("%d\n" % done)
    clock.later[:] = [lambda done=done: become(done) for done in range(5000, 5000 + samples)]


def test_state_then_changes(tool, file):
    assert tool("record", str(file), "10", "3") == ""
    begin, first, second = lines(file)
    assert begin["begin"] == recording.FORMAT
    assert begin["state"]["maps"]["dm-0"]["paths"]["sdc"]["values"]["state"] == "slow"
    assert begin["state"]["maps"]["dm-0"]["settings"]["window_ms"] == 50
    changed = first["change"]["maps"]["dm-0"]["paths"]
    assert changed["sda"]["values"] == {"starts": 3002, "ends": 3000, "done": 3000, "writes": 600}
    assert changed["sda"]["classes"] == {"32k": {"done": 3000}}
    assert changed["sda"]["operations"] == {"read": {"done": 2400}, "write": {"done": 600}}
    assert "operations" not in begin["state"]["maps"]["dm-0"]["paths"]["sdc"]
    assert second["change"] == {}
    assert [each["time"] - begin["time"] for each in (first, second)] == [10, 20]


def test_what_goes_and_comes(tool, clock, file):
    gone = tool.file("dm-10/paths/sdd")
    kept = tool.root / "kept"
    clock.later[:] = [lambda: gone.rename(kept), lambda: kept.rename(gone),
                      lambda: tool.remove_map("dm-10")]
    tool("record", str(file), "1", "4")
    _, without, again, no_map = lines(file)
    assert without["change"] == {"maps": {"dm-10": {"paths": {"sdd": None}}}}
    assert again["change"]["maps"]["dm-10"]["paths"]["sdd"]["values"]["state"] == "failed"
    assert no_map["change"] == {"maps": {"dm-10": None}}


def test_goes_on_in_the_file(tool, file):
    tool("record", str(file), "1", "2")
    before = file.read_text()
    tool("record", str(file), "1", "2")
    assert file.read_text().startswith(before)
    assert ["begin" in each for each in lines(file)] == [True, False, True, False]


@pytest.mark.parametrize("torn", TORN)
def test_after_a_line_that_was_cut_short(tool, file, torn):
    """It gets an end, and what follows it can be read."""
    tool("record", str(file), "1", "2")
    with open(str(file), "a") as opened:
        opened.write(torn)
    assert tool("report", "-j", str(file)).count("\n") == 2
    tool("record", str(file), "1", "2")
    assert torn + "\n" in file.read_text()
    assert tool("report", "-j", str(file)).count("\n") == 4


@pytest.mark.parametrize("torn", TORN)
def test_after_lines_that_were_cut_short_one_after_the_other(tool, file, torn):
    """As by a full disk, where each restart fails in its first line: the runs around them can be read."""
    tool("record", str(file), "1", "2")
    with open(str(file), "a") as opened:
        opened.write((torn + "\n") * 3)
    assert tool("report", "-j", str(file)).count("\n") == 2
    tool("record", str(file), "1", "2")
    assert tool("report", "-j", str(file)).count("\n") == 4


def test_only_lines_that_were_cut_short(tool, file):
    """After a full file: what that has is shown. Alone: it is told what is wrong."""
    tool("record", str(file), "1", "2")
    file.rename(file.with_name("recording.1"))
    file.write_text('{"begin":1,"run":17\n' * 2)
    assert tool("report", "-j", str(file)).count("\n") == 2
    file.with_name("recording.1").unlink()
    assert "recording is not a dm-lw recording: line 1: " in tool.fails("report", "-j", str(file))


@pytest.mark.parametrize("torn", ["", "{", '{"begin"', '{"begin":', '{"begin":1,"ru'])
def test_a_file_whose_first_line_was_cut_short(tool, file, torn):
    """However short it is, recorders go on in it."""
    file.write_text(torn)
    for runs in (1, 2):
        tool("record", str(file), "1", "1")
        assert tool("report", "-j", str(file)).count("\n") == runs


def test_two_files_are_no_larger_than_allowed(tool, clock, file):
    many_paths(tool, 4)
    busy(tool, clock, 200)
    tool("record", str(file), "1", "200", "--max-size", "64K")
    older = file.with_name("recording.1")
    sizes = [each.stat().st_size for each in (older, file)]
    assert 0 < sizes[1] <= 32 << 10 and 24 << 10 < sizes[0] <= 32 << 10
    reports = [json.loads(line) for line in tool("report", "-j", str(file)).splitlines()]
    # The first sample of the newer file goes on where the older one ended.
    assert [each["interval_s"] for each in reports].count(None) == 1
    assert {each["interval_s"] for each in reports[1:]} == {1.0}
    assert 50 < len(reports) < 200


def test_killed_between_two_files(tool, clock, file):
    tool("record", str(file), "1", "2")
    file.rename(file.with_name("recording.1"))
    assert tool("report", "-j", str(file)).count("\n") == 2
    tool("record", str(file), "1", "2")
    assert tool("report", "-j", str(file)).count("\n") == 4


def test_maps_that_are_too_many_for_the_file(tool, clock, file):
    clock.later.clear()
    many_paths(tool, 26)
    tool("record", str(file), "1", "1", "--max-size", "64K")
    for number in range(8):
        trees.write(trees.map_text("dm-%d" % (20 + number), "m%d" % number, "3600%d" % number, {
            "sd%c" % (97 + path): trees.path_files("8:%d" % (16 * path)) for path in range(26)}), tool.root)
    complaint = tool.fails("record", str(file), "1", "1", "--max-size", "64K", status=2)
    assert "--max-size: a sample of these maps takes" in complaint
    assert tool("report", "-j", str(file)).count("\n") == 1


def test_without_the_module_it_waits(tool, clock, file):
    root, gone = tool.file(), tool.root / "gone"
    root.rename(gone)
    shutil.rmtree(str(tool.root / "block"))
    clock.later[:] = [lambda: None, lambda: gone.rename(root)]
    status, out, err = tool.run("record", str(file), "1", "3")
    assert (status, out) == (0, "")
    assert err.count("\n") == 1 and "recording goes on" in err and "dm-latency-weighted" in err
    begin, still, loaded = lines(file)
    assert begin["state"] == {"loaded": False, "maps": {}} and still["change"] == {}
    assert loaded["change"]["loaded"] is True


@pytest.mark.parametrize("content", ["defaults {\n", "{}\n", '{"time":1}\n'])
def test_other_files_stay_as_they_are(tool, file, content):
    for other in (file, file.with_name("recording.1")):
        other.write_text(content)
        assert "%s is not a recording; wanted is one, or a name that is free" % other in tool.fails(
            "record", str(file), "1", "1")
        assert other.read_text() == content
        other.unlink()


def test_what_is_no_regular_file(tool, tmp_path):
    os.mkfifo(str(tmp_path / "fifo"))
    for name in ("fifo", "."):
        assert "wanted is a regular file" in tool.fails("record", str(tmp_path / name), "1", "1")
    assert "No such file or directory" in tool.fails("record", str(tmp_path / "no/file"), "1", "1")


def test_device_that_is_full(tool, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, os.strerror(28))
    monkeypatch.setattr(os, "write", full)
    assert "recording: No space left on device" in tool.fails("record", str(tmp_path / "recording"), "1", "1")


@pytest.mark.parametrize("words, told", [
    (["x", "1"], "\"x\" is neither an interval"),
    (["0.01"], "an interval of 0.01 s is too short"),
    (["1", "0"], "\"0\" is no COUNT: it must be a whole number, 1 or more"),
    (["--max-size", "1K"], "\"1K\" is not a size from 64K to 1024G"),
    (["--max-size", "2T"], "\"2T\" is not a size"),
    (["--max-size", "-1"], "\"-1\" is not a size"),
    (["--max-size", "9" * 400], "is not a size"),
])
def test_wrong_words(tool, file, words, told):
    assert told in tool.fails("record", str(file), *words, status=2)
    assert not file.exists()


@pytest.fixture
def recorder(sys_tree, file, monkeypatch):
    """dm-lw record in a process of its own, its first sample being in the file."""
    monkeypatch.undo()                  # of a clock that stands still
    with start_tool(sys_tree, "record", str(file), "0.1") as process:
        try:
            wait_until(lambda: process.poll() is not None or file.exists() and b"\n" in file.read_bytes(),
                       "a sample is in the file", timeout=60)
            assert process.poll() is None, process.stderr.read()
            yield process
        finally:
            process.kill()


def test_only_one_writes(recorder, tool, file):
    assert "another dm-lw record writes to %s" % file in tool.fails("record", str(file), "0.1", "1")
    assert "mpatha" in tool("report", str(file))        # reading is allowed meanwhile
    recorder.kill()
    recorder.wait(timeout=60)
    tool("record", str(file), "0.1", "1")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_ended_by_a_signal(recorder, tool, file, number):
    recorder.send_signal(number)
    _, said = recorder.communicate(timeout=60)
    assert said == b""
    assert "mpatha" in tool("report", str(file))


def record(text):
    """As /dev/kmsg gives it, a record each read."""
    return ("4,7,%d,-;%s\n" % ((trees.NOON + 6) * 1000000, text)).encode()


@pytest.fixture
def kmsg(tmp_path, monkeypatch):
    """What is sent is what the kernel says; the tree is the host's own."""
    ours, kernels = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.setblocking(False)
    monkeypatch.setattr(kernel_log, "from_now_on", ours.fileno)
    monkeypatch.setattr(Sysfs, "is_copy", False)
    with ours, kernels:
        yield kernels


def test_events_of_the_kernel_log(tool, clock, file, kmsg):
    """In the sample after them; on the page, from when on the path was slow."""
    kmsg.send(record(RECOVERED))
    clock.later[:] = [lambda: kmsg.send(record(SLOW)), lambda: kmsg.send(record("usb 1-1: new device"))]
    tool("record", str(file), "10", "3")
    begin, first, second = lines(file)
    assert [each["event"] for each in begin["events"]] == ["recovered"]
    assert [(each["map"], each["path"], each["was_us"], each["is_us"]) for each in first["events"]] == [
        ("mpatha", "sdc", 512, 30871)]
    assert "events" not in second
    page = tool("report", str(file), "--html", "-")
    assert "<td>2025-11-21 13:00:00<td>mpatha<td>sdc<td>became slow: was 512 us, is 31 ms" in page
    assert "<title>2025-11-21 13:00:00 sdc: became slow" in page
    assert "recovered: was 31 ms, is 514 us" in page
    assert "became slow" not in tool("report", "--html", "-", str(file), "mpathb")


def test_kernel_log_that_may_not_be_read(tool, file, monkeypatch):
    def refused():
        raise LwError("/dev/kmsg: only root may do this")
    monkeypatch.setattr(kernel_log, "open_kmsg", refused)
    monkeypatch.setattr(Sysfs, "is_copy", False)
    status, _, err = tool.run("record", str(file), "1", "2")
    assert (status, err) == (0, "dm-lw: what the kernel log says of slow paths is not recorded: /dev/kmsg: only root"
                                " may do this\n")
    assert len(lines(file)) == 2


def test_merge_patches():
    """The examples of RFC 7396 that objects without null can show, and back."""
    for old, new in (({"a": "b"}, {"a": "c"}), ({"a": "b"}, {"a": "b", "b": "c"}), ({"a": "b"}, {}),
                     ({"a": {"b": "c"}}, {"a": {"b": "d"}}), ({"a": {"b": "c", "d": 1}}, {"a": {"d": 1}}),
                     ({"a": 1}, {"a": {"b": 2}}), ({"a": {"b": 2}}, {"a": 1}), ({"a": {}}, {}), ({}, {"a": {}})):
        assert recording.merged(old, recording.patch(old, new)) == new
    assert recording.patch({"a": {"b": 1, "c": 2}, "d": 3}, {"a": {"b": 1, "c": 4}}) == {"a": {"c": 4}, "d": None}


def test_counter_below_zero(tool, clock, file):
    """As a disk's may be for a moment; what is written can be read."""
    stat = tool.root / "dev/block/8:0/stat"
    stat.parent.mkdir(parents=True, exist_ok=True)
    stat.write_text("1 2 18446744073709551615 4 5 6 7 8 9 10 11\n")
    tool("record", str(file), "1", "2")
    assert '"read_bytes":%d' % (512 * (2 ** 64 - 1)) in file.read_text()
    assert tool("report", "-j", str(file)).count("\n") == 2


def test_link_to_a_recording(tool, clock, file, tmp_path):
    """Both halves are where it leads."""
    many_paths(tool, 4)
    busy(tool, clock, 200)
    link = tmp_path / "link"
    link.symlink_to(file)
    tool("record", str(link), "1", "200", "--max-size", "64K")
    assert file.with_name("recording.1").exists() and tool("report", "-j", str(link)) == tool("report", "-j", str(file))


@pytest.mark.parametrize("away", [lambda file: file.unlink(), lambda file: file.rename(file.with_name("saved")),
                                  lambda file: (file.unlink(), file.write_text(""))])
def test_file_that_somebody_takes_away(tool, clock, file, away):
    clock.later[:] = [lambda: None, lambda: away(file)]
    assert "recording was removed or renamed while dm-lw record wrote to it" in tool.fails("record", str(file), "1", "5")


def test_disk_that_is_full_after_a_line_that_was_cut_short(tool, file, monkeypatch):
    tool("record", str(file), "1", "1")
    file.write_text(file.read_text()[:-5])

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    monkeypatch.setattr(os, "write", full)
    assert "recording: No space left on device" in tool.fails("record", str(file), "1", "1")
