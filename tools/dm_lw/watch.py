"""dm-lw stat --watch: the whole terminal, and what keys change."""
import contextlib
import locale
import math
import sys
import time

from . import debugfs, detail, frame
from .columns import COLUMNS
from .counts import rows
from .errors import LwError
from .maps import FAILED, NEW, RAMPING, SLOW, STALLED, STATES
from .signals import interruptible, undivided, undone_by

QUIT = (ord("q"), ord("Q"))
HELP = (ord("h"), ord("?"))
ENTER, ESCAPE, BACKSPACE = (10, 13), 27, (8, 127)
NEXT, BEFORE = (9, ord("n")), (ord("p"),)
HEAD = 2                        # lines that each view has
END = 10 ** 6                   # lines
ESCAPE_MS = 100                 # within which the rest of what an arrow key sends follows
LOOK_AROUND = 0.1               # seconds between questions for keys while the maps are read
REST = 2                        # times as long as a look takes, the next one is due
LONGEST_MS = 2**31 - 1          # that curses waits for a key
# What the keys s and f go through.
SORTS = ("latency", "base", "share", "ios", "inflight", "state")
SORTS_OF_ROOT = ("p99",)
FILTERS = ((), frame.IN_TROUBLE, *((state,) for state in STATES))


def following(choices, now):
    """Next choice, cyclic; the first if the current one is not in the list."""
    place = choices.index(now) + 1 if now in choices else 0
    return choices[place % len(choices)]


def obstacle():
    """Why there can be no full screen here; None if there can."""
    if not (sys.stdin and sys.stdin.isatty() and sys.stdout.isatty()):
        return "--watch needs a terminal"
    try:
        import curses
    except ImportError:         # some Pythons are built without
        return "--watch needs Python's curses module"
    with contextlib.suppress(curses.error):     # run() complains about an unknown terminal
        curses.setupterm()
        if not curses.tigetstr("cup"):
            return "--watch needs a terminal whose cursor can be moved"
    return None


def run(look, interval, count, view, has_colour, by_map=False):
    import curses
    # Before the screen is taken: what is wrong is better said on the terminal.
    look()
    with contextlib.suppress(locale.Error):     # one that is not installed, as ssh may bring along
        locale.setlocale(locale.LC_ALL, "")
    screen = Screen(curses)
    try:
        # Twice: a signal may come before the inner one begins to undo. Then none interrupts the outer one.
        with interruptible(), undone_by(screen.give_back), undone_by(screen.give_back):
            Watch(curses, screen.take(), look, interval, view, has_colour, by_map).run(count)
    except curses.error as error:
        raise LwError("--watch: %s" % error)


class Screen:
    """The terminal's screen, to be given back by undone_by(): curses.wrapper() does not if a signal comes while it ends."""

    def __init__(self, curses):
        self.curses = curses
        self.taken = None

    def take(self):
        curses = self.curses
        with undivided():
            curses.set_escdelay(ESCAPE_MS)
            self.taken = curses.initscr()
            curses.noecho()
            curses.cbreak()
            self.taken.keypad(True)
            with contextlib.suppress(curses.error):
                curses.start_color()
        return self.taken

    def give_back(self):
        """Once."""
        if self.taken:
            self.taken.keypad(False)
            self.curses.nocbreak()
            self.curses.echo()
            self.curses.endwin()
            self.taken = None


class Quit(Exception):
    """By a key."""


class Watch:
    def __init__(self, curses, screen, look, interval, view, has_colour, by_map=False):
        self.curses = curses
        self.screen = screen
        self.look = look
        self.interval = self.pace = interval
        self.view = view
        self.typing = self.is_help = self.is_alone = False
        self.by_map = by_map
        names = SORTS + SORTS_OF_ROOT if look.sysfs.exists(debugfs.ROOT) else SORTS
        self.sorts = (None, *(COLUMNS[name] for name in names))
        self.history = frame.History()
        self.baseline = detail.Baseline()
        self.places = detail.Places(look.sysfs)
        # How many lines each key scrolls; page keys scroll so many screens.
        self.pages = {curses.KEY_PPAGE: -1, curses.KEY_NPAGE: 1}
        self.moves = {curses.KEY_UP: -1, curses.KEY_DOWN: 1, curses.KEY_HOME: -END, curses.KEY_END: END, **self.pages}
        self.shown = None               # the look and its rows
        self.asked, self.acted = 0, 0   # when for a key, and how many there were
        self.fixed, self.body = [], []  # the lines below the head, first those that do not scroll
        self.is_stale = True            # these are to be made anew
        self.height = self.width = 0
        self.room = 1                   # how many of them there is room for
        self.top = 0                    # the first that is shown
        self.chosen = None              # the map that is, by frame.map_key()
        self.follows = False            # the chosen map was chosen by a key: it is to be seen
        # What curses goes by; Python may take UTF-8 for ASCII's superset.
        self.marks = (frame.BLOCKS if locale.nl_langinfo(locale.CODESET).upper() == "UTF-8"
                      else frame.ASCII)
        self.styles = self.make_styles(has_colour)

    def make_styles(self, has_colour):
        curses = self.curses
        with contextlib.suppress(curses.error):         # some terminals cannot
            curses.curs_set(0)
        styles = {"title": curses.A_DIM, "head": curses.A_DIM, "map": curses.A_BOLD}
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
            try:
                now = self.look(self.between)
            except Quit:
                return
            found = rows(now, before)
            self.history.add(found)
            # A look at hundreds of maps takes long, and the machine has other work to do.
            self.pace = max(self.interval, round(REST * (time.monotonic() - now.clock), 1))
            if self.show_until(now.clock + self.pace, now, found):
                return
            before, looks = now, looks + 1

    def show_until(self, deadline, now, found):
        """Draw, and again at each key; True if it is time to quit."""
        self.shown, self.is_stale = (now, found), True
        while True:
            self.draw(now, found)
            left = deadline - time.monotonic()
            if self.quit_by_keys(max(0, left)):
                return True
            if left <= 0:
                return False

    def between(self):
        """A look at hundreds of maps takes seconds: meanwhile, keys act on what is shown."""
        if self.shown and time.monotonic() - self.asked > LOOK_AROUND:
            self.asked = time.monotonic()
            before = self.acted
            if self.quit_by_keys(0):
                raise Quit
            if self.acted != before:
                self.draw(*self.shown)

    def quit_by_keys(self, seconds):
        """Wait so long for a key, and take all that are there, also if looks take longer than the interval."""
        self.screen.timeout(min(math.ceil(seconds * 1000), LONGEST_MS))
        while True:
            key = self.screen.getch()
            # A terminal that is gone would be asked for keys over and over.
            if not sys.stdin.isatty():
                return True
            if key == self.curses.ERR:
                return False
            self.screen.timeout(0)
            self.acted += 1
            if self.typing:
                self.type(key)
            elif key in QUIT or key == ESCAPE and not (self.is_alone or self.is_help):
                return True
            else:
                self.act(key)
            # Further keys scroll in the lines that there are then.
            self.is_stale |= key not in self.moves
            self.place()

    def act(self, key):
        if key == self.curses.KEY_RESIZE:
            return
        if self.is_help or key in HELP:
            self.is_help, self.top, self.follows = not self.is_help, 0, True
        elif key in self.moves:
            self.move(key)
        else:
            self.change(key)

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
        elif key == ord("c"):
            self.baseline.begin(*self.shown)
        elif key == ord("C"):
            self.baseline.end()
        elif key == ord("m"):
            self.by_map, self.is_alone, self.follows = not self.by_map or self.is_alone, False, True
        elif key in ENTER or self.is_alone and key in (ESCAPE, *BACKSPACE, self.curses.KEY_BACKSPACE):
            self.is_alone = not self.is_alone and self.chosen is not None
            self.top, self.follows = 0, not self.is_alone
        elif key in NEXT:
            self.choose(1)
        elif key in BEFORE or key == self.curses.KEY_BTAB:
            self.choose(-1)

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

    def move(self, key):
        """Scroll; a line for each map is chosen instead."""
        count = self.moves[key] * (self.room if key in self.pages else 1)
        if self.by_map and not self.is_alone:
            self.choose(count)
        else:
            self.top = max(0, self.top + count)

    def choose(self, further):
        """The map so many further, of those that are shown."""
        body = self.overview() if self.is_alone else self.body
        order = list(dict.fromkeys(line.of for line in body if line.of))
        if order:
            place = order.index(self.chosen) + further if self.chosen in order else 0
            self.chosen = order[max(0, min(place, len(order) - 1))]
            self.follows, self.top = True, 0 if self.is_alone else self.top

    def place(self):
        """Which lines there are, which of them is the first that is shown, and which map is chosen."""
        if self.is_stale:
            self.set_lines(self.lines(*self.shown))
        body = self.body
        bottom = max(0, len(body) - self.room)
        self.top = min(self.top, bottom)
        if self.is_help or self.is_alone:
            return
        of_chosen = [place for place, line in enumerate(body) if line.of and line.of == self.chosen]
        if of_chosen and self.follows:
            self.top = min(max(self.top, of_chosen[-1] - self.room + 1), of_chosen[0], bottom)
        on_screen = [line.of for line in body[self.top:self.top + self.room] if line.of]
        if self.chosen not in on_screen:
            self.chosen = on_screen[0] if on_screen else None
        self.follows = False

    def set_lines(self, lines):
        """The first one of those that are a table stays where it is."""
        count = 1 if lines and lines[0].style == "head" else 0
        self.fixed, self.body, self.is_stale = lines[:count], lines[count:], False
        self.room = max(1, self.height - HEAD - count)

    def overview(self):
        """The lines of all maps."""
        _, found = self.shown
        if self.by_map:
            return list(frame.overview(found, self.width, self.view))
        return list(frame.paths(found, self.history, self.width, self.marks, self.view))

    def lines(self, now, found):
        """The lines of the view below its head."""
        if self.is_help:
            return [frame.Line("%-10s%s" % item) for item in frame.HELP]
        if self.is_alone:
            return self.of_chosen(now, found)
        return self.overview() or [frame.nothing(now)]

    def of_chosen(self, now, found):
        rows_of = [row for row in found if frame.map_key(row) == self.chosen]
        one = next((one for one in now.maps if (one.dm, one.wwid or one.name) == self.chosen), None)
        if not rows_of or not one:
            return [frame.Line("%s is gone, or has no paths" % self.chosen[0])]
        return list(detail.lines(rows_of, one, self.history, self.baseline, self.places, self.width, self.marks,
                                 self.view))

    def draw(self, now, found):
        height, width = self.screen.getmaxyx()
        # The last cell of the last line cannot be written without scrolling.
        width -= 1
        second = ("any key: back" if self.is_help
                  else detail.TOLD if self.is_alone and not self.typing else frame.settings(self.view, self.typing))
        head = frame.head(now, found, self.pace, width, second)
        self.is_stale |= (height, width) != (self.height, self.width)
        self.height, self.width = height, width
        self.place()
        self.screen.erase()
        shown = [*head, *self.fixed, *self.body[self.top:self.top + self.room]][:height]
        for y, line in enumerate(frame.cut(shown, width)):
            style = self.styles.get(line.style, self.curses.A_NORMAL)
            if self.is_heading(line):
                style |= self.curses.A_REVERSE
            with contextlib.suppress(self.curses.error):    # wide letters may pass the edge
                self.screen.addstr(y, 0, line.text, style)
        self.screen.refresh()

    def is_heading(self, line):
        """This line heads the map that the key Enter shows."""
        return (not self.is_alone and line.of is not None and line.of == self.chosen
                and (self.by_map or line.style == "map"))
