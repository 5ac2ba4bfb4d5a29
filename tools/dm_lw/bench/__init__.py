"""dm-lw bench: the selectors side by side on a map of the user's own."""
import argparse
import json
import sys

from .. import output, page
from ..errors import LwError
from ..host import Host
from ..live_tables import find, multipath_tables
from ..signals import interruptible
from ..switching import only_one, require_root
from . import comparison, fio_jobs, html_report, safety
from .runner import Bench, held
from .selectors import chosen

SHORTEST = 0.1          # seconds of a run
LONGEST = 86400         # seconds, too
MOST = 1000             # runs of each selector


def add_parser(commands):
    parser = commands.add_parser(
        "bench", allow_abbrev=False, help="compare selectors on a map by fio",
        description="Run fio on a multipath map with the selector that it has and with others, in"
                    " turn. The selector is exchanged by a reload of the map's table; in the end"
                    " the map has its table again, whatever happens. It only reads, unless told"
                    " otherwise. The map must be whole, and nobody may use it.",
        epilog="jobs:\n" + job_list(), formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("map", metavar="MAP", nargs="?", help="alias, dm-N, /dev/... or WWID")
    parser.add_argument("--selectors", metavar="LIST",
                        help="beside the map's own, separated by commas, as in multipath.conf:"
                             " \"service-time,latency-weighted 2 window_ms 50\"; default: those"
                             " that this kernel can load")
    parser.add_argument("--policy", metavar="WORDS", action="append", default=[],
                        help="also latency-weighted with this policy, such as \"large-ios.o path=sdb\"; may be given again")
    parser.add_argument("--job", metavar="NAME", action="append", default=[],
                        help="what fio does; more than one by giving it again. Default: all that"
                             " are allowed")
    parser.add_argument("--list-jobs", action="store_true", help="list the jobs, and do nothing")
    parser.add_argument("--runtime", type=float, default=5, metavar="SECONDS",
                        help="of a run (default: %(default)g)")
    parser.add_argument("--repeat", type=int, default=3, metavar="N",
                        help="runs of each job with each selector (default: %(default)d)")
    parser.add_argument("--limit", type=float, default=900, metavar="SECONDS",
                        help="for all of it (default: %(default)g)")
    parser.add_argument("--write-destroys-data", action="store_true",
                        help="allow jobs that write: what is on the map is lost")
    parser.add_argument("-n", "--dry-run", action="store_true",
                        help="check, and tell what would be done")
    parser.add_argument("-q", "--quiet", action="store_true", help="nothing about the progress")
    parser.add_argument("-j", "--json", action="store_true", help="a JSON document")
    parser.add_argument("--report", metavar="FILE", 
                        help="also a report in HTML; with -, only that, to stdout")
    parser.set_defaults(run=run)


def job_list():
    return "\n".join("  %-14s%s%s" % (job.name, job.help, "; writes" if job.writes else "")
                     for job in fio_jobs.JOBS.values())


def run(args):
    if args.list_jobs:
        print(job_list())
        return
    jobs = fio_jobs.choose(args.job, args.write_destroys_data)
    check_arguments(args)
    host = Host(sysfs=args.sysfs)
    require_root(host)
    if not host.has_program("fio"):
        raise LwError("fio is not installed (Debian: fio)")
    with only_one(host), interruptible():
        document, early = bench(host, args, jobs)
    if document:
        show(args, document)
    if early:
        raise LwError(early)


def check_arguments(args):
    if not args.map:
        raise LwError("which map? dm-lw bench MAP", status=2)
    if not (SHORTEST <= args.runtime <= LONGEST and 1 <= args.repeat <= MOST and args.limit > 0):
        raise LwError("--runtime is %g to %d, --repeat 1 to %d, and --limit more than 0"
                      % (SHORTEST, LONGEST, MOST), status=2)
    if args.report == output.STDOUT and args.json:
        raise LwError("--json and --report - cannot both have stdout: name a file", status=2)
    if args.report is not None:
        page.templates()
    if args.report not in (None, output.STDOUT):
        output.require_replaceable(args.report)     # not after minutes


def bench(host, args, jobs):
    """Results, and why the run ended early; None each if there are none."""
    def tell(line):
        if not args.quiet:
            print(line, file=sys.stderr, flush=True)

    table = find(multipath_tables(host), args.map)
    safety.require_choice(table)
    safety.require_no_policy(host, table)
    work = Bench(host, table, chosen(host, table, args.selectors, args.policy), jobs, args, tell)
    safety.require_unused(host, table)
    with held(host, table) as device:
        safety.require_whole(host, device, table.dm)
        if any(job.writes for job in jobs):
            safety.require_nothing_to_lose(host, table)
        if args.dry_run:
            print(work.plan())
            return None, None
        tell(work.plan())
        return work.run(device)


def show(args, document):
    if args.report == output.STDOUT:
        print(html_report.page(document), end="")
        return
    if args.json:
        print(json.dumps(document))
    else:
        for line in comparison.text(document):
            print(line)
    if args.report is not None:
        output.replace(args.report, html_report.page(document))
