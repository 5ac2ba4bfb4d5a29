"""Is the simulator right? The cases of `make bench-exact`, simulated, against what the kernel did.

Virtual time makes the kernel's figures exact, so each selector's throughput, 99th percentile and
shares have to agree: within 5 %, 10 %, and 10 % of the I/Os or a tenth of the share. Where sizes or
paths are random, the kernel's run is one of many: there, as near to the range of several seeds.
"""
import pathlib

from tests.bench.exact.cases import CASES
from tests.bench.records import read_list
from tests.vm import command_line

from . import engine
from .simulate import own_options

RESULTS = engine.ROOT / "build" / "exact" / "results.json"
IOPS, P99, SHARE = 0.05, 0.10, 0.10
KEYS = ["case", "depth", "selector", "paths", "iops", "p99_us", "shares"]     # of a record, which are used here
# What the guest's CPU takes to begin and to end an I/O, in us.
SUBMIT_US, COMPLETE_US = 9, 9
# Parts of 1, of which the test disk has thousandths.
PARTS = {"tail_permille": "tail", "sigma_permille": "sigma"}
SEEDS = 8


def in_simulation(path):
    """A test disk as the simulator has it."""
    return {PARTS.get(key, key): value / 1000 if key in PARTS else value for key, value in path.items()}


def seeds(record):
    """More than one only if something is random."""
    case = CASES[record["case"]]
    is_random = len(case.sizes) > 1 or case.writes or any(PARTS.keys() & path.keys() for path in case.paths)
    return range(1, 1 + (SEEDS if is_random else 1))


def config(record, seed):
    """The run of that record, for the simulator."""
    case = CASES[record["case"]]
    return dict(name=f"{record['case']}, depth {record['depth']}", selector=record["selector"], seed=seed, cpus=1,
                submit_us=SUBMIT_US, complete_us=COMPLETE_US, sizes=case.sizes, writes=case.writes / 100,
                paths=[in_simulation(path) for path in record["paths"]], jobs=[dict(cpu=0, depth=record["depth"])],
                warmup_ms=1500, runtime_ms=4000, **own_options(record["selector"], case.arguments))


def simulated(program, records):
    """For each record the results of its seeds."""
    counts = [len(seeds(record)) for record in records]
    results = iter(engine.run_all(program, [config(record, seed) for record in records for seed in seeds(record)]))
    return [[next(results) for _ in range(count)] for count in counts]


def to_range(values, kernels):
    """From the kernel's figure to the nearest of the simulator's; 0 if that is between two of them."""
    return max(min(values) - kernels, 0) or min(max(values) - kernels, 0)


def differences(record, results):
    """(throughput, p99, greatest of the shares), as parts of the kernel's."""
    shares = zip(*([starts / sum(result["starts"]) for starts in result["starts"]] for result in results))
    return (*(to_range([result[key] for result in results], record[key]) / record[key] for key in ("iops", "p99_us")),
            max(abs(to_range(*pair)) for pair in zip(shares, record["shares"])))


def agrees(difference):
    iops, p99, share = difference
    return abs(iops) <= IOPS and abs(p99) <= P99 and share <= SHARE


def span(results, key):
    """As the line has it."""
    values = [result[key] for result in results]
    return "-".join(f"{value:.0f}" for value in sorted({min(values), max(values)}))


def line(record, results):
    iops, p99, share = differences(record, results)
    return (f"{record['case']:20} {record['depth']:4} {record['selector']:24} "
            f"IOPS {record['iops']:7.0f} {span(results, 'iops'):>13} {100 * iops:+6.1f} %  "
            f"p99 {record['p99_us']:8.0f} {span(results, 'p99_us'):>15} {100 * p99:+6.1f} %  share {100 * share:5.1f}")


def parse(arguments):
    parser = command_line.parser("tests.sim.crosscheck", __doc__)
    parser.add_argument("--results", type=pathlib.Path, default=RESULTS,
                        help="what bench-exact wrote (%(default)s)")
    parser.add_argument("--verbose", action="store_true", help="the runs that agree, too")
    return parser.parse_args(arguments)


def kernels_figures(path):
    """The records of bench-exact; an error that says what to do if there are none."""
    try:
        records = read_list(path, KEYS)
        for record in records:
            CASES[record["case"]]   # a case that is gone cannot be simulated
    except (OSError, ValueError, LookupError) as error:
        raise engine.EngineFailed(f"{path}: no results ({error}); run `make bench-exact` first") from None
    return records


def run(options):
    records = kernels_figures(options.results)
    results = simulated(engine.build(), records)
    agreeing = 0
    for record, of_seeds in zip(records, results):
        agreed = agrees(differences(record, of_seeds))
        agreeing += agreed
        if options.verbose or not agreed:
            print(line(record, of_seeds))
    print(f"crosscheck: {agreeing} of {len(records)} runs agree")
    return 0


if __name__ == "__main__":
    command_line.run(parse, run, expected=(engine.EngineFailed,))
