"""dm-lw report: a recording again, as dm-lw stat shows it or as a page; and what a bug report needs."""
import argparse

from .. import columns, intervals, output, page, view
from ..counts import rows
from ..errors import LwError
from ..stat import JsonReport, TextReport
from . import against, bundle, report_page
from .replay import Replay, local_time


def add_parser(commands):
    parser = commands.add_parser(
        "report", help="show a recording; pack a bug report", allow_abbrev=False,
        usage="dm-lw report [options] FILE [MAP...] [INTERVAL [COUNT]]\n"
              "       dm-lw report [options] BEFORE [MAP...] --against AFTER\n"
              "       dm-lw report --bundle ARCHIVE [--with-identities] [FILE]",
        description="Show what dm-lw record wrote, as dm-lw stat would have shown it then.",
        epilog=columns.help_text(), formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", metavar="FILE, MAP, INTERVAL, COUNT", nargs="*",
                        help="recording; maps, default all; seconds; number of reports")
    parser.add_argument("--from", metavar="TIME", dest="begin",
                        help="leave out what is before, like \"2026-11-25 10:00\"")
    parser.add_argument("--to", metavar="TIME", dest="end", help="leave out what is after")
    parser.add_argument("--against", metavar="AFTER",
                        help="compare two recordings of the same maps; then --to cuts FILE, and --from AFTER")
    parser.add_argument("-o", "--output", metavar="COLUMNS",
                        help="columns, separated by commas; +COLUMNS for more than the default")
    parser.add_argument("-c", "--classes", action="store_true", help="a row a size class")
    view.add_options(parser, [columns.MAP])
    parser.add_argument("--color", choices=("auto", "always", "never"), default="auto")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("-j", "--json", action="store_true", help="a JSON document each report")
    how.add_argument("--html", metavar="PAGE",
                     help="a page of shares, latency, I/Os in flight and states over time; with -,"
                          " to stdout")
    how.add_argument("--bundle", metavar="ARCHIVE",
                     help="pack tables, statuses, state files, versions and what doctor finds into"
                          " a .tar.gz")
    parser.add_argument("--with-identities", action="store_true",
                        help="leave serial numbers, names and addresses in the archive as they are")
    parser.set_defaults(run=run, extended=False)


def run(args):
    require_no_more(args)
    if args.bundle is not None:
        return bundle.run(args)
    if args.with_identities:
        raise LwError("--with-identities is about --bundle", status=2)
    if not args.words:
        raise LwError("which recording? dm-lw report FILE", status=2)
    file, *words = args.words
    names, interval, count = intervals.split(words)
    begin, end = (None if each is None else local_time(each) for each in (args.begin, args.end))
    if args.against is not None:
        if interval is not None:
            raise LwError("--against compares whole recordings: without an interval", status=2)
        return compare(args, Replay(file, names, end=end), Replay(args.against, names, begin=begin))
    replay = Replay(file, names, begin, end, interval, count if interval else None)
    if args.html is not None:
        return draw(args, lambda: report_page.page(replay))
    show(args, replay)


def require_no_more(args):
    """What an archive or a page leaves out would be missed later."""
    seen = view.from_options(args) != view.View() or args.output is not None or args.classes or args.by
    if args.bundle is not None and (seen or args.begin is not None or args.end is not None):
        raise LwError("--bundle packs the whole recording: only with --with-identities", status=2)
    if args.against is not None and (seen or args.bundle is not None):
        raise LwError("--against compares all paths: only with MAP, --from, --to, -j and --html", status=2)
    if args.html is not None and seen:
        raise LwError("--html draws all paths: only with MAP, INTERVAL, COUNT, --from and --to", status=2)


def show(args, replay):
    """Each report, with its time."""
    chosen = [] if args.output is None else columns.choose(args.output, columns.default(args))
    seen = view.from_options(args)
    if seen.needs_histograms or columns.need_histograms(chosen):
        raise LwError("percentiles are not recorded", status=2)
    args.time = True
    report = (JsonReport if args.json else TextReport)(args, chosen, seen, None)
    nothing_yet = True
    for sample, before in replay:
        if args.json or shown(args, seen, sample, before):
            report(sample, before)
            nothing_yet = False
    if nothing_yet:
        raise LwError("%s has no map in it%s" % (
            replay.file, ", or no path that you want to see" if seen.omits else ""))


def shown(args, seen, sample, before):
    """The rows that would be: where nobody wants to see any, there is no report."""
    found = rows(sample, before)
    return seen.rows(columns.by_class(found) if args.classes else found)


def draw(args, make_page):
    page.templates()                    # not after all has been read
    if args.html == output.STDOUT:
        print(make_page(), end="")
    else:
        output.require_replaceable(args.html)
        output.replace(args.html, make_page())


def compare(args, *replays):
    def recorded():
        return map(against.Recorded, replays)
    if args.html is not None:
        draw(args, lambda: against.as_page(*recorded()))
    elif args.json:
        print(against.as_json(*recorded()))
    else:
        print("\n".join(against.as_text(*recorded())))
