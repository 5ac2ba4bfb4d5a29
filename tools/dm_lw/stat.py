"""dm-lw stat: one row a path, as iostat has one a disk."""
import argparse
import json
import re
import time

from . import columns, intervals, output, prometheus, table, tunables, view, watch
from .counts import Looker, rows
from .errors import LwError
from .maps import NO_MAPS, PATH_KEYS, in_shell, list_maps

JSON_VERSION = 3
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
    parser.add_argument("-y", "--skip-first", action="store_true",
                        help="leave out the first report, whose rates are means since long ago")
    view.add_options(parser)
    parser.add_argument("-t", "--time", action="store_true", help="print the time of each report")
    parser.add_argument("--color", choices=("auto", "always", "never"), default="auto")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("-j", "--json", action="store_true", help="a JSON document each report")
    how.add_argument("--prometheus", metavar="FILE", nargs="?", const=output.STDOUT,
                     help="metrics, for node_exporter's textfile collector; FILE is replaced at"
                          " once, - is stdout")
    parser.add_argument("--prometheus-all", action="store_true",
                        help="with --prometheus: all metrics of each path, some three times as many")
    how.add_argument("-w", "--watch", action="store_true", help="full screen, with sparklines")
    parser.set_defaults(run=run)


def run(args):
    names, interval, count = intervals.split(args.words)
    usual = columns.BY_CLASS if args.classes else columns.PATHS
    chosen = [] if args.output is None else columns.choose(args.output, usual)
    metrics = args.prometheus is not None
    if metrics and re.fullmatch("[0-9.]+", args.prometheus):
        raise LwError("--prometheus %s: is it a file? Say ./%s, or give the interval first"
                      % (args.prometheus, args.prometheus), status=2)
    if metrics and any(args.prometheus in found.names() for found in list_maps(args.sysfs)):
        raise LwError("--prometheus %s: that is a map. Say - for stdout, or ./%s for a file, before it"
                      % (args.prometheus, args.prometheus), status=2)
    seen = view.from_options(args)
    check_usage(args, seen, interval)
    histograms = seen.needs_histograms or columns.need_histograms(chosen)
    look = Looker(args.sysfs, names, bool(args.classes or args.json or args.prometheus_all), histograms,
                  prometheus.KEYS if metrics and not args.prometheus_all else PATH_KEYS)
    if histograms:
        require_counted(look())
    if args.watch:
        return watch.run(look, interval or 1, count if interval else None, seen,
                         table.wants_colour(args.color))
    if metrics:
        report = prometheus.Reporter(look, args.prometheus, args.prometheus_all)
        return intervals.repeat(report, report.look, interval, count)
    kind = JsonReport if args.json else TextReport
    report = kind(args, chosen, seen, count)
    return intervals.repeat(report, look, interval, count, args.skip_first)


def check_usage(args, seen, interval):
    if args.skip_first and (args.watch or interval is None):
        raise LwError("-y leaves out the first of several reports: give an INTERVAL%s"
                      % (", and no --watch" if args.watch else ""), status=2)
    if args.prometheus_all and args.prometheus is None:
        raise LwError("--prometheus-all is about --prometheus", status=2)
    if args.prometheus is not None and (args.skip_first or args.classes or args.time
                                        or args.output is not None or seen != view.View()):
        raise LwError("--prometheus writes all paths, in its own order: without -c, -o, -r, -t, -y, -z,"
                      " --sort and --state", status=2)


def require_counted(now):
    """Percentiles are known of one map at least."""
    if now.maps and not any(path.histograms for found in now.maps for path in found.paths):
        raise LwError("no percentiles are known, since I/Os are not counted by latency: dm-lw set %s"
                      " histogram=1" % (in_shell(now.maps[0].name) if len(now.maps) == 1 else "MAP"))


class TextReport:
    def __init__(self, args, chosen, seen, _count):
        names = columns.BY_CLASS if args.classes else columns.PATHS
        self.columns = chosen or [columns.COLUMNS[name] for name in names]
        self.args = args
        self.view = seen
        self.has_begun = False
        self.colour = table.wants_colour(args.color)

    def __call__(self, now, before):
        if not self.has_begun and not now.maps:
            raise LwError(NO_MAPS)
        if self.has_begun:
            print()
        self.has_begun = True
        if self.args.time:
            print(time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(now.wall)))
        found = rows(now, before)
        if self.args.classes:
            found = columns.by_class(found)
        print("\n".join(table.lines(self.columns, self.view.rows(found), self.colour)), flush=True)


class JsonReport:
    """The maps with their paths; with -o only some values of each path."""

    def __init__(self, args, chosen, seen, count):
        self.sysfs = args.sysfs
        self.view = seen
        self.keys = [column.key for column in chosen]
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
        """In the order of their paths; a map of which no path is wanted is left out."""
        paths = {}
        for row in self.view.rows(rows(now, before)):
            paths.setdefault(row["dm"], []).append(self.path(row))
        order = {dm: place for place, dm in enumerate(paths)}
        maps = [found for found in now.maps if found.dm in order or not self.view.omits]
        return [{"map": found.name, "dm": found.dm, "wwid": found.wwid,
                 "settings": self.settings(found),
                 "paths": paths.get(found.dm, [])}
                for found in sorted(maps, key=lambda one: order.get(one.dm, len(order)))]

    def settings(self, found):
        """As they were recorded, or as they are."""
        if found.settings is not None:
            return found.settings
        return tunables.read(self.sysfs, found.directory)

    def path(self, row):
        keys = self.keys or [key for key in row if key not in OF_THE_MAP + ("histograms",)]
        return {key: rounded(row.get(key)) for key in keys}


def rounded(value):
    """Rates to a thousandth, in the classes, too."""
    if isinstance(value, dict):
        return {key: rounded(inner) for key, inner in value.items()}
    return round(value, 3) if isinstance(value, float) else value
