"""What dm-lw stat --watch shows of one map: paths, where they lead, and what was counted since a key was pressed."""
import textwrap

from . import frame, links, show, tunables
from .columns import COLUMNS, Column, clock_time

RATES = tuple(COLUMNS[name] for name in ("path", "hctl", "r/s", "w/s", "r_await", "w_await", "size"))
PORTS = tuple(COLUMNS[name] for name in ("path", "device", "port", "hba"))
COUNTS = (COLUMNS["path"], *(Column(name, name, header, "") for name, header in (
    ("done", "I/Os"), ("probes", "probes"), ("failures", "failures"), ("outliers", "outliers"), ("full", "full"),
    ("ignored", "ignored"))))
IGNORED = ("ignored_failed", "ignored_stale", "ignored_unissued")
COUNTED = ("done", "probes", "failures", "outliers", "full", *IGNORED)
TOLD = "Esc all maps  n next map  p the map before  c count from now on"


class Baseline:
    """From where on is counted; without begin(), since the paths became known."""

    def __init__(self):
        self.since = None
        self.values = {}

    @staticmethod
    def key(row):
        """A path that went and came again counts anew."""
        return frame.map_key(row), row["path"], row["device"], row.get("known_since")

    def begin(self, now, found):
        self.since = now.wall
        self.values = {self.key(row): {name: row.get(name) for name in COUNTED} for row in found}

    def end(self):
        self.since, self.values = None, {}

    def counts(self, row):
        """What the path counted; None where nothing is known."""
        was = self.values.get(self.key(row), {})
        grew = {name: None if row.get(name) is None else max(row[name] - (was.get(name) or 0), 0) for name in COUNTED}
        parts = [grew[name] for name in IGNORED]
        return dict(grew, path=row["path"], ignored=None if None in parts else sum(parts))

    def told(self):
        if self.since is None:
            return "counted since ever"
        return "counted since %s (C: since ever)" % clock_time(self.since)


class Places:
    """Where paths lead, looked up once: it takes long, and stays."""

    def __init__(self, sysfs):
        self.sysfs = sysfs
        self.known = {}

    def of(self, number):
        if number is None:
            return {}
        if number not in self.known:
            self.known[number] = links.place(self.sysfs, number)
        return self.known[number]


def lines(found, one, history, baseline, places, width, marks, view):
    """The map's lines as among all, and then tables of its paths in the same order."""
    of_map = view.sorted(found)
    yield from frame.map_lines(of_map, found, history, width, marks, view)
    rows = [dict(row, **places.of(row["device"])) for row in of_map]
    for title, shown, part in (("reads and writes", RATES, rows), ("where they lead", PORTS, rows),
                               (baseline.told(), COUNTS, [baseline.counts(row) for row in rows])):
        yield frame.Line("")
        yield frame.Line(title, "title")
        yield from table_lines(shown, part, of_map)
    if one.is_ours:
        yield frame.Line("")
        text = show.settings_line(places.sysfs, tunables.read(places.sysfs, one.directory))
        for line in textwrap.wrap(" ".join(text.split()), max(20, width), subsequent_indent="    "):
            yield frame.Line(line)


def table_lines(shown, rows, of_map):
    cells = [[column.cell(row) for column in shown] for row in rows]
    widths = [max(map(len, (column.header, *texts))) for column, texts in zip(shown, zip(*cells))]
    for texts, style in [([column.header for column in shown], "title"),
                         *((texts, row["state"]) for texts, row in zip(cells, of_map))]:
        yield frame.Line("  ".join(column.pad(text, size) for column, text, size
                                   in zip(shown, texts, widths)).rstrip(), style)
