"""dm-lw latency: how long I/Os take, by path, size and operation: percentiles, and a histogram of each."""
import contextlib
import json
import os
import sys
import time

from . import intervals, table
from .columns import COLUMNS, Column, milliseconds
from .counts import ALL, DATA, GATHER, Looker, rows
from .errors import LwError, reason
from .histogram import PERCENTILES
from .maps import CLASSES, DATA_CLASSES, OPERATIONS, TOLD_APART, listed
from .signals import interruptible, undivided, undone_by
from .sysfs import GONE

JSON_VERSION = 2
ROWS, BAR = 24, 40              # most of a histogram's picture
BLOCKS, ASCII = " ▏▎▍▌▋▊▉█", " #"

# Parts with a histogram of their own, in words.
PARTS = {**CLASSES, **{name: OPERATIONS[name] for name in TOLD_APART}}

ABOUT = [COLUMNS["path"], COLUMNS["state"]]
SUMMARY = [*ABOUT, COLUMNS["class"],
           Column("ios", "ios", "ios", "I/Os that ended", width=8),
           *(column for column in COLUMNS.values() if column.key in PERCENTILES)]
# Of other selectors' maps, by the counters of the paths' disks.
MEANS = [*ABOUT, COLUMNS["class"], COLUMNS["done"], COLUMNS["latency"]]
PICTURE = [Column("from", "from_us", "from-ms", "border", milliseconds, width=10),
           Column("below", "below_us", "below-ms", "border", milliseconds, width=10),
           Column("ios", "ios", "ios", "I/Os", width=8),
           Column("bar", "bar", "", "I/Os, as a bar", text=True)]


def add_parser(commands):
    parser = commands.add_parser(
        "latency", help="percentiles and histograms of a map's paths (root)", allow_abbrev=False,
        usage="dm-lw latency [-j] MAP [INTERVAL [COUNT]]",
        description="Percentiles and a histogram of the latency of each path and size of I/O, and of reads and"
                    " writes while the map's by_operation is 1. With"
                    " INTERVAL, reports about so many seconds each; without, one about all that was"
                    " counted so far, or about a second if the map counted nothing. If the map's"
                    " tunable \"histogram\" is 0 it is 1 until this command ends. Of a map with another"
                    " selector, means of reads and writes.")
    parser.add_argument("map", metavar="MAP")
    parser.add_argument("words", metavar="INTERVAL, COUNT", nargs="*", default=[],
                        help="seconds; number of reports")
    parser.add_argument("-j", "--json", action="store_true", help="a JSON document each report")
    parser.set_defaults(run=run)


def run(args):
    names, interval, count = intervals.split([args.map, *args.words])
    if len(names) != 1:
        raise LwError("one MAP is wanted, here are: %s" % listed(names), status=2)
    look = Looker(args.sysfs, names, histograms=True, scope=ALL)
    maps = look().maps
    if not maps:
        raise LwError("%s is gone" % names[0])
    (found,) = maps
    report = (JsonReport if args.json else TextReport)(count)
    with interruptible(), counted(args.sysfs, found) if found.is_ours else contextlib.nullcontext(True) as anew:
        so_far = interval is None and not anew
        intervals.repeat(lambda now, before: report(now, before, counting(now, found)), look,
                         interval or GATHER, count, skip_first=not so_far)


def counting(now, before):
    """The map, which may be removed or changed meanwhile; memory may have run short."""
    if [identity(found) for found in now.maps] != [identity(before)]:
        raise LwError("%s is gone" % before.name)
    (found,) = now.maps
    if found.is_ours != before.is_ours:
        raise LwError("%s has another selector now" % found.name)
    if found.is_ours and found.paths and not any(path.histograms for path in found.paths):
        raise LwError("%s is not counted by latency: somebody set its histogram to 0, or there was no"
                      " memory (dmesg)" % found.name)
    return found


def identity(found):
    """With the number, as the module counts for that."""
    return found.dm, found.identity


@contextlib.contextmanager
def counted(sysfs, found):
    """The map counts I/Os by latency within; tells whether it did not before."""
    was = sysfs.number(found.directory, "histogram")
    if was is None:
        raise LwError("the loaded module has no %s" % sysfs.path(found.directory, "histogram"))
    if was:
        yield False
        return
    switch, is_on = Switch(sysfs.path(found.directory, "histogram"), found.name), False
    with undone_by(lambda: is_on and switch.turn(0)):
        with undivided():
            is_on = switch.turn(1)
        yield True


class Switch:
    """The file of a map's tunable, held open: another map that gets the same number has another."""

    def __init__(self, file, name):
        self.file, self.name = file, name
        try:
            self.opened = os.open(file, os.O_WRONLY)
        except OSError as error:
            raise LwError("%s: %s" % (file, reason(error)))

    def turn(self, value):
        """Tells whether it could: a map that is gone counts nothing."""
        try:
            os.pwrite(self.opened, b"%d\n" % value, 0)
        except OSError as error:
            if error.errno in GONE:
                return False
            raise LwError("%s: %s" % (self.file, reason(error)))
        with contextlib.suppress(OSError):      # it is done all the same, and to be undone
            print("dm-lw: %s: histogram %d -> %d" % (self.name, 1 - value, value),
                  file=sys.stderr, flush=True)
        return True


def results(now, before, of_one=True):
    """A row for each path, and size or operation, that had I/Os, with its histogram; one at least for a path.

    And one for data of all sizes together: without of_one, if there is more than one size.
    """
    found = []
    for row in rows(now, before):
        used = {name: histogram for name, histogram in row["histograms"].items() if histogram.ios}
        if not of_one and len(used.keys() & set(DATA_CLASSES)) == 1:
            used.pop(DATA)
        about = {column.key: row.get(column.key) for column in ABOUT}
        found += [dict(about, ios=histogram.ios, histogram=histogram, **{"class": name},
                       **histogram.percentiles()) for name, histogram in used.items()] or [about]
    return found


def means(now, before):
    """A row for the reads and for the writes of each path, if there were any; one at least."""
    found = []
    for row in rows(now, before):
        about = {column.key: row[column.key] for column in ABOUT}
        parts = {name: row["disk_%ss_per_s" % name] for name in TOLD_APART}
        found += [dict(about, done_per_s=done, latency_us=row[name + "_latency_us"], **{"class": name})
                  for name, done in parts.items() if done] or [about]
    return found


class TextReport:
    """A table of percentiles, then each histogram."""

    def __init__(self, _count):
        self.has_begun = False
        self.marks = BLOCKS if sys.stdout.encoding.upper() == "UTF-8" else ASCII

    def __call__(self, now, before, found):
        if self.has_begun:
            print()
        self.has_begun = True
        print("\n".join(self.lines(now, before, found)), flush=True)

    def lines(self, now, before, found):
        seconds = "in %g s" % round(now.clock - before.clock, 2) if before else "counted so far"
        at = time.strftime("%H:%M:%S", time.localtime(now.wall))
        yield "  ".join(filter(None, (found.name, found.dm, found.wwid, "%s, %s" % (at, seconds))))
        yield ""
        if not found.is_ours:
            yield from table.lines(MEANS, means(now, before))
            return
        measured = results(now, before, of_one=False)
        yield from table.lines(SUMMARY, measured)
        for row in measured:
            if row.get("class") in PARTS:
                yield ""
                yield "%s, %s" % (row["path"], PARTS[row["class"]])
                yield from self.picture(row["histogram"])

    def picture(self, histogram):
        buckets = histogram.picture(ROWS)
        most = max((count for _, count in buckets), default=0)
        if buckets:
            yield from table.lines(PICTURE, [
                {"from_us": start, "below_us": end, "ios": count,
                 "bar": bar(count, most, self.marks)} for (start, end), count in buckets])
        if histogram.unstamped:
            yield "%d I/Os without time stamps: how long they took is not known" % (
                histogram.unstamped)


def bar(count, most, marks):
    """As long as the count is great; any count but 0 is seen."""
    steps = len(marks) - 1
    eighths = max(round(count * BAR * steps / most), 1) if count else 0
    return marks[-1] * (eighths // steps) + marks[eighths % steps].strip()


class JsonReport:
    def __init__(self, count):
        self.indent = 2 if count == 1 else None

    def __call__(self, now, before, found):
        paths = {path.name: dict(path=path.name, device=path.device, state=path.values["state"],
                                 classes={}, operations={}) for path in found.paths}
        for row in results(now, before) if found.is_ours else means(now, before):
            if "class" in row:
                kind = "operations" if row["class"] in OPERATIONS else "classes"
                paths[row["path"]][kind][row["class"]] = of_class(row)
        print(json.dumps({
            "version": JSON_VERSION,
            "time": round(now.wall, 3),
            "interval_s": round(now.clock - before.clock, 3) if before else None,
            "map": found.name, "dm": found.dm, "wwid": found.wwid,
            "paths": list(paths.values()),
        }, indent=self.indent), flush=True)


def of_class(row):
    histogram = row.get("histogram")
    if histogram is None:
        return {"done_per_s": row["done_per_s"], "mean_us": row["latency_us"]}
    return dict(ios=histogram.ios, unstamped=histogram.unstamped, **histogram.percentiles(),
                buckets=[{"from_us": start, "below_us": end, "ios": count}
                         for (start, end), count in histogram.buckets()])
