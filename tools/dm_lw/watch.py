"""dm-lw stat --watch: the whole terminal, with a sparkline of latency and share a path."""
import collections
import contextlib
import locale
import sys
import time

from .columns import COLUMNS
from .counts import rows
from .errors import LwError
from .maps import FAILED, NEW, PROBING, RAMPING

BLOCKS = " ▁▂▃▄▅▆▇█"
ASCII = " _.-=+*#@"
REMEMBERED = 300                # looks
LONGEST = 60                    # characters of a sparkline
BEFORE = ("path", "state", "since", "ios", "inflight", "base")
QUIT = (ord("q"), ord("Q"), 27)


class History:
    """Latency and share of each path, look after look."""

    def __init__(self):
        self.values = {}

    def add(self, found):
        """A path that is gone is forgotten."""
        kept = {}
        for row in found:
            key = row["dm"], row["path"], row["device"]
            kept[key] = self.values.get(key) or tuple(collections.deque(maxlen=REMEMBERED)
                                                      for _ in range(2))
            kept[key][0].append(row["latency_us"] or 0)
            kept[key][1].append(row["share_percent"] or 0)
        self.values = kept

    def of(self, row):
        return self.values[row["dm"], row["path"], row["device"]]

    def slowest(self, dm):
        """The scale of a map's latencies: its paths can be compared by eye."""
        return max(max(latencies) for (of, _, _), (latencies, _) in self.values.items()
                   if of == dm)


def sparkline(values, top, width, marks):
    """The last `width` values as characters, from nothing to `top`; what is not 0 is seen."""
    shown = list(values)[-width:] if width else []
    steps = len(marks) - 1
    line = "".join(marks[min(steps, max(1, round(value * steps / top)) if value else 0)]
                   for value in shown)
    return line.rjust(width)


def frame(now, found, history, interval, width, marks):
    """What the screen shows: lines and the state whose colour each has."""
    title = "dm-lw  %s  every %g s" % (time.strftime("%H:%M:%S", time.localtime(now.wall)),
                                       interval)
    keys = "q quits, arrows scroll"
    lines = [(title + keys.rjust(width - len(title)) if width > len(title) + len(keys)
              else title, "title")]
    if not found:
        lines.append(("no map uses latency-weighted", None))
    for number, row in enumerate(found):
        if not number or row["dm"] != found[number - 1]["dm"]:
            of_map = [other for other in found if other["dm"] == row["dm"]]
            fixed = widths(of_map)
            spark = min(LONGEST, max(0, (width - sum(fixed.values()) - 2 * len(fixed) - 4) // 2))
            lines.append(("", None))
            lines.append(("%s  %s  %s" % (row["map"], row["dm"], row["wwid"] or ""), "map"))
            lines.append((heading(fixed, spark), "title"))
        lines.append((path_line(row, fixed, spark, history, marks), row["state"]))
    return [(line[:width], style) for line, style in lines]


SHOWN = tuple(COLUMNS[name] for name in BEFORE + ("latency", "share"))


def widths(of_map):
    return {column.name: max([len(column.header), column.width] +
                             [len(column.cell(row)) for row in of_map]) for column in SHOWN}


def heading(fixed, spark):
    return joined([column.pad(column.header, fixed[column.name]) for column in SHOWN],
                  " " * spark, " " * spark)


def path_line(row, fixed, spark, history, marks):
    latencies, shares = history.of(row)
    return joined([column.pad(column.cell(row), fixed[column.name]) for column in SHOWN],
                  sparkline(latencies, history.slowest(row["dm"]) or 1, spark, marks),
                  sparkline(shares, 100, spark, marks))


def joined(cells, latencies, shares):
    """Each sparkline follows its number."""
    *before, latency, share = cells
    return "  ".join(before + [latency, latencies, share, shares]).rstrip()


def run(look, interval, count):
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise LwError("--watch needs a terminal")
    try:
        import curses
    except ImportError:
        raise LwError("--watch needs Python's curses module")
    # Before the screen is taken: what is wrong is better said on the terminal.
    look()
    locale.setlocale(locale.LC_ALL, "")
    try:
        curses.wrapper(lambda screen: Watch(curses, screen, look, interval).run(count))
    except curses.error as error:
        raise LwError("--watch: %s" % error)


class Watch:
    def __init__(self, curses, screen, look, interval):
        self.curses = curses
        self.screen = screen
        self.look = look
        self.interval = interval
        self.history = History()
        self.top = 0
        self.marks = BLOCKS if locale.getpreferredencoding(False).upper() == "UTF-8" else ASCII
        self.styles = self.make_styles()

    def make_styles(self):
        curses = self.curses
        with contextlib.suppress(curses.error):         # some terminals cannot
            curses.curs_set(0)
        styles = {"title": curses.A_DIM, "map": curses.A_BOLD}
        if curses.has_colors():
            curses.use_default_colors()
            for pair, (state, colour) in enumerate((
                    (FAILED, curses.COLOR_RED), (PROBING, curses.COLOR_YELLOW),
                    (RAMPING, curses.COLOR_CYAN), (NEW, curses.COLOR_CYAN)), 1):
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
            if left <= 0:
                return False
            self.screen.timeout(max(1, int(left * 1000)))
            key = self.screen.getch()
            # A terminal that is gone would be asked for keys over and over.
            if key in QUIT or not sys.stdin.isatty():
                return True
            self.scroll(key)

    def scroll(self, key):
        page = max(1, self.screen.getmaxyx()[0] - 2)
        self.top += {self.curses.KEY_UP: -1, self.curses.KEY_DOWN: 1,
                     self.curses.KEY_PPAGE: -page, self.curses.KEY_NPAGE: page}.get(key, 0)

    def draw(self, now, found):
        height, width = self.screen.getmaxyx()
        # The last cell of the last line cannot be written without scrolling.
        lines = frame(now, found, self.history, self.interval, width - 1, self.marks)
        self.top = max(0, min(self.top, len(lines) - height))
        self.screen.erase()
        for y, (line, style) in enumerate(lines[self.top:self.top + height]):
            self.screen.addstr(y, 0, line, self.styles.get(style, self.curses.A_NORMAL))
        self.screen.refresh()
