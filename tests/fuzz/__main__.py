"""Fuzz the module's text and its estimates for as long as one wants; stop at the first finding."""
import argparse
import random
import re
import sys
import time

from . import programs

STREAMS = 100                   # at a time


def arguments():
    parser = argparse.ArgumentParser(prog="python3 -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=int, default=60, help="half for each (default 60)")
    parser.add_argument("--seed", type=int, default=random.randrange(1, 1 << 31),
                        help="of both (default: another one each time)")
    return parser.parse_args()


def streams(built, first, seconds):
    """Random streams of events, from that seed on; how many there were, and what the last ones said."""
    end, count = time.monotonic() + seconds, 0
    while True:
        done = programs.run_streams(built, first + count, STREAMS)
        count += STREAMS
        if done.returncode or time.monotonic() > end:
            return count, done


def runs(said):
    """What libFuzzer counted, if it came so far."""
    found = re.search("number_of_executed_units: ([0-9]+)", said)
    return found.group(1) if found else "unknown"


def verdict(failed):
    """The last line, and how many of the two failed."""
    print("%d passed, %d failed, 0 skipped" % (2 - failed, failed))
    return failed


def main():
    chosen = arguments()
    half = max(chosen.seconds // 2, 1)
    try:
        built = programs.build()
    except programs.BuildFailed as error:
        print("fuzz: %s" % error, file=sys.stderr, flush=True)
        return verdict(2)
    print("fuzz: seed %d, %d s" % (chosen.seed, 2 * half), flush=True)
    options = programs.fuzz_options(built, built, "-seed=%d" % chosen.seed,
                                    "-max_total_time=%d" % half)
    count, events = streams(built, chosen.seed, half)
    for done in (options, events):
        if done.returncode:
            print(done.stdout)
    failed = sum(done.returncode != 0 for done in (options, events))
    print("options: %s runs, events: %d streams" % (runs(options.stdout), count))
    return verdict(failed)


if __name__ == "__main__":
    sys.exit(main())
