"""dm-lw stat: one row a path, as iostat has one a disk."""
import argparse
import json
import re
import time

from . import columns, intervals, output, prometheus, table, tunables, watch
from .counts import Looker, rows
from .errors import LwError
from .maps import NO_MAPS

JSON_VERSION = 2
OF_THE_MAP = ("map", "dm", "wwid")


def add_parser(commands):
    parser = commands.add_parser(
        "stat", help="a row a path: latency, share, state", allow_abbrev=False,
        usage="dm-lw stat [options] [MAP...] [INTERVAL [COUNT]]",
        description="The first report is about now, and its rates are means since each path became known;"
                    " each other is about the interval before it.",
        epilog=columns.help_text(), formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", metavar="MAP, INTERVAL, COUNT", nargs="*",
                        help="maps, default all; seconds; number of reports")
    parser.add_argument("-o", "--output", metavar="COLUMNS",
                        help="columns, separated by commas; +COLUMNS for more than the default")
    parser.add_argument("-c", "--classes", action="store_true", help="a row a size class")
    parser.add_argument("-t", "--time", action="store_true", help="print the time of each report")
    parser.add_argument("--color", choices=("auto", "always", "never"), default="auto")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("-j", "--json", action="store_true", help="a JSON document each report")
    how.add_argument("--prometheus", metavar="FILE", nargs="?", const=output.STDOUT,
                     help="metrics, for node_exporter's textfile collector; FILE is replaced at"
                          " once, - is stdout")
    how.add_argument("-w", "--watch", action="store_true", help="full screen, with sparklines")
    parser.set_defaults(run=run)


def run(args):
    names, interval, count = intervals.split(args.words)
    chosen = args.output and columns.choose(
        args.output, columns.BY_CLASS if args.classes else columns.PATHS)
    metrics = args.prometheus is not None
    if metrics and re.fullmatch("[0-9.]+", args.prometheus):
        raise LwError("--prometheus %s: is it a file? Say ./%s, or give the interval first"
                      % (args.prometheus, args.prometheus), status=2)
    look = Looker(args.sysfs, names, bool(args.classes or args.json or metrics))
    if args.watch:
        return watch.run(look, interval or 1, count if interval else None)
    if metrics:
        report = prometheus.Reporter(look, args.prometheus)
        return intervals.repeat(report, report.look, interval, count)
    report = JsonReport(args, chosen, count) if args.json else TextReport(args, chosen)
    return intervals.repeat(report, look, interval, count)


class TextReport:
    def __init__(self, args, chosen):
        names = columns.BY_CLASS if args.classes else columns.PATHS
        self.columns = chosen or [columns.COLUMNS[name] for name in names]
        self.args = args
        self.colour = table.wants_colour(args.color)

    def __call__(self, now, before):
        if not now.maps and not before:
            raise LwError(NO_MAPS)
        if before:
            print()
        if self.args.time:
            print(time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(now.wall)))
        found = rows(now, before)
        if self.args.classes:
            found = columns.by_class(found)
        print("\n".join(table.lines(self.columns, found, self.colour)), flush=True)


class JsonReport:
    """The maps with their paths; with -o only some values of each path."""

    def __init__(self, args, chosen, count):
        self.sysfs = args.sysfs
        self.keys = chosen and [column.key for column in chosen]
        if self.keys and args.classes:
            self.keys.append("classes")
        self.indent = 2 if count == 1 else None

    def __call__(self, now, before):
        document = {
            "version": JSON_VERSION,
            "time": round(now.wall, 3),
            "interval_s": round(now.clock - before.clock, 3) if before else None,
            "maps": self.maps(now, before),
        }
        print(json.dumps(document, indent=self.indent), flush=True)

    def maps(self, now, before):
        paths = {}
        for row in rows(now, before):
            paths.setdefault(row["dm"], []).append(self.path(row))
        return [{"map": found.name, "dm": found.dm, "wwid": found.wwid,
                 "settings": self.settings(found),
                 "paths": paths.get(found.dm, [])} for found in now.maps]

    def settings(self, found):
        """As they were recorded, or as they are."""
        if found.settings is not None:
            return found.settings
        return tunables.read(self.sysfs, found.directory)

    def path(self, row):
        keys = self.keys or [key for key in row if key not in OF_THE_MAP]
        return {key: rounded(row.get(key)) for key in keys}


def rounded(value):
    """Rates to a thousandth, in the classes, too."""
    if isinstance(value, dict):
        return {key: rounded(inner) for key, inner in value.items()}
    return round(value, 3) if isinstance(value, float) else value
