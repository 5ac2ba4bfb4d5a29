"""What dm-lw stat --watch shows of all maps: lines of text, with a sparkline of latency and share a path."""
import collections
import time
from typing import NamedTuple, Optional

from . import groups
from .columns import COLUMNS, MAP
from .maps import ACTIVE, STATES

BLOCKS = " ▁▂▃▄▅▆▇█"
ASCII = " _.-=+*#@"
REMEMBERED = 300                # looks
LONGEST = 60                    # characters of a sparkline
SHORTEST = 10                   # for less, columns are left out
OF_MAP = ("map", "dm", "wwid")
BEFORE = ("path", "state", "since", "ios", "inflight", "base")
MAY_GO = ("base", "inflight")   # in this order, if the screen is too narrow
BEFORE_SPARKLINES = ("latency", "share")
# Columns beside the name of a map.
OVERVIEW = ("state", "paths", "slow", "failed", "ios", "bytes", "latency", "inflight")
NAME = 24                       # for less of a name, columns are left out
SHORT_NAME = 12                 # a name is cut to no less
IN_TROUBLE = tuple(state for state in STATES if state != ACTIVE)
KEYS = "h help  q quit"
HELP = (
    ("up, down", "scroll, or choose a map where each has one line; likewise page keys"),
    ("Tab, n, p", "choose the next map, or the one before"),
    ("Enter", "all about the chosen map; Enter, Esc or Backspace: back to all maps"),
    ("m", "a line for each map, with totals of its paths; or all paths again"),
    ("c, C", "of the map that Enter showed: count from now on; since ever again"),
    ("s, r", "sort by the next column; the other way round"),
    ("f, z", "only paths in the next state; hide paths without I/O"),
    ("/", "only what has a part of a name: Enter keeps it, Esc ends it"),
    ("h, ?", "this help"),
    ("q", "quit"),
)


class Line(NamedTuple):
    text: str
    style: Optional[str] = None     # the state or kind whose colour it has
    of: Optional[tuple] = None      # the map that it is about, as map_key() tells


def map_key(row):
    """Another map may get the same dm-N, and a map another name."""
    return row["dm"], row["wwid"] or row["map"]


def cut(lines, width):
    return [line._replace(text=line.text[:max(0, width)]) for line in lines]


class History:
    """Latency and share of each path, look after look."""

    def __init__(self):
        self.values = {}
        self.most = {}

    def add(self, found):
        """A path that is gone is forgotten."""
        kept, self.most = {}, {}
        for row in found:
            key = row["dm"], row["path"], row["device"]
            kept[key] = self.values.get(key) or tuple(collections.deque(maxlen=REMEMBERED)
                                                      for _ in range(2))
            kept[key][0].append(row["latency_us"] or 0)
            kept[key][1].append(row["share_percent"] or 0)
            self.most[row["dm"]] = max(self.most.get(row["dm"], 0), *kept[key][0])
        self.values = kept

    def of(self, row):
        return self.values[row["dm"], row["path"], row["device"]]

    def slowest(self, dm):
        """The scale of a map's latencies: its paths can be compared by eye."""
        return self.most[dm]


def sparkline(values, top, width, marks):
    """The last `width` values as characters, from nothing to `top`; what is not 0 is seen."""
    shown = list(values)[-width:] if width else []
    steps = len(marks) - 1
    line = "".join(marks[min(steps, max(1, round(value * steps / top)) if value else 0)]
                   for value in shown)
    return line.rjust(width)


def head(now, found, interval, width, second):
    """The lines above all views: the time, how many paths are in trouble, and what keys there are."""
    title = "dm-lw  %s  every %g s" % (time.strftime("%H:%M:%S", time.localtime(now.wall)), interval)
    for more in ("  " + counted(found), ""):
        if len(title) + len(more) + 2 + len(KEYS) <= width:
            title += more + KEYS.rjust(width - len(title) - len(more))
            break
    return [Line(title, "title"), Line(second, "title")]


def counted(found):
    """Like "2 maps, 8 paths: 1 slow, 1 failed"."""
    maps = len({map_key(row) for row in found})
    told = "%d map%s, %d path%s" % (maps, "" if maps == 1 else "s", len(found), "" if len(found) == 1 else "s")
    states = collections.Counter(row["state"] for row in found)
    bad = ["%d %s" % (states[state], state) for state in IN_TROUBLE if states[state]]
    return told + (": " + ", ".join(bad) if bad else "")


def settings(view, typing=False):
    """The line below: what each key changes, and how that is set now."""
    if typing:
        return "only paths and maps with: %s_   Enter keeps it, Esc shows all" % view.word
    return "  ".join((
        "s sort: %s%s" % (view.sort.name if view.sort else "by map", ", reversed" if view.reverse else ""),
        "f state: %s" % ("not active" if view.states == IN_TROUBLE
                         else " ".join(view.states) or "all"),
        "z idle: %s" % ("hidden" if view.omit_idle else "shown"),
        "/ name: %s" % (view.word or "all")))


def nothing(now):
    return Line("no path is shown: see the keys f, z and /" if now.maps else "no map uses latency-weighted")


def paths(found, history, width, marks, view):
    """Each map with its paths; `found` are rows of all paths, and the view shows some."""
    all_of = groups.grouped(found, MAP)
    for of_map in groups.grouped(view.rows(found), MAP).values():
        yield from map_lines(of_map, all_of[of_map[0]["dm"]], history, width, marks, view)


def overview(found, width, view):
    """A line for each map that has a path to be shown, with the totals of all its paths."""
    all_of = groups.grouped(found, MAP)
    rows = view.sorted([summed(all_of[dm]) for dm in groups.grouped(view.rows(found), MAP)])
    shown = overview_columns(width)
    cells = [[column.cell(row) for column in shown] for row in rows]
    widths = [max([len(column.header), column.width] + [len(line[place]) for line in cells])
              for place, column in enumerate(shown)]
    room = max(SHORT_NAME, width - sum(widths) - 2 * len(widths))
    names = [shortened(row["map"], room) for row in rows]
    longest = max(map(len, ["map", *names]))

    def line(name, texts):
        return "  ".join([name.ljust(longest)] + [column.pad(text, size) for column, text, size
                                                  in zip(shown, texts, widths)]).rstrip()

    if rows:
        yield Line(line("map", [column.header for column in shown]), "head")
    for row, name, texts in zip(rows, names, cells):
        yield Line(line(name, texts), row["state"], map_key(row))


def overview_columns(width):
    """As many as leave room for the name."""
    names = list(OVERVIEW)
    for name in ("inflight", "paths"):
        if width - sum(max(COLUMNS[each].width, len(COLUMNS[each].header)) + 2 for each in names) < NAME:
            names.remove(name)
    return [COLUMNS[name] for name in names]


def summed(of_map):
    """The totals of a map, whose state is the worst of its paths'."""
    states = [row["state"] for row in of_map if row["state"]]
    return dict(groups.totals(of_map), state=max(states, key=STATES.index, default=None),
                **{name: of_map[0][name] for name in OF_MAP})


def shortened(name, width):
    """WWIDs differ at their end."""
    if len(name) <= width:
        return name
    begin = (width - 1) // 3
    return name[:begin] + "~" + name[len(name) - (width - 1 - begin):]


def columns(view, width):
    """What rows are sorted by is to be seen."""
    names = BEFORE + BEFORE_SPARKLINES
    more = (view.sort.name,) if view.sort and view.sort.name not in names + OF_MAP else ()
    wanted = list(BEFORE + more + BEFORE_SPARKLINES)
    for name in MAY_GO:
        shown = [COLUMNS[each] for each in wanted]
        taken = sum(max(column.width, len(column.header)) + 2 for column in shown)
        if (width - taken - 4) // 2 < SHORTEST and not (view.sort and view.sort.name == name):
            wanted.remove(name)
    return [COLUMNS[name] for name in wanted]


def map_lines(of_map, all_paths, history, width, marks, view):
    """An empty line, the map, the header, and a line a path."""
    of = map_key(of_map[0])
    shown = columns(view, width)
    widths = [max([len(column.header), column.width] + [len(column.cell(row)) for row in of_map])
              for column in shown]
    spark = min(LONGEST, max(0, (width - sum(widths) - 2 * len(widths) - 4) // 2))
    yield Line("", None, of)
    yield Line(heading(all_paths, width), "map", of)
    yield Line(joined(shown, widths, [column.header for column in shown], " " * spark,
                      " " * spark), "title", of)
    for row in of_map:
        latencies, shares = history.of(row)
        yield Line(joined(shown, widths, [column.cell(row) for column in shown],
                          sparkline(latencies, history.slowest(row["dm"]) or 1, spark, marks),
                          sparkline(shares, 100, spark, marks)), row["state"], of)


def heading(of_map, width):
    """The map's names, and at the right the totals of all its paths; the WWID if there is room."""
    name, dm, wwid = (of_map[0][key] or "" for key in OF_MAP)
    totals = groups.totals(of_map)
    told = "  ".join("%s %s" % (COLUMNS[column].cell(totals), COLUMNS[column].header)
                     for column in ("ios", "bytes", "inflight"))
    names = "  ".join(filter(None, (name, dm, wwid if wwid != name else "")))
    if len(names) + 2 + len(told) > width:
        names = "%s  %s" % (shortened(name, max(SHORT_NAME, width - len(told) - len(dm) - 4)), dm)
    return (names + told.rjust(width - len(names)) if len(names) + 2 + len(told) <= width else names)


def joined(shown, widths, cells, latencies, shares):
    """Each sparkline follows its number."""
    *before, latency, share = [column.pad(cell, width)
                               for column, cell, width in zip(shown, cells, widths)]
    return "  ".join(before + [latency, latencies, share, shares]).rstrip()
