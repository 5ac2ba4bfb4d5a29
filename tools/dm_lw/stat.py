"""dm-lw stat: one row a path, as iostat has one a disk."""
import argparse
import json
import re
import sys
import time

from . import columns, groups, intervals, others, output, prometheus, table, tunables, view, watch
from .counts import ALL, GATHER, OURS, OURS_IF_ANY, Looker, rows
from .errors import LwError
from .maps import NO_MAPS, PATH_KEYS, in_shell, list_maps
from .policies import attached

JSON_VERSION = 3
OF_THE_MAP = ("map", "dm", "wwid", "selector")


def add_parser(commands):
    parser = commands.add_parser(
        "stat", help="a row a path: latency, share, state", allow_abbrev=False,
        usage="dm-lw stat [options] [MAP...] [INTERVAL [COUNT]]",
        description="The first report is about now, and its rates are means since each path became known;"
                    " each other is about the interval before it. Maps of other selectors are shown by"
                    " their disks' counters, which tell of an interval only: without one, of a second.",
        epilog=columns.help_text(), formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", metavar="MAP, INTERVAL, COUNT", nargs="*",
                        help="maps, of any selector; seconds; number of reports")
    parser.add_argument("-a", "--all", action="store_true",
                        help="maps of all selectors; default if none has latency-weighted")
    parser.add_argument("-o", "--output", metavar="COLUMNS",
                        help="columns, separated by commas; +COLUMNS for more than the default")
    parser.add_argument("-x", "--extended", action="store_true",
                        help="reads and writes apart, as iostat -x has them, a heading line for each map")
    parser.add_argument("-c", "--classes", action="store_true", help="a row a size class")
    parser.add_argument("-y", "--skip-first", action="store_true",
                        help="leave out the first report, whose rates are means since long ago")
    view.add_options(parser, columns.GROUPS)
    parser.add_argument("-t", "--time", action="store_true", help="print the time of each report")
    parser.add_argument("--color", choices=("auto", "always", "never"), default="auto")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("-j", "--json", action="store_true", help="a JSON document each report")
    how.add_argument("--prometheus", metavar="FILE", nargs="?", const=output.STDOUT,
                     help="metrics, for node_exporter's textfile collector; FILE is replaced at"
                          " once, - is stdout")
    parser.add_argument("--prometheus-all", action="store_true",
                        help="with --prometheus: all metrics of each path, some three times as many")
    how.add_argument("-w", "--watch", action="store_true",
                     help="full screen, with sparklines; with -m, first a line for each map")
    parser.set_defaults(run=run)


def run(args):
    names, interval, count = intervals.split(args.words)
    chosen = [] if args.output is None else columns.choose(args.output, columns.default(args))
    metrics = args.prometheus is not None
    if metrics and re.fullmatch("[0-9.]+", args.prometheus):
        raise LwError("--prometheus %s: is it a file? Say ./%s, or give the interval first"
                      % (args.prometheus, args.prometheus), status=2)
    if metrics and any(args.prometheus in found.names() for found in list_maps(args.sysfs)):
        raise LwError("--prometheus %s: that is a map. Say - for stdout, or ./%s for a file, before it"
                      % (args.prometheus, args.prometheus), status=2)
    seen = view.from_options(args)
    if args.extended:
        args.by = args.by or columns.MAP
    check_usage(args, seen, interval)
    picked = [*chosen, *filter(None, [seen.sort])]
    has_groups = args.by in columns.ROW_EACH
    if has_groups:
        columns.require_of_group(args.by, picked)
    histograms = seen.needs_histograms or columns.need_histograms(chosen)
    look = Looker(args.sysfs, names, bool(args.classes or args.json or args.prometheus_all), histograms,
                  prometheus.KEYS if metrics and not args.prometheus_all else PATH_KEYS,
                  OURS if metrics else ALL if args.all or names else OURS_IF_ANY,
                  links=has_groups or columns.need_links(picked), multipathd=columns.need_multipathd(picked))
    if histograms:
        require_counted(look())
    if args.watch:
        interval, count = interval or 1, count if interval else None
        lacking = watch.obstacle()
        if lacking is None:
            return watch.run(look, interval, count, seen, table.wants_colour(args.color), args.by == columns.MAP)
        print("dm-lw: %s: tables instead" % lacking, file=sys.stderr, flush=True)
    if metrics:
        report = prometheus.Reporter(look, args.prometheus, args.prometheus_all)
        return intervals.repeat(report, report.look, interval, count)
    if look.scope == OURS_IF_ANY and not args.json:
        tell_of_others(look)
    if interval is None and (has_groups or args.extended or look.sees_others()):
        interval, args.skip_first = GATHER, True
    kind = JsonReport if args.json else TextReport
    report = kind(args, chosen, seen, count)
    return intervals.repeat(report, look, interval, count, args.skip_first)


def check_usage(args, seen, interval):
    if args.skip_first and (args.watch or interval is None):
        raise LwError("-y leaves out the first of several reports: give an INTERVAL%s"
                      % (", and no --watch" if args.watch else ""), status=2)
    if args.extended and (args.classes or args.by in columns.ROW_EACH or args.json or args.watch
                          or args.prometheus is not None):
        raise LwError("-x has columns of its own: without -c, -j, -w, --by port, --by hba and --prometheus", status=2)
    if args.watch and (args.output is not None or args.classes or args.time):
        raise LwError("--watch has columns of its own: without -c, -o and -t", status=2)
    if args.prometheus_all and args.prometheus is None:
        raise LwError("--prometheus-all is about --prometheus", status=2)
    if args.by and (args.watch and args.by != columns.MAP or args.prometheus is not None):
        raise LwError("--by %s is about tables: without --prometheus%s"
                      % (args.by, "" if args.by == columns.MAP else " and --watch"), status=2)
    if args.by == columns.MAP and args.json:
        raise LwError("-j tells of each map with its paths: without -m, which is about tables", status=2)
    if args.by in columns.ROW_EACH and (args.classes or args.state is not None):
        raise LwError("--by %s sums up all paths: without -c and --state" % args.by, status=2)
    if args.prometheus is not None and (args.skip_first or args.classes or args.time or args.all
                                        or args.output is not None or seen != view.View()):
        raise LwError("--prometheus writes all paths of latency-weighted, in its own order: without -a, -c,"
                      " -o, -r, -t, -y, -z, --sort and --state", status=2)


def require_counted(now):
    """Percentiles are known of one map at least."""
    ours = [found for found in now.maps if found.is_ours]
    if now.maps and not ours:
        raise LwError("percentiles are known of maps of latency-weighted only")
    if ours and not any(path.histograms for found in ours for path in found.paths):
        raise LwError("no percentiles are known, since I/Os are not counted by latency: dm-lw set %s"
                      " histogram=1" % (in_shell(ours[0].name) if len(ours) == 1 else "MAP"))


def tell_of_others(look):
    """Which maps are shown, as the user did not say so."""
    look.prepare()
    count = len(others.list_maps(look.host))
    if look.scope == ALL:
        told = "no map has latency-weighted; these are all multipath maps"
    else:
        told = count and "%d multipath map%s with another selector: -a shows %s" % (
            (count, "", "it") if count == 1 else (count, "s", "them"))
    if told:
        print("dm-lw: " + told, file=sys.stderr, flush=True)


class TextReport:
    def __init__(self, args, chosen, seen, _count):
        self.columns = chosen or [columns.COLUMNS[name] for name in columns.default(args)]
        self.args = args
        self.view = seen
        self.has_begun = False
        self.colour = table.wants_colour(args.color)

    def __call__(self, now, before):
        if not self.has_begun and not now.maps:
            raise LwError("there is no multipath map" if self.args.all else NO_MAPS)
        if self.has_begun:
            print()
        self.has_begun = True
        if self.args.time:
            print(time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(now.wall)))
        for number, lines in enumerate(self.tables(rows(now, before))):
            print("\n".join([""] * bool(number) + [*lines]), flush=True)

    def tables(self, found):
        """Lists of lines."""
        by = self.args.by
        if by in columns.ROW_EACH:
            found = groups.rows_by(found, by)
        shown = self.view.rows(columns.by_class(found) if self.args.classes else found)
        most = table.width()
        kept = [column for column in self.columns if column.key not in OF_THE_MAP]
        if by == columns.MAP or (not by and kept and self.is_too_wide(shown, most)):
            return [[heading, *table.lines(kept, part, self.colour, most)]
                    for heading, part in groups.of_each_map(shown, found)]
        return [table.lines(self.columns, shown, self.colour, most)]

    def is_too_wide(self, shown, most):
        """For the terminal: then the maps' names, such as WWIDs, are headings."""
        return most is not None and max(map(len, table.lines(self.columns, shown))) > most


class JsonReport:
    """The maps with their paths, or the groups of --by; with -o only some values of each."""

    def __init__(self, args, chosen, seen, count):
        self.sysfs = args.sysfs
        self.view = seen
        self.keys = [column.key for column in chosen]
        if self.keys and args.classes:
            self.keys.append("classes")
        self.by = args.by if args.by in columns.ROW_EACH else None
        self.indent = 2 if count == 1 else None

    def __call__(self, now, before):
        document = {
            "version": JSON_VERSION,
            "time": round(now.wall, 3),
            "interval_s": round(now.clock - before.clock, 3) if before else None,
        }
        if self.by:
            document[self.by + "s"] = self.groups(now, before)
        else:
            document["maps"] = self.maps(now, before)
        print(json.dumps(document, indent=self.indent), flush=True)

    def groups(self, now, before):
        keys = self.keys or [columns.COLUMNS[name].key for name in columns.names_of_group(self.by)]
        return [{key: rounded(row.get(key)) for key in keys}
                for row in self.view.rows(groups.rows_by(rows(now, before), self.by))]

    def maps(self, now, before):
        """In the order of their paths; a map without a wanted path is left out."""
        paths = {}
        for row in self.view.rows(rows(now, before)):
            paths.setdefault(row["dm"], []).append(self.path(row))
        order = {dm: place for place, dm in enumerate(paths)}
        maps = [found for found in now.maps if found.dm in order or not self.view.omits]
        return [{"map": found.name, "dm": found.dm, "wwid": found.wwid, "selector": found.selector or None,
                 "settings": self.settings(found), "policy": self.policy(found),
                 "paths": paths.get(found.dm, [])}
                for found in sorted(maps, key=lambda one: order.get(one.dm, len(order)))]

    def settings(self, found):
        """As they were recorded, or as they are."""
        if found.settings is not None:
            return found.settings
        return tunables.read(self.sysfs, found.directory)

    def policy(self, found):
        """Null without one, for others than root, and of a recording."""
        policy = attached.read(self.sysfs, found) if found.settings is None else None
        return policy and policy.document()

    def path(self, row):
        keys = self.keys or [key for key in row if key not in OF_THE_MAP + ("histograms",)]
        return {key: rounded(row.get(key)) for key in keys}


def rounded(value):
    """Rates to a thousandth, in the classes, too."""
    if isinstance(value, dict):
        return {key: rounded(inner) for key, inner in value.items()}
    return round(value, 3) if isinstance(value, float) else value
