"""dm-lw stat --watch: the whole terminal, and what keys change."""
import contextlib
import locale
import math
import sys
import time

from . import debugfs, frame
from .columns import COLUMNS
from .counts import rows
from .errors import LwError
from .maps import FAILED, NEW, RAMPING, SLOW, STALLED, STATES
from .signals import interruptible

QUIT = (ord("q"), ord("Q"), 27)
ENTER, ESCAPE, BACKSPACE = (10, 13), 27, (8, 127)
LONGEST_MS = 2**31 - 1          # that curses waits for a key
# What the keys s and f go through.
SORTS = ("latency", "base", "share", "ios", "inflight", "state")
SORTS_OF_ROOT = ("p99",)
FILTERS = ((), frame.IN_TROUBLE, *((state,) for state in STATES))


def following(choices, now):
    """Next choice, cyclic; the first if the current one is not in the list."""
    place = choices.index(now) + 1 if now in choices else 0
    return choices[place % len(choices)]


def run(look, interval, count, view, has_colour):
    if not (sys.stdin and sys.stdin.isatty() and sys.stdout.isatty()):
        raise LwError("--watch needs a terminal")
    try:
        import curses
    except ImportError:
        raise LwError("--watch needs Python's curses module")
    # Before the screen is taken: what is wrong is better said on the terminal.
    look()
    with contextlib.suppress(locale.Error):     # one that is not installed, as ssh may bring along
        locale.setlocale(locale.LC_ALL, "")
    try:
        with interruptible():       # else curses exits at once, with a status of its own
            curses.wrapper(lambda screen: Watch(curses, screen, look, interval, view, has_colour).run(count))
    except curses.error as error:
        raise LwError("--watch: %s" % error)


class Watch:
    def __init__(self, curses, screen, look, interval, view, has_colour):
        self.curses = curses
        self.screen = screen
        self.look = look
        self.interval = interval
        self.view = view
        self.typing = False
        names = SORTS + SORTS_OF_ROOT if look.sysfs.exists(debugfs.ROOT) else SORTS
        self.sorts = (None, *(COLUMNS[name] for name in names))
        self.history = frame.History()
        self.top = self.bottom = 0      # the line shown first, and the last that may be
        # What curses goes by; Python may take UTF-8 for ASCII's superset.
        self.marks = (frame.BLOCKS if locale.nl_langinfo(locale.CODESET).upper() == "UTF-8"
                      else frame.ASCII)
        self.styles = self.make_styles(has_colour)

    def make_styles(self, has_colour):
        curses = self.curses
        with contextlib.suppress(curses.error):         # some terminals cannot
            curses.curs_set(0)
        styles = {"title": curses.A_DIM, "map": curses.A_BOLD}
        if has_colour and curses.has_colors():
            curses.use_default_colors()
            for pair, (state, colour) in enumerate((
                    (FAILED, curses.COLOR_RED), (STALLED, curses.COLOR_YELLOW),
                    (SLOW, curses.COLOR_YELLOW), (RAMPING, curses.COLOR_CYAN), (NEW, curses.COLOR_CYAN)), 1):
                curses.init_pair(pair, colour, -1)
                styles[state] = curses.color_pair(pair)
        return styles

    def run(self, count):
        before, looks = None, 0
        while looks != count:
            now = self.look()
            found = rows(now, before)
            self.history.add(found)
            if self.show_until(now.clock + self.interval, now, found):
                return
            before, looks = now, looks + 1

    def show_until(self, deadline, now, found):
        """Draw, and again at each key; True if it is time to quit."""
        while True:
            self.draw(now, found)
            left = deadline - time.monotonic()
            if self.quit_by_keys(max(0, left)):
                return True
            if left <= 0:
                return False

    def quit_by_keys(self, seconds):
        """Wait so long for a key, and take all that are there, also if looks take longer than the interval."""
        self.screen.timeout(min(math.ceil(seconds * 1000), LONGEST_MS))
        while True:
            key = self.screen.getch()
            # A terminal that is gone would be asked for keys over and over.
            if not sys.stdin.isatty() or key in QUIT and not self.typing:
                return True
            if key == self.curses.ERR:
                return False
            self.screen.timeout(0)
            if self.typing:
                self.type(key)
            else:
                self.change(key)
                self.scroll(key)

    def change(self, key):
        """What is shown, and in which order; from the next look also by histograms."""
        view = self.view
        if key == ord("s"):
            view.sort = following(self.sorts, view.sort)
            self.look.histograms = view.needs_histograms
        elif key == ord("r"):
            view.reverse = not view.reverse
        elif key == ord("f"):
            view.states = following(FILTERS, view.states)
        elif key == ord("z"):
            view.omit_idle = not view.omit_idle
        elif key == ord("/"):
            self.typing = True

    def type(self, key):
        """Letters of the name that is looked for."""
        view = self.view
        if key in ENTER or key == ESCAPE:
            self.typing = False
            view.word = view.word if key in ENTER else ""
        elif key in BACKSPACE or key == self.curses.KEY_BACKSPACE:
            view.word = view.word[:-1]
        elif ord(" ") < key < BACKSPACE[1]:
            view.word += chr(key)

    def scroll(self, key):
        page = max(1, self.screen.getmaxyx()[0] - 2)
        lines = {self.curses.KEY_UP: -1, self.curses.KEY_DOWN: 1,
                 self.curses.KEY_PPAGE: -page, self.curses.KEY_NPAGE: page}.get(key, 0)
        self.top = max(0, min(self.top + lines, self.bottom))

    def draw(self, now, found):
        height, width = self.screen.getmaxyx()
        # The last cell of the last line cannot be written without scrolling.
        lines = frame.frame(now, self.view.rows(found), self.history, self.interval, width - 1,
                            self.marks, self.view, self.typing)
        self.bottom = max(0, len(lines) - height)
        self.top = min(self.top, self.bottom)
        self.screen.erase()
        for y, (line, style) in enumerate(lines[self.top:self.top + height]):
            with contextlib.suppress(self.curses.error):    # wide letters may pass the edge
                self.screen.addstr(y, 0, line, self.styles.get(style, self.curses.A_NORMAL))
        self.screen.refresh()
