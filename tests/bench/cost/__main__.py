"""What an I/O costs: `sudo python3 -m tests.bench.cost`, from the checkout.

Instructions an I/O by selector, counted in guests in virtual time (QEMU -icount, one CPU),
then I/Os per second on several CPUs in real time. The disks have no delay. Then ns of an I/O on
the machine itself, in a program.
"""
from pathlib import Path

from tests.bench.selectors import OURS
from tests.vm import command_line
from tests.vm.kernels import KERNELS
from tests.vm.places import CHECKOUT

from . import cost_results as results
from . import cost_runs as bench
from .cost_plan import (LISTENING, NULL_BLK, PATHS, POLICY, SELECTORS, TEST_DISK, UNSTAMPED, CountPlan,
                        RatePlan)

GUESTS = 2              # which count the same, to see that they come to the same
READS, BATCHES = 5000, 5
CPUS = [2, 4]
TEST_DISKS = 16         # its module makes no more
RATE_PATHS, ROUNDS, SECONDS = 2, 11, 1


def parse(arguments):
    parser = command_line.parser("tests.bench.cost", __doc__)
    parser.add_argument("--kernel", choices=KERNELS, default="trixie")
    parser.add_argument("--paths", type=int, choices=PATHS, action="append",
                        help="count instructions with so many only (all)")
    parser.add_argument("--only", choices=["instructions", "iops", "native"], help="one of the three parts")
    parser.add_argument("--guests", type=int, choices=range(1, 5), default=2, metavar="N",
                        help="that count at a time; each takes one CPU of the host (%(default)s)")
    parser.add_argument("--out", type=Path, default=CHECKOUT / "build/cost", metavar="DIRECTORY",
                        help="where figures and picture go (build/cost)")
    return parser.parse_args(arguments)


def count_plans(options):
    if options.only not in (None, "instructions"):
        return []
    paths = options.paths or PATHS
    few = [count for count in paths if count <= TEST_DISKS]
    plans = [(NULL_BLK, [*SELECTORS, POLICY, *LISTENING], paths), (TEST_DISK, [OURS, UNSTAMPED], few)]
    return [CountPlan(selectors, disk, paths, READS, BATCHES, repeat)
            for disk, selectors, paths in plans if paths for repeat in range(1, GUESTS + 1)]


def rate_plans(options):
    if options.only not in (None, "iops"):
        return []
    return [RatePlan(SELECTORS, cpus, RATE_PATHS, ROUNDS, SECONDS) for cpus in CPUS]


def run(options) -> int:
    counts, rates, records = count_plans(options), rate_plans(options), []
    options.out.mkdir(parents=True, exist_ok=True)  # an error with it ends this now, not after the guests
    if counts or rates:
        records += bench.run(KERNELS[options.kernel], counts, rates, options.guests)
        bench.keep(records, options.out)    # the native part may not compile
    if options.only in (None, "native"):
        records += bench.run_native(options.out / "native")
    print(results.report(records), flush=True)
    bench.keep(records, options.out)
    bench.picture(records, options.out)
    return 0


if __name__ == "__main__":
    command_line.run(parse, run)
