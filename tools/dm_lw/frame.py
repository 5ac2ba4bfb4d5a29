"""What dm-lw stat --watch shows: lines of text, with a sparkline of latency and share a path."""
import collections
import time

from .columns import COLUMNS, MAP
from .groups import grouped
from .maps import ACTIVE, STATES

BLOCKS = " ▁▂▃▄▅▆▇█"
ASCII = " _.-=+*#@"
REMEMBERED = 300                # looks
LONGEST = 60                    # characters of a sparkline
OF_MAP = ("map", "dm", "wwid")
BEFORE = ("path", "state", "since", "ios", "inflight", "base")
KEYS = "q quits, arrows scroll"
IN_TROUBLE = tuple(state for state in STATES if state != ACTIVE)
BEFORE_SPARKLINES = ("latency", "share")


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


def frame(now, found, history, interval, width, marks, view, typing=False):
    """What the screen shows: lines, and the state or kind whose colour each has."""
    title = "dm-lw  %s  every %g s" % (time.strftime("%H:%M:%S", time.localtime(now.wall)),
                                       interval)
    lines = [(title + KEYS.rjust(width - len(title)) if width > len(title) + len(KEYS)
              else title, "title"), (settings(view, typing), "title")]
    if not found:
        lines.append(("no path is shown: see the keys f, z and /" if now.maps
                      else "no map uses latency-weighted", None))
    for of_map in grouped(found, MAP).values():
        lines += map_lines(of_map, history, width, marks, columns(view))
    return [(line[:width], style) for line, style in lines]


def settings(view, typing):
    """The other line of help: what each key changes, and how that is set now."""
    if typing:
        return "only paths and maps with: %s_   Enter keeps it, Esc shows all" % view.word
    return "   ".join((
        "s sort: %s" % (view.sort.name if view.sort else "by map"),
        "r reverse: %s" % ("yes" if view.reverse else "no"),
        "f state: %s" % ("not active" if view.states == IN_TROUBLE
                         else " ".join(view.states) or "all"),
        "z idle: %s" % ("hidden" if view.omit_idle else "shown"),
        "/ name: %s" % (view.word or "all")))


def columns(view):
    """What rows are sorted by is to be seen."""
    names = BEFORE + BEFORE_SPARKLINES
    more = (view.sort.name,) if view.sort and view.sort.name not in names + OF_MAP else ()
    return [COLUMNS[name] for name in BEFORE + more + BEFORE_SPARKLINES]


def map_lines(of_map, history, width, marks, shown):
    """An empty line, the map, the header, and a line a path."""
    widths = [max([len(column.header), column.width] + [len(column.cell(row)) for row in of_map])
              for column in shown]
    spark = min(LONGEST, max(0, (width - sum(widths) - 2 * len(widths) - 4) // 2))
    yield "", None
    yield "%s  %s  %s" % tuple(of_map[0][name] or "" for name in OF_MAP), "map"
    yield joined(shown, widths, [column.header for column in shown], " " * spark,
                 " " * spark), "title"
    for row in of_map:
        latencies, shares = history.of(row)
        yield joined(shown, widths, [column.cell(row) for column in shown],
                     sparkline(latencies, history.slowest(row["dm"]) or 1, spark, marks),
                     sparkline(shares, 100, spark, marks)), row["state"]


def joined(shown, widths, cells, latencies, shares):
    """Each sparkline follows its number."""
    *before, latency, share = [column.pad(cell, width)
                               for column, cell, width in zip(shown, cells, widths)]
    return "  ".join(before + [latency, latencies, share, shares]).rstrip()
