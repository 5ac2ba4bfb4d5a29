"""dm-lw stat --watch: what a screen shows, and a real one on a pseudo-terminal."""
import codecs
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
from time import monotonic     # not the one that stands still

import pytest

from dm_lw import frame, signals, watch
from dm_lw.columns import COLUMNS
from dm_lw.counts import Looker, rows
from dm_lw.sysfs import Sysfs
from dm_lw.view import View

from .conftest import TOOLS


def screens(tree, clock, width, looks=3, marks=frame.ASCII, view=None):
    """The last of some screens, and its styles."""
    view = view or View()
    before, history = None, frame.History()
    look = Looker(Sysfs(str(tree)), classes=False, histograms=view.needs_histograms)
    for _ in range(looks):
        now = look()
        found = rows(now, before)
        history.add(found)
        shown = frame.cut([*frame.head(now, found, 2, width, frame.settings(view)),
                           *(list(frame.paths(found, history, width, marks, view)) or [frame.nothing(now)])], width)
        before = now
        clock.sleep(2)
    return shown


def test_screen(sys_tree, clock, golden):
    golden("watch.txt", "".join(line.text + "\n" for line in screens(sys_tree, clock, 120)))


@pytest.mark.parametrize("width", [1, 20, 79, 80, 200, 400])
def test_no_line_is_wider_than_the_screen(sys_tree, clock, width):
    assert max(len(line.text) for line in screens(sys_tree, clock, width)) <= width


def test_colours_tell_the_state(sys_tree, clock):
    styles = {line.text.split()[0]: line.style for line in screens(sys_tree, clock, 120) if line.text}
    assert styles["sda"] == "active" and styles["sdc"] == "slow" and styles["sdd"] == "failed"
    assert styles["mpatha"] == "map"


def test_no_map(sys_tree, clock):
    (sys_tree / "kernel/dm-latency-weighted/dm-0").rename(sys_tree / "a")
    (sys_tree / "kernel/dm-latency-weighted/dm-10").rename(sys_tree / "b")
    clock.later.clear()
    assert screens(sys_tree, clock, 80)[-1].text == "no map uses latency-weighted"


@pytest.mark.parametrize("values, top, width, line", [
    ([], 10, 4, "    "),
    ([0, 5, 10], 10, 5, "   =@"),
    ([1, 2, 3, 4, 5, 6, 7, 8], 8, 8, "_.-=+*#@"),
    ([0.01, 100], 100, 2, "_@"),
    ([1, 2, 3], 3, 2, "+@"),
    ([20], 10, 1, "@"),
    ([1, 2], 2, 0, ""),
])
def test_sparkline(values, top, width, line):
    assert frame.sparkline(values, top, width, frame.ASCII) == line


def test_line_for_each_map(sys_tree, clock):
    """The worst state of its paths, and the totals of all, also of those that a filter hides; nothing without any."""
    found = rows(Looker(Sysfs(str(sys_tree)))())
    head, *lines = frame.overview(found, 79, View(states=("failed", "slow")))
    assert [line.style for line in (head, *lines)] == ["head", "slow", "failed"]
    assert [line.text.split()[:2] for line in lines] == [["mpatha", "slow"], ["mpathb", "failed"]]
    assert list(frame.overview(found, 79, View(states=("new",)))) == []
    sorted_by = [line.of[0] for line in frame.overview(found, 79, View(sort=COLUMNS["inflight"])) if line.of]
    assert sorted_by == ["dm-0", "dm-10"]


@pytest.mark.parametrize("width", [79, 100, 200])
def test_wwids_leave_room_for_their_states(sys_tree, clock, width):
    """And are told apart by their ends."""
    found = [dict(row, map="360014056e1%022x" % place, dm="dm-%d" % place, wwid=None) for place, row
             in enumerate(rows(Looker(Sysfs(str(sys_tree)))()))]
    lines = list(frame.overview(found, width, View()))
    assert max(len(line.text) for line in lines) <= width
    names = [line.text.split()[0] for line in lines[1:]]
    assert len(set(names)) == len(found) and all(len(name) >= 24 for name in names)
    assert all("active" in line.text or line.style != "active" for line in lines)
    assert frame.shortened("abcdefghij", 7) == "ab~ghij" and frame.shortened("abc", 3) == "abc"


def test_history_is_bounded(sys_tree, clock):
    history = frame.History()
    found = rows(Looker(Sysfs(str(sys_tree)))())
    for _ in range(frame.REMEMBERED + 5):
        history.add(found)
    assert all(len(values) == frame.REMEMBERED for values in history.of(found[0]))
    history.add(found[1:])
    assert len(history.values) == len(found) - 1


NO_SHORTEST = """import sys
tools, *words = sys.argv[1:]
sys.path.insert(0, tools)
from dm_lw import cli, intervals
intervals.SHORTEST = 0
sys.exit(cli.main(words))"""


# The second look takes until a key is pressed.
SLOW_LOOKS = """import sys, time
tools, *words = sys.argv[1:]
sys.path.insert(0, tools)
from dm_lw import cli, counts, maps
looks, read = [], maps.read_path
def slow(*words):
    looks.append(words)
    time.sleep(0.3 if len(looks) > 8 else 0)
    return read(*words)
maps.read_path = slow
words[words.index("9")] = "0.1"
sys.exit(cli.main(words))"""


class Screen:
    """dm-lw on a pseudo-terminal of a given size."""

    def __init__(self, *words, term="xterm", lines=24, columns=100, more=None,
                 program=(str(TOOLS / "dm-lw"),)):
        self.master, slave = pty.openpty()
        self.modes = termios.tcgetattr(self.master)
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        environment = dict(os.environ, **{"TERM": term, "LC_ALL": "C.UTF-8", **(more or {})})
        for name in ("LINES", "COLUMNS"):
            environment.pop(name, None)
        self.process = subprocess.Popen([sys.executable, *program, *words],
                                        stdin=slave, stdout=slave, stderr=slave, env=environment,
                                        start_new_session=True)
        os.close(slave)
        self.output = ""
        self.decoder = codecs.getincrementaldecoder("utf-8")()      # a read may end within a letter

    def until(self, text, seconds=30):
        deadline = monotonic() + seconds
        while not re.search(text, self.output):
            left = deadline - monotonic()
            assert left > 0, self.output
            if select.select([self.master], [], [], left)[0]:
                try:
                    self.output += self.decoder.decode(os.read(self.master, 65536))
                except OSError:             # the other end is closed
                    break
        assert re.search(text, self.output), self.output

    def press(self, keys):
        os.write(self.master, keys.encode())

    def resize(self, lines, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self.process.send_signal(signal.SIGWINCH)   # it is not the terminal's own process

    def end(self):
        return self.process.wait(timeout=30)

    def close(self):
        self.process.kill()
        self.process.wait()
        if self.master is not None:
            os.close(self.master)

    def hang_up(self):
        os.close(self.master)
        self.master = None


@pytest.fixture
def terminal(sys_tree):
    """Starts dm-lw stat --watch on a terminal; it does not outlive the test."""
    screens = []

    def start(*words, **options):
        screens.append(Screen("--sysfs", str(sys_tree), "stat", "--watch", *words, **options))
        return screens[-1]

    yield start
    for screen in screens:
        screen.close()


def test_on_a_terminal(terminal):
    screen = terminal("0.2")
    screen.until("mpatha(.|\n)*sdc(.|\n)*▇|█")
    screen.press("\x1bOB\x1bOA")            # down, up, as xterm sends them to curses
    screen.press("q")
    assert screen.end() == 0


def test_key_on_a_terminal(terminal):
    """The help line tells what it set."""
    screen = terminal("0.2")
    screen.until("by map")
    assert "latency" not in screen.output
    screen.press("s")
    screen.until("latency")
    screen.press("q")
    assert screen.end() == 0


def test_keys_count_if_a_look_takes_longer_than_the_interval(terminal):
    screen = terminal("0.000001", program=("-c", NO_SHORTEST, str(TOOLS)))
    screen.until("by map")
    screen.press("s")
    screen.until("latency")
    screen.press("q")
    assert screen.end() == 0


def test_no_colour_if_nobody_wants_any(terminal, sys_tree):
    for words, more, has_colour in (((), None, True), (("--color", "never"), None, False), ((), {"NO_COLOR": "1"}, False)):
        screen = terminal(*words, "0.2", more=more)
        screen.until("sdd(.|\n)*failed|failed(.|\n)*sdd")
        screen.press("q")
        assert screen.end() == 0 and ("\x1b[33m" in screen.output) == has_colour


def test_letters_of_the_locale(terminal):
    screen = terminal("0.2", more={"LC_ALL": "C"})
    screen.until("mpatha")
    screen.until("@")
    screen.press("q")
    assert screen.end() == 0


def test_locale_that_is_not_installed(terminal):
    """ssh may bring one along."""
    screen = terminal("0.2", more={"LC_ALL": "xx_YY.UTF-8"})
    screen.until("mpatha")
    screen.press("q")
    assert screen.end() == 0


GIVEN_BACK = re.escape("\x1b[?1049l")     # the screen that was there before
SEEN = r"\x1b\[34h\x1b\[\?25h|\x1b\[\?12l\x1b\[\?25h"     # the cursor


def is_restored(screen):
    """The screen from before, the cursor, and how letters are read and echoed."""
    assert re.search(GIVEN_BACK, screen.output) and re.search(SEEN, screen.output)
    return termios.tcgetattr(screen.master) == screen.modes


@pytest.mark.parametrize("number", signals.SIGNALS)
def test_ended_by_a_signal(terminal, number):
    screen = terminal("0.2")
    screen.until("mpatha")
    assert termios.tcgetattr(screen.master) != screen.modes
    screen.process.send_signal(number)
    screen.until("interrupted by " + number.name)
    assert screen.end() == 128 + number and is_restored(screen)


def test_signals_while_it_ends(terminal):
    """Many, at any moment: whichever comes first ends it, and none keeps it from giving back the screen."""
    for _ in range(5):
        screen = terminal("0.2")
        screen.until("mpatha")
        screen.press("q")
        while screen.process.poll() is None:
            screen.process.send_signal(signal.SIGTERM)
        screen.until(GIVEN_BACK)
        assert screen.end() in (0, 128 + signal.SIGTERM, -signal.SIGTERM) and is_restored(screen)


def test_module_that_goes_away(terminal, sys_tree):
    screen = terminal("0.2")
    screen.until("mpatha")
    (sys_tree / "kernel/dm-latency-weighted").rename(sys_tree / "gone")
    screen.until("dm-lw: the loaded dm-latency-weighted has no")
    assert screen.end() == 3 and is_restored(screen)


def test_terminal_that_is_resized(terminal):
    screen = terminal("0.2", lines=8, columns=30)
    screen.until("mpatha")
    assert "mpathb" not in screen.output and "share" not in screen.output
    screen.resize(24, 100)
    screen.until("mpathb")
    screen.until("share")
    screen.resize(1, 1)                     # nothing fits, and nothing fails
    screen.resize(24, 80)
    screen.output = ""
    screen.press("h")
    screen.until("this help")
    screen.press("q")
    assert screen.end() == 0


def test_one_map_and_back(terminal):
    """Of the map that Tab has chosen; its neighbour by n and p, and the counts of it from now on."""
    screen = terminal("0.2")
    screen.until("mpathb")
    screen.press("\t\r")
    screen.until("counted since ever(.|\n)*settings: ")
    screen.until("500(.|\n)*sdd +10 +0 +3")
    screen.press("c")
    screen.until(r"counted since \d\d:\d\d:\d\d|since(.|\n)*since ever\)")
    screen.output = ""
    screen.press("p")
    screen.until("sdc")
    screen.press("\x1b")
    screen.until("sort: by map|s sort")
    screen.press("q")
    assert screen.end() == 0


def test_keys_while_the_maps_are_read(terminal):
    """Which takes long for hundreds of maps: they do not wait for that."""
    screen = terminal("9", program=("-c", SLOW_LOOKS, str(TOOLS)))
    screen.until("by map", 60)
    screen.press("s")
    screen.until("latency", 5)
    screen.press("q")
    assert screen.end() == 0


def test_small_terminal_that_scrolls(terminal):
    screen = terminal("0.2", lines=4, columns=30)
    screen.until("mpatha")
    screen.press("\x1b[6~" * 5)             # page down
    screen.until("sdd")
    screen.press("q")
    assert screen.end() == 0


def test_keys_of_one_look_scroll_within_the_lines(terminal):
    """Of pages past the end nothing is left that an up at once would have to make up for."""
    screen = terminal("0.2", lines=4, columns=30)
    screen.until("mpatha")
    screen.press("\x1b[6~" * 5 + "\x1bOA")  # page down, up
    screen.until("sdb")
    screen.press("q")
    screen.until(re.escape("\x1b[?1049l"))  # all that was drawn
    assert screen.end() == 0
    assert "sdd" not in screen.output


def test_without_interval_it_goes_on(terminal):
    screen = terminal()
    screen.until("every 1 s")
    select.select([], [], [], 2.5)
    assert screen.process.poll() is None
    screen.press("q")
    assert screen.end() == 0


def test_count(terminal):
    screen = terminal("0.2", "3")
    screen.until("mpatha")
    assert screen.end() == 0


def test_unknown_terminal(terminal):
    screen = terminal(term="no-such-terminal")
    screen.until("dm-lw: --watch: ")
    assert screen.end() == 1
    assert "Traceback" not in screen.output


def test_terminal_that_only_prints(terminal):
    """As those of editors are."""
    screen = terminal("0.2", "2", term="dumb")
    screen.until("--watch needs a terminal whose cursor can be moved: tables instead")
    screen.until("(mpathb(.|\n)*){4}")
    assert screen.end() == 0 and "\x1b" not in screen.output


def test_no_terminal(tool):
    """Tables, as without --watch, and as often."""
    status, out, err = tool.run("stat", "--watch", "2", "2")
    assert (status, err) == (0, "dm-lw: --watch needs a terminal: tables instead\n")
    assert out.count("mpatha") == 4 and out.count("\n\n") == 1


def test_terminal_that_goes_away(terminal):
    """Nothing is left behind that asks a closed terminal for keys, again and again."""
    screen = terminal("0.2")
    screen.until("mpatha")
    screen.hang_up()
    screen.end()
