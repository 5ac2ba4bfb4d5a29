"""Each view on a real terminal, tmux's, of a real guest: what is on the screen, to the letter.

The screens are left in build/terminal, as text and with their colours.
"""
# promise output/views

import os
import re
import shlex
import shutil
import subprocess
import sys
import time

import pytest

from .test_captures import CAPTURES

ROOT = CAPTURES.parents[2]
RESULTS = ROOT / "build/terminal"
GOLDEN = CAPTURES.parent / "golden"
PATIENCE = 60                           # seconds
CONFIGURATION = "set -g status off\nset -g default-terminal screen-256color\nset -g default-shell /bin/sh\n"

pytestmark = pytest.mark.skipif(not shutil.which("tmux"), reason="no tmux here")


class Terminal:
    def __init__(self, directory, width=110, height=45):
        self.directory = directory
        self.configuration = directory / "tmux.conf"
        self.configuration.write_text(CONFIGURATION)
        self.size = "-x", str(width), "-y", str(height)

    def tmux(self, *words):
        environment = dict(os.environ, LC_ALL="C.UTF-8")
        environment.pop("TMUX", None)
        return subprocess.run(["tmux", "-u", "-S", str(self.directory / "tmux"), "-f", str(self.configuration),
                               *words], env=environment, cwd=str(ROOT), text=True, timeout=PATIENCE,
                              check=True, stdout=subprocess.PIPE).stdout

    def run(self, *commands):
        """Shell commands one after the other; then it stays as it is."""
        script = "; ".join(commands)
        self.tmux("new-session", "-d", *self.size, script + "; exec cat")

    def press(self, *keys):
        self.tmux("send-keys", *keys)

    def screen(self, *options):
        lines = self.tmux("capture-pane", "-p", *options).split("\n")
        return "\n".join(line.rstrip() for line in lines).rstrip("\n") + "\n"

    def shows(self, golden, name, ready):
        """Wait until the screen is as it should be; keep it."""
        file = GOLDEN / ("terminal-%s.txt" % name)
        wanted = file.read_text() if file.exists() and not os.environ.get("LW_WRITE_GOLDEN") else None
        before, deadline = None, time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            now = self.screen()
            if now == (wanted or before) and re.search(ready, now):
                break
            before = now
            time.sleep(0.2)
        RESULTS.mkdir(parents=True, exist_ok=True)
        (RESULTS / ("%s.txt" % name)).write_text(now)
        (RESULTS / ("%s.ansi" % name)).write_text(self.screen("-e"))
        assert re.search(ready, now), now
        golden(file.name, now)

    def close(self):
        subprocess.run(["tmux", "-S", str(self.directory / "tmux"), "kill-server"], timeout=PATIENCE,
                       stderr=subprocess.DEVNULL)


@pytest.fixture
def terminal(in_memory):     # the name of a socket may not be long
    terminal = Terminal(in_memory)
    yield terminal
    terminal.close()


@pytest.fixture
def wide(in_memory):
    terminal = Terminal(in_memory, width=160)
    yield terminal
    terminal.close()


@pytest.fixture
def dm_lw(in_memory):
    """dm-lw as a shell command, on what the guest showed."""
    def command(*words, before=CAPTURES / "trixie-before.tree", after=CAPTURES / "trixie-after.tree"):
        return " ".join(map(shlex.quote, (sys.executable, "-m", "tests.tools.replay", str(before), str(after),
                                          str(in_memory / "sys"), *words)))
    return command


@pytest.mark.parametrize("name, words, ready", [
    ("stat", ["stat", "-y", "--sort", "latency", "2", "1"], "lwt3"),
    ("show", ["show", "-i", "2", "mpatha"], "settings"),
    ("latency", ["latency", "mpatha", "2", "1"], r"30\.720.*█"),
])
def test_reports(terminal, dm_lw, golden, name, words, ready):
    terminal.run(dm_lw(*words))
    terminal.shows(golden, name, ready)


def test_topology(wide, dm_lw, golden):
    """Of an array whose second network is slow. Only root of the host itself would see the groups."""
    san = CAPTURES / "san.tree"
    wide.run(dm_lw("topology", before=san, after=san))
    wide.shows(golden, "topology", "is slow for 2 maps")


def test_report(terminal, dm_lw, golden):
    """What was recorded in the first seconds after that network became slow."""
    recording = str(CAPTURES / "san.recording")
    terminal.run(dm_lw("report", "--from", "2026-11-25 09:19:54", "--state", "probing", recording, "1", "3"))
    terminal.shows(golden, "report", r"(?s)(09:19:5.*){3}sdb")


def test_colours(terminal, dm_lw):
    """Of paths in trouble, as the terminal has them: yellow and red."""
    terminal.run(dm_lw("stat", "1", "1"))
    terminal.shows(lambda *_: None, "colours", "lwt3")
    lines = {line.split()[2]: line for line in terminal.screen("-e").splitlines() if "lwt" in line}
    assert "\033" not in lines["lwt0"]
    assert re.match(r"\033\[1m\033\[33m|\033\[33;1m|\033\[1;33m", lines["lwt1"]), lines
    assert re.match(r"\033\[1m\033\[31m|\033\[31;1m|\033\[1;31m", lines["lwt3"]), lines


def test_watch(terminal, dm_lw, golden):
    """Keys change the order and what is shown; the last one gives the terminal back."""
    terminal.run(dm_lw("stat", "--watch", "1"), "echo it has ended")
    terminal.shows(golden, "watch", "09:10:23")
    terminal.press("s", "r")
    terminal.shows(golden, "watch-sorted", "sort: latency, reversed")
    terminal.press("r", "f", "z")
    terminal.shows(golden, "watch-filtered", "state: not active  z idle: hidden")
    terminal.press("f", "z", "/", "l", "w", "t", "x", "BSpace")
    terminal.shows(golden, "watch-typing", "with: lwt_")
    terminal.press("2", "Enter")
    terminal.shows(golden, "watch-nothing", "state: new .* name: lwt2\nno path is shown")
    terminal.press("f")
    terminal.shows(golden, "watch-named", "state: active .* name: lwt2")
    terminal.press("q")
    terminal.shows(golden, "watch-ended", "it has ended")


def test_watch_percentiles(terminal, dm_lw, golden):
    """Of the interval between the two looks; after the last column that there is comes the first."""
    terminal.run(dm_lw("stat", "--watch", "--sort", "p99", "1"))
    terminal.shows(golden, "watch-p99", "09:10:23")
    terminal.press("s", "s")
    terminal.shows(golden, "watch-next", "sort: latency")


@pytest.fixture
def console(in_memory):
    terminal = Terminal(in_memory, width=80, height=24)
    yield terminal
    terminal.close()


def test_watch_on_a_console(console, dm_lw, golden, tmp_path):
    """Of 80 columns and 24 lines: from one line for each map to all about one, its neighbour, and back."""
    san, after = CAPTURES / "san.tree", tmp_path / "after.tree"
    first, *lines = san.read_text().splitlines()
    after.write_text("\n".join(["time %s" % (float(first.split()[1]) + 1),      # and nothing was done meanwhile
                                *(line for line in lines if "@" not in line.split()[0])]) + "\n")
    console.run(dm_lw("stat", "--watch", "--by", "map", "1", before=san, after=after), "echo it has ended")
    console.shows(golden, "watch-maps", "09:19:57")
    console.press("h")
    console.shows(golden, "watch-help", "this help")
    console.press("h", "Down", "Enter")
    console.shows(golden, "watch-map", "since ever")
    console.press("c", "End")
    console.shows(golden, "watch-counted", "counted since ..:..:..")
    console.press("p", "Escape", "m")
    console.shows(golden, "watch-console", r"name: all\n\n")
    console.press("Escape")
    console.shows(golden, "watch-left", "it has ended")


def test_watch_that_is_stopped(console, dm_lw):
    """ctrl-Z gives the screen back to the shell, and fg takes it again."""
    console.run("sh -i")
    console.press(dm_lw("stat", "--watch", "1"), "Enter")
    console.shows(lambda *_: None, "stopped", "09:10:23")
    console.press("C-z")
    console.shows(lambda *_: None, "stopped", "(?i)stopped")
    console.press("fg", "Enter")
    console.shows(lambda *_: None, "stopped", r"(?s)\Adm-lw .*09:10:23.*lwt3")
    console.press("q")
    console.press("echo it has en''ded", "Enter")
    console.shows(lambda *_: None, "stopped", "it has ended")


def test_without_the_module(terminal, dm_lw, golden, tmp_path):
    """Each view shows what the disks tell, or says in one line that there is nothing."""
    commands, before, after = [], tmp_path / "before.tree", tmp_path / "after.tree"
    for file, at, stat in ((before, 1.0, "7 0 56 70 3 0 24 90 1 160 160"), (after, 2.0, "107 0 856 370 13 0 104 490 2 860 860")):
        file.write_text("time %s\nblock/dm-0/dm/name mpatha\nblock/dm-0/dm/uuid mpath-3600\n"
                        "block/dm-0/slaves/sda/dev 8:0\ndev/block/8:0/stat %s\n" % (at, stat))
    for words in (["stat"], ["show"], ["latency", "mpatha"], ["topology"]):
        commands += ["echo \\$ dm-lw %s" % " ".join(words), dm_lw(*words, before=before, after=after),
                     "echo status $?"]
    terminal.run(*commands)
    terminal.shows(golden, "no-module", "(?s)(status.*){4}")
