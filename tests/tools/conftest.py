"""dm-lw run in this process, on a tree in place of /sys, at a time that stands still."""
import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.lib.command import interruptible

from . import trees

HERE = Path(__file__).resolve().parent
TOOLS = HERE.parents[1] / "tools"
MEMORY = "/dev/shm"
sys.path.insert(0, str(TOOLS))
os.umask(0o022)         # what others may write, dm-lw does not obey
AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root may do that")

from dm_lw import cli, signals  # noqa: E402 (found by the line before)


def commands():
    """The parser of each command."""
    (sub,) = [action for action in cli.parser()._actions
              if isinstance(action, argparse._SubParsersAction)]
    return sub.choices


def options(parser):
    return {option for action in parser._actions for option in action.option_strings}


@pytest.fixture(autouse=True)
def heard():
    """Nor do the tests themselves, and what they start: dm-lw leaves ignored what is ignored."""
    ignored = [number for number in signals.SIGNALS if signal.getsignal(number) == signal.SIG_IGN]
    for number in ignored:
        signal.signal(number, lambda *_: None)
    yield
    for number in ignored:
        signal.signal(number, signal.SIG_IGN)


@pytest.fixture
def signal_at_the_end(monkeypatch):
    """SIGTERM, just before signals are ignored for what undoes all."""
    shield = signals.shield

    def late():
        monkeypatch.setattr(signals, "shield", shield)
        signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr(signals, "shield", late)


def start_tool(sys_tree, *words, **options):
    """dm-lw in a process of its own, which hears signals; its output is piped."""
    return subprocess.Popen([sys.executable, str(TOOLS / "dm-lw"), "--sysfs", str(sys_tree), *words],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=interruptible,
                            **options)


class Clock:
    """Wall clock and monotonic clock; sleep() makes them go, and then `later` happens."""

    def __init__(self):
        self.now = trees.NOON
        self.later = []

    def sleep(self, seconds):
        self.now += seconds
        if self.later:
            self.later.pop(0)()


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    # Who waits for a process waits in real time: else `later` would change the tree that the process reads.
    monkeypatch.setattr(subprocess, "time", SimpleNamespace(sleep=time.sleep))
    monkeypatch.setattr(time, "time", lambda: clock.now)
    monkeypatch.setattr(time, "monotonic", lambda: clock.now)
    monkeypatch.setattr(time, "sleep", clock.sleep)
    localtime = time.localtime
    monkeypatch.setattr(time, "localtime",
                        lambda seconds=None: localtime(clock.now if seconds is None else seconds))
    yield clock
    monkeypatch.undo()
    time.tzset()


class Tool:
    def __init__(self, root, capsys):
        self.root = root
        self.capsys = capsys

    def __call__(self, *words):
        """Run it; what it printed. It must succeed without complaint."""
        status, out, err = self.run(*words)
        assert (status, err) == (0, "")
        return out

    def run(self, *words):
        try:
            status = cli.main(["--sysfs", str(self.root), *words])
        except SystemExit as end:           # argparse
            status = end.code
        captured = self.capsys.readouterr()
        return status, captured.out, captured.err

    def fails(self, *words, status=1):
        """Run it; the one line in which it complains."""
        was, out, err = self.run(*words)
        assert was == status, err
        assert out == ""
        if status in (1, 3):
            assert err.startswith("dm-lw: ") and err.count("\n") == 1, err
        return err

    def file(self, *names):
        return self.root.joinpath("kernel/dm-latency-weighted", *names)

    def remove_map(self, dm):
        shutil.rmtree(str(self.file(dm)))
        shutil.rmtree(str(self.root / "block" / dm))


@pytest.fixture
def in_memory():
    """A directory that is gone after the test; disks that discard what is deleted take long for many small files."""
    with tempfile.TemporaryDirectory(dir=MEMORY if os.path.isdir(MEMORY) else None) as directory:
        yield Path(directory)


@pytest.fixture
def run(site, capsys):
    """dm-lw on the fake host of the test: its status, and output and errors."""
    def run(*words):
        status = cli.main(["--sysfs", site.sysfs.root, *words])
        out, err = capsys.readouterr()
        return status, out, err
    return run


@pytest.fixture
def sys_tree(in_memory, clock):
    """Two maps: of one, a path is slow."""
    root = in_memory / "sys"
    trees.write(trees.module_text(), root)
    write_maps(root, 1000, slow_done=900, probes=5)
    clock.later.append(lambda: write_maps(root, 3000, slow_done=910, probes=15))
    return root


UNCOUNTED = "cpu node class starts ends done"      # the map's tunable "histogram" is 0


def write_maps(root, done, slow_done, probes):
    trees.write(trees.map_text("dm-0", "mpatha", "36001405aaaa", {
        "sda": trees.path_files("8:0", done=done, share="99.60", weight=126, writes=done // 5,
                                operations={"read": (1000, done * 4 // 5), "write": (2000, done // 5), "other": (90, 3)}),
        "sdc": trees.path_files("8:32", state="probing", latency_us=31040, done=slow_done,
                                state_since="%d.123" % (trees.NOON - 3409), share="0.40", weight=0,
                                inflight=1, knee=3, probes=probes),
    }, {
        "sda": trees.latency_stat({("1152.000", "1280.000"): done - 100, ("2048.000", "2304.000"): 90,
                                   ("4096.000", "4608.000"): 10}),
        "sdc": trees.latency_stat({("28672.000", "32768.000"): slow_done}, unstamped=probes),
    }, window_ms=50, histogram=1, by_operation=1), root)
    trees.write(trees.map_text("dm-10", "mpathb", "36001405bbbb", {
        "sdb": trees.path_files("8:16", done=done // 2, latency_us=850),
        "sdd": trees.path_files("8:48", state="failed", latency_us=0, done=10, failures=3,
                                inflight=0, latency_source="none", weight=0, share="0.00"),
    }, {"sdb": UNCOUNTED, "sdd": UNCOUNTED}), root)


@pytest.fixture
def tool(sys_tree, capsys):
    return Tool(sys_tree, capsys)


@pytest.fixture
def golden():
    """Compare text with a file of golden/; with LW_WRITE_GOLDEN=1, write it anew instead."""
    def check(name, text):
        file = HERE / "golden" / name
        if os.environ.get("LW_WRITE_GOLDEN"):
            file.parent.mkdir(exist_ok=True)
            file.write_text(text)
        assert text == file.read_text()
    return check
