"""Each value that reports show: its name, header and how it is written.

JSON has the same values under the same keys as rows (counts.py), in base
units of the module; only text is rounded.
"""
import time
from dataclasses import dataclass
from typing import Callable, Optional

from .errors import LwError
from .histogram import PERCENTILES
from .maps import CLASSES, STATES
from .sysfs import by_number

UNKNOWN = "-"


def as_it_is(value):
    return str(value)


def one_place(value):
    return "%.1f" % value


def two_places(value):
    return "%.2f" % value


def kibibytes(count):
    return "%.1f" % (count / 1024)


def milliseconds(microseconds):
    return "%.3f" % (microseconds / 1000)


def megabytes(count):
    return "%.2f" % (count / 1e6)


def clock_time(seconds, other_day="%m-%d %H:%M"):
    """The time of day; with the date if it is another day's."""
    try:
        then, now = time.localtime(seconds), time.localtime()
    except (OverflowError, OSError):        # from a file that is not the kernel's
        return "?"
    return time.strftime("%H:%M:%S" if then[:3] == now[:3] else other_day, then)


def worst_first(state):
    return -STATES.index(state)


def by_size(name):
    return list(CLASSES).index(name)


@dataclass(frozen=True)
class Column:
    name: str                           # for -o
    key: str                            # in a row
    header: str
    help: str
    form: Callable[[object], str] = as_it_is
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


COLUMNS = {column.name: column for column in (
    Column("map", "map", "map", "alias of the map", text=True, width=8, order=by_number),
    Column("dm", "dm", "dm", "dm-N", text=True, order=by_number),
    Column("wwid", "wwid", "wwid", "WWID", text=True),
    Column("selector", "selector", "selector", "path selector of the map, by whose table only root knows another one",
           text=True),
    Column("path", "path", "path", "the path's block device", text=True, order=by_number),
    Column("device", "device", "dev", "its number", text=True, order=by_number),
    Column("hctl", "hctl", "hctl", "its SCSI address: host, channel, target, LUN", text=True, order=by_number),
    Column("port", "target_port", "port", "the storage's port that it leads to", text=True, order=by_number),
    Column("hba", "host_port", "hba", "the port of this host that it begins at", text=True, order=by_number),
    Column("prio", "prio", "prio", "priority that multipathd gives it (root)"),
    Column("checker", "checker", "checker", "what multipathd's checker found last, such as ready or ghost (root)", text=True),
    Column("paths", "paths", "paths", "with --by: how many"),
    Column("slow", "slow", "slow", "with --by: how many are slow or stalled"),
    Column("failed", "failed", "failed", "with --by: how many have failed"),
    Column("state", "state", "state", ", ".join(STATES), text=True,
           width=7, order=worst_first),
    Column("since", "state_since", "since", "since when", clock_time, width=8),
    Column("source", "latency_source", "source", "what measures: none, timestamps or counts (of I/Os); disk with another selector",
           text=True),
    Column("weight", "weight", "weight", "share that latencies imply, of 128"),
    Column("share", "share_percent", "share%", "per cent of the map's I/Os", two_places, width=6),
    Column("ios", "ios_per_s", "io/s", "I/Os done a second", one_place, width=8),
    Column("read", "read_bytes_per_s", "rMB/s", "10^6 bytes read a second", megabytes, width=8),
    Column("write", "write_bytes_per_s", "wMB/s", "10^6 bytes written a second", megabytes,
           width=8),
    Column("bytes", "bytes_per_s", "MB/s", "with --by: 10^6 bytes a second, read and written", megabytes, width=7),
    Column("r/s", "disk_reads_per_s", "r/s", "reads a second of the path's disk", one_place, width=7),
    Column("w/s", "disk_writes_per_s", "w/s", "writes a second of it", one_place, width=7),
    Column("r_await", "read_latency_us", "r_await", "ms that its reads took in the mean", milliseconds, width=7),
    Column("w_await", "write_latency_us", "w_await", "ms that its writes took", milliseconds, width=7),
    Column("size", "io_bytes", "size-KiB", "KiB that its reads and writes have in the mean", kibibytes),
    Column("class", "class", "class", "size of I/Os, with --classes", text=True, order=by_size),
    Column("done", "done_per_s", "done/s", "measured I/Os a second", one_place),
    Column("latency", "latency_us", "lat-ms", "latency", milliseconds, width=8),
    Column("base", "base_latency_us", "base-ms", "latency without queueing",
           milliseconds, width=8),
    *(Column(name, key, name + "-ms", told, milliseconds, width=8) for name, key, told in (
        ("p50", "p50_us", "half of the I/Os took no longer (root; the map's histogram is 1)"),
        ("p90", "p90_us", "90 of 100 took no longer"),
        ("p99", "p99_us", "99 of 100 took no longer"),
        ("p99.9", "p999_us", "999 of 1000 took no longer"))),
    Column("noise", "noise_percent", "noise%", "per cent by which the latency varies"),
    Column("outlier", "outlier_latency_us", "outl-ms", "latency that rare slow I/Os add in the mean",
           milliseconds, width=8),
    Column("outliers", "outliers", "outliers", "I/Os that took eight times the base or more without a queue, ever"),
    Column("inflight", "inflight", "inflight", "I/Os in flight"),
    Column("knee", "knee", "knee", "I/Os in flight that make the path queue"),
    Column("blockcost", "block_cost", "4k-cost", "what 4 KiB cost, in 1/1000 of an I/O"),
    Column("probes", "probes_per_s", "probes/s", "probes sent a second", one_place),
    Column("full", "full_per_s", "full/s", "times a second that the path was found full",
           one_place),
    Column("ignored", "ignored_per_s", "ignored/s", "completions a second not used for latency",
           one_place),
    Column("failures", "failures", "failures", "times that it failed, ever"),
    Column("prefer", "prefer", "prefer", "1 if its latency counts as half"),
)}

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
    return "columns:\n" + "\n".join("  %-10s%s" % (column.name, column.help)
                                    for column in COLUMNS.values())
