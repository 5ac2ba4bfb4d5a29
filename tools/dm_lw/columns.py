"""Columns of reports, from the table of values (values.py), and which of them are shown."""
import textwrap
from dataclasses import dataclass
from typing import Callable, Optional

from .errors import LwError
from .histogram import PERCENTILES
from .units import clock_time, megabytes, milliseconds, one_place, two_places  # noqa: F401
from .values import VALUES

UNKNOWN = "-"


@dataclass(frozen=True)
class Column:
    name: str                           # for -o
    key: str                            # in a row
    header: str
    help: str
    form: Callable[[object], str] = str
    text: bool = False                  # to the left
    width: int = 0                      # at least
    order: Optional[Callable[[object], object]] = None      # sorts by this instead of the value

    def cell(self, row):
        value = row.get(self.key)
        return UNKNOWN if value is None else self.form(value)

    def pad(self, cell, width):
        return cell.ljust(width) if self.text else cell.rjust(width)

    def place(self, row):
        """Where it comes when rows are sorted by this column."""
        value = row[self.key]
        return self.order(value) if self.order else value


COLUMNS = {value.column: Column(value.column, value.key, value.header or value.column, value.help, value.unit.form,
                                value.text, value.width, value.order) for value in VALUES if value.column}

PATHS = ("map", "dm", "path", "state", "since", "share", "ios", "latency", "base",
         "inflight")
# As iostat -x has them, in 80 columns.
EXTENDED = ("map", "dm", "path", "state", "share", "r/s", "w/s", "r_await", "w_await", "size", "inflight")
BY_CLASS = ("map", "dm", "path", "state", "class", "done", "latency", "inflight")
# For --by: columns in the row of a group of paths.
MAP = "map"
GROUPS = {MAP: "dm", "port": "target_port", "hba": "host_port"}
ROW_EACH = ("port", "hba")              # groups that have one row, and no rows of their paths
OF_GROUP = ("paths", "slow", "failed", "ios", "bytes", "r_await", "w_await")
MORE_OF_GROUP = ("latency", "read", "write", "r/s", "w/s", "size", "inflight")


def default(args):
    """The names of those that are shown without -o."""
    if args.by in ROW_EACH:
        return (args.by, *OF_GROUP)
    return BY_CLASS if args.classes else EXTENDED if args.extended else PATHS


def names_of_group(by):
    return (by, *OF_GROUP, *MORE_OF_GROUP)


def require_of_group(by, chosen):
    names = names_of_group(by)
    for column in chosen:
        if column.name not in names:
            raise LwError("--by %s has no column \"%s\"; there are: %s" % (by, column.name, ", ".join(names)), status=2)


def choose(words, default):
    """The columns that -o asks for: a list, or "+a,b" for more than the default."""
    more = words.startswith("+")
    names = [word.strip() for word in words.lstrip("+").split(",")]
    return [COLUMNS[name] for name in default if more] + [named(name, "-o") for name in names]


def named(word, option):
    """By its name, its header, or its key in JSON."""
    for column in COLUMNS.values():
        if word in (column.name, column.header, column.key):
            return column
    raise LwError("%s: no column is called \"%s\"; there are: %s" % (option, word, ", ".join(COLUMNS)), status=2)


def need_histograms(chosen):
    return any(column.key in PERCENTILES for column in chosen)


def need_links(chosen):
    return any(column.key in ("hctl", "target_port", "host_port") for column in chosen)


def need_multipathd(chosen):
    return any(column.key in ("prio", "checker") for column in chosen)


def by_class(rows):
    """A row for each size class that was measured, instead of one for the path."""
    result = []
    for row in rows:
        about = {COLUMNS[name].key: row.get(COLUMNS[name].key)
                 for name in ("map", "dm", "wwid", "selector", "path", "device", "hctl", "port", "hba", "prio", "checker", "state", "since",
                              "source", "prefer")}
        classes = [dict(about, **dict(values, **{"class": name}))
                   for name, values in row["classes"].items() if values["done"]]
        result += classes or [about]
    return result


def help_text():
    lines = ["columns:"]
    for column in COLUMNS.values():
        lines += textwrap.wrap("  %-10s%s" % (column.name, column.help), 79, subsequent_indent=" " * 12, break_on_hyphens=False)
    return "\n".join(lines)
