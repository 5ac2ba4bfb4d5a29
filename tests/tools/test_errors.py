"""Whatever is wrong: one clear line, an exit status, never a traceback."""
# promise output/garbage

import builtins
import errno
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest

from dm_lw.sysfs import Sysfs, by_number

from .conftest import TOOLS, start_tool

COMMANDS = (["stat"], ["stat", "-j"], ["stat", "-c"], ["stat", "--prometheus"], ["show"],
            ["stat", "-z", "--sort", "p99"], ["latency", "mpatha"], ["latency", "-j", "mpatha", "1", "2"],
            ["set", "mpatha", "window_ms=20"], ["reset"])
EVERY_COMMAND = pytest.mark.parametrize("words", COMMANDS, ids=" ".join)


def run(*words, **options):
    return subprocess.run([sys.executable, str(TOOLS / "dm-lw"), *words], text=True, timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


@EVERY_COMMAND
def test_no_module(tool, words):
    shutil.rmtree(tool.root)
    (tool.root / "kernel").mkdir(parents=True)
    told = "%s has no kernel/dm-latency-weighted" % tool.root
    if "--prometheus" in words:
        status, out, err = tool.run(*words)
        assert (status, out.splitlines()[-1]) == (3, "dm_lw_module_loaded 0")
        assert told in err
    else:
        assert told in tool.fails(*words, status=3)


def test_no_module_here(tool, sys_tree, monkeypatch):
    """Only of this host's /sys it is said how to load it."""
    for name in (tool.file(), tool.root / "block"):
        shutil.rmtree(str(name))
    monkeypatch.setattr("dm_lw.sysfs.REAL", str(sys_tree))
    (sys_tree / "module/dm_latency_weighted").rename(sys_tree / "gone")
    assert "the module dm-latency-weighted is not loaded (modprobe" in tool.fails("stat", status=3)


@EVERY_COMMAND
def test_directory_that_is_no_sysfs(tool, tmp_path, words):
    """Nothing is said of the module, neither to people nor in metrics."""
    tool.root = tmp_path / "empty"
    for told in ("there is no such directory", "neither /sys nor a copy of it"):
        complaint = tool.fails(*words, status=2)
        assert complaint.startswith("dm-lw: --sysfs %s: %s" % (tool.root, told))
        assert complaint.count("\n") == 1
        tool.root.mkdir(exist_ok=True)


@EVERY_COMMAND
def test_no_maps(tool, words):
    for name in ("dm-0", "dm-10"):
        tool.remove_map(name)
    if words[0] == "stat" and ("-j" in words or "--prometheus" in words):
        assert "sda" not in tool(*words)
    else:
        complaint = tool.fails(*words)
        assert "no map uses latency-weighted" in complaint or (
            "mpatha" in words and "no map is called mpatha; there are: none" in complaint)


@pytest.mark.parametrize("words", [["stat", "mpathz"], ["show", "mpathz"], ["reset", "mpathz"],
                                   ["stat", "-j", "mpathz"], ["stat", "--prometheus", "-",
                                                              "mpathz"]], ids=" ".join)
def test_unknown_map(tool, words):
    assert "no map is called mpathz; there are: mpatha, mpathb" in tool.fails(*words)


def test_map_of_another_selector(tool):
    other = tool.root / "block/dm-3/dm"
    other.mkdir(parents=True)
    (other / "name").write_text("mpathx\n")
    for name in ("mpathx", "dm-3", "/dev/mapper/mpathx"):
        assert "%s is no map of latency-weighted" % name in tool.fails("show", name)


def test_name_of_two_maps(tool, clock):
    clock.later.clear()
    tool.file("dm-10/name").write_text("dm-0\n")
    assert "dm-0 may be dm-0 (dm-10) or mpatha (dm-0)" in tool.fails("show", "dm-0")
    assert tool("show", "/dev/mapper/dm-0").startswith("dm-0 (dm-10")


def test_map_without_a_name(tool):
    """The module could not learn it."""
    tool.file("dm-0").rename(tool.file("unknown-1"))
    tool.file("unknown-1/name").write_text("unknown\n")
    assert "unknown-1" in tool("stat", "unknown-1")


def each_kind_of_file(root):
    alike = {"sdc", "dm-10", "zero", "64k", "128k", "256k", "512k", "1m", "more", "huge"}
    files = [file for file in root.rglob("*")
             if file.is_file() and not alike & set(file.parts)]
    assert len(files) > 40
    return files


GARBAGE = [b"", b"garbage\n", b"\xff\xfe\0\n", b"-1\n", b"nan\n", b"12 34\n", b"9" * 5000]


@pytest.mark.parametrize("garbage", GARBAGE, ids=range(len(GARBAGE)))
def test_garbage_in_any_file(tool, clock, garbage):
    """Each file in turn says something odd: it is shown, or it is named in one line."""
    clock.later.clear()                 # the same tree all the time
    for file in each_kind_of_file(tool.root):
        before = file.read_bytes()
        file.write_bytes(garbage)
        for words in (["stat"], ["stat", "-j", "1", "2"], ["stat", "--prometheus"], ["show"],
                      ["set", "-n", "mpatha", "max_penalty=20"], ["latency", "mpatha"]):
            status, _, err = tool.run(*words)
            assert status == 0 and not err or status == 1 and err.count("\n") == 1, (file, words)
            # a map whose name is garbage has another name
            assert status == 0 or str(file) in err or file.name == "name" and "mpatha" in err
        file.write_bytes(before)


@EVERY_COMMAND
def test_files_that_are_not_there(tool, clock, words):
    """An older or newer module: what it lacks is not shown, but nothing breaks."""
    clock.later.clear()
    for file in each_kind_of_file(tool.root):
        content = file.read_bytes()
        file.unlink()
        status, _, err = tool.run(*words)
        assert status == 0 and not err or status == 1 and err.count("\n") == 1, (file, err)
        file.write_bytes(content)


def test_directory_in_place_of_a_file(tool):
    tool.file("dm-0/name").unlink()
    tool.file("dm-0/name").mkdir()
    assert "Is a directory" in tool.fails("stat")


@pytest.mark.parametrize("words", [[], ["fly"], ["stat", "--fly"], ["stat", "-j", "--watch"],
                                   ["show", "-i", "soon"], ["enable", "--timeout", "nan"],
                                   ["disable", "--timeout", "-1"]], ids=" ".join)
def test_wrong_usage(tool, words):
    assert "Traceback" not in tool.fails(*words, status=2)


def test_reader_that_goes_away(sys_tree):
    """As in dm-lw stat 1 | head -1."""
    tool = start_tool(sys_tree, "stat", "0.1")
    tool.stdout.readline()
    tool.stdout.close()
    assert tool.wait(timeout=60) == 141
    assert tool.stderr.read() == b""
    tool.stderr.close()


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM])
def test_ended_by_a_signal(sys_tree, number):
    """Without a word; a shell's exit status is 128 more than the signal's number."""
    tool = start_tool(sys_tree, "stat", "60")
    tool.stdout.readline()
    tool.send_signal(number)
    _, err = tool.communicate(timeout=60)
    assert (tool.returncode, err) == (-number, b"")


def test_interrupted(sys_tree):
    tool = start_tool(sys_tree, "stat", "60")
    tool.stdout.readline()
    tool.send_signal(signal.SIGINT)
    _, err = tool.communicate(timeout=60)
    assert (tool.returncode, err) == (130, b"")


@pytest.mark.parametrize("after_ms", range(2, 60, 4))
def test_interrupted_early(sys_tree, after_ms):
    """While Python imports dm-lw's modules, too. Before that Python may have a traceback, or go on after it."""
    tool = start_tool(sys_tree, "stat", "60", "2")      # not for ever, should it go on without a word
    time.sleep(after_ms / 1000)
    tool.send_signal(signal.SIGINT)
    table = tool.stdout.readline()
    complaint = tool.stderr.read1()
    if table and complaint:
        tool.send_signal(signal.SIGINT)
    _, err = tool.communicate(timeout=60)
    assert b"dm_lw" not in complaint + err
    assert tool.returncode


def test_stderr_that_cannot_be_written(sys_tree):
    """The exit status tells nevertheless."""
    with open("/dev/full", "w") as full:
        done = subprocess.run([sys.executable, str(TOOLS / "dm-lw"), "--sysfs", str(sys_tree),
                               "stat", "-y"], stderr=full, timeout=60)
    assert done.returncode == 2


def test_full_disk(sys_tree):
    with open("/dev/full", "w") as full:
        done = subprocess.run([sys.executable, str(TOOLS / "dm-lw"), "--sysfs", str(sys_tree),
                               "stat"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == 1
    assert done.stderr == "dm-lw: No space left on device\n"


@pytest.mark.parametrize("command", ["stat", "doctor"])
def test_closed_output(sys_tree, command):
    done = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", sys.executable, str(TOOLS / "dm-lw"), "--sysfs",
                           str(sys_tree), command], stderr=subprocess.PIPE, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (1, "dm-lw: standard output is closed\n")


def test_terminal_that_knows_ascii_only(tool, sys_tree):
    tool.file("dm-0/name").write_text("mpäth\n")
    environment = dict(os.environ, LC_ALL="C", PYTHONCOERCECLOCALE="0", PYTHONUTF8="0",
                       PYTHONIOENCODING="ascii")
    done = run("--sysfs", str(sys_tree), "stat", env=environment)
    assert done.returncode == 0 and "mp\\xe4th" in done.stdout


def test_installed(tmp_path, sys_tree):
    """What make tools-install installs runs from its place."""
    root = TOOLS.parent
    subprocess.run(["make", "-s", "-C", str(root), "tools-install", "DESTDIR=%s" % tmp_path],
                   check=True, timeout=60)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run([str(tmp_path / "usr/sbin/dm-lw"), "--sysfs", str(sys_tree), "stat"],
                          text=True, stdout=subprocess.PIPE, timeout=60, env=environment)
    assert not list(tmp_path.rglob("__pycache__"))
    assert done.returncode == 0 and "mpatha" in done.stdout
    subprocess.run(["make", "-s", "-C", str(root), "tools-uninstall", "DESTDIR=%s" % tmp_path],
                   check=True, timeout=60)
    assert [file for file in (tmp_path / "usr").rglob("*") if not file.is_dir()] == []


@pytest.mark.parametrize("names", [["dm-2", "dm-10"], ["sda", "sdb", "sdaa"],
                                   ["nvme0n1", "nvme0n2", "nvme10n1"], ["sda", "sda.1"], ["dm-2", "dm-²"]])
def test_order(names):
    assert sorted(reversed(names), key=by_number) == names


def test_file_of_a_map_that_is_just_going(monkeypatch):
    """dm answers so, where all other files of sysfs are simply gone."""
    def refuse(*_, **__):
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))

    monkeypatch.setattr(builtins, "open", refuse)
    assert Sysfs().text("block/dm-1/dm/uuid") is None


@pytest.mark.parametrize("words", [["mpatha", "-y", "1", "2"], ["-y", "mpatha", "1", "2"], ["mpatha", "1", "-y", "2"],
                                   ["mpatha", "1", "2", "-y"]])
def test_options_may_stand_between_words(tool, words):
    assert tool("stat", *words).count("mpatha") == 4


@pytest.mark.parametrize("words", [["doctor", "mpatha"], ["stat", "mpatha", "--fly", "1"], ["enable", "mpatha"]])
def test_words_that_no_command_wants(tool, words):
    status, out, err = tool.run(*words)
    assert (status, out) == (2, "") and "unrecognized arguments" in err
