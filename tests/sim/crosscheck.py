"""Is the simulator right? The cases of `make bench-exact`, simulated, against what the kernel did.

Virtual time makes the kernel's figures exact, so each selector's throughput, 99th percentile and
shares have to agree: within 5 %, 10 %, and 10 % of the I/Os or a tenth of the share.
"""
import argparse
import json
import pathlib
import sys

from tests.exact.cases import CASES

from . import engine

RESULTS = engine.ROOT / "build" / "exact" / "results.json"
IOPS, P99, SHARE = 0.05, 0.10, 0.10
# What the guest's CPU takes to begin and to end an I/O, in us.
SUBMIT_US, COMPLETE_US = 9, 9
# Parts of 1, of which the test disk has thousandths.
PARTS = {"tail_permille": "tail", "sigma_permille": "sigma"}


def in_simulation(path):
    """A test disk as the simulator has it."""
    return {PARTS.get(key, key): value / 1000 if key in PARTS else value for key, value in path.items()}


def config(record):
    """The run of that record, for the simulator: random only in what is so in the test disk, too."""
    case = CASES[record["case"]]
    return dict(name=f"{record['case']}, depth {record['depth']}", selector=record["selector"],
                cpus=1, submit_us=SUBMIT_US, complete_us=COMPLETE_US, sizes=case.sizes, writes=case.writes / 100,
                paths=[in_simulation(path) for path in record["paths"]], jobs=[dict(cpu=0, depth=record["depth"])],
                warmup_ms=1500, runtime_ms=4000)


def differences(record, result):
    """(throughput, p99, greatest of the shares), as parts of the kernel's."""
    total = sum(result["starts"])
    shares = [starts / total for starts in result["starts"]]
    return (result["iops"] / record["iops"] - 1, result["p99_us"] / record["p99_us"] - 1,
            max(abs(mine - theirs) for mine, theirs in zip(shares, record["shares"])))


def agrees(difference):
    iops, p99, share = difference
    return abs(iops) <= IOPS and abs(p99) <= P99 and share <= SHARE


def main():
    parser = argparse.ArgumentParser(prog="python3 -m tests.sim.crosscheck",
                                     description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--results", type=pathlib.Path, default=RESULTS,
                        help="what bench-exact wrote (%(default)s)")
    parser.add_argument("--verbose", action="store_true", help="the runs that agree, too")
    options = parser.parse_args()
    try:
        records = json.loads(options.results.read_text())
        results = engine.run_all(engine.build(), [config(record) for record in records])
    except (OSError, ValueError, KeyError) as error:
        print(f"sim: {options.results}: no results of bench-exact ({error})", file=sys.stderr)
        return 1
    except engine.EngineFailed as error:
        print(f"sim: {error}", file=sys.stderr)
        return 1
    agreeing = 0
    for record, result in zip(records, results):
        difference = differences(record, result)
        agreeing += agrees(difference)
        if options.verbose or not agrees(difference):
            print(f"{record['case']:20} {record['depth']:4} {record['selector']:24} "
                  f"IOPS {record['iops']:7.0f} {result['iops']:7.0f} {100 * difference[0]:+6.1f} %  "
                  f"p99 {record['p99_us']:8.0f} {result['p99_us']:8.0f} {100 * difference[1]:+6.1f} %  "
                  f"share {100 * difference[2]:5.1f}")
    print(f"crosscheck: {agreeing} of {len(records)} runs agree")
    return 0


if __name__ == "__main__":
    sys.exit(main())
