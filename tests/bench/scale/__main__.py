"""What many CPUs, paths and maps cost: `python3 -m tests.bench.scale`, from the checkout.

The module's own code in a program: I/Os, windows, memory and table loads. No root, no guests.
"""
import json
from pathlib import Path

from tests.lib.commit import commit
from tests.lib.whole_file import write_whole
from tests.vm import command_line
from tests.vm.places import CHECKOUT
from tests.vm.progress import say

from . import scale_program as program
from . import scale_results as results
from .scale_plan import CORNERS, HEAVY, PROGRAM_MEGABYTES, ROWS

NAMES = [row.name for row in ROWS]


def parse(arguments):
    parser = command_line.parser("tests.bench.scale", __doc__)
    parser.add_argument("--row", choices=NAMES, action="append", metavar="NAME",
                        help="measure this one only; may be given several times; one of " + ", ".join(NAMES))
    parser.add_argument("--megabytes", type=command_line.number(int, 1, 1 << 20), default=program.megabytes(),
                        metavar="N", help=f"memory for the maps of a row ({PROGRAM_MEGABYTES}, if so much is free)")
    parser.add_argument("--out", type=Path, default=CHECKOUT / "build/scale", metavar="DIRECTORY",
                        help="where the program and its figures go (build/scale)")
    return parser.parse_args(arguments)


def chosen(options):
    """The rows, and where there is no choice what memory takes."""
    return [row for row in ROWS if row.name in options.row] if options.row else ROWS + CORNERS


def measured(options):
    built = program.build(options.out)
    for row in chosen(options):
        record = program.measure(built, row, options.megabytes)
        say(f"{row.name}: {results.window_us(record):.1f} us a window")
        yield record


def run(options) -> int:
    stamp = commit()    # before the program is compiled
    records = list(measured(options))
    write_whole(options.out / "results.json", json.dumps({"commit": stamp, "records": records}, indent=1) + "\n")
    print(results.report(records, HEAVY["windows"]))
    return 0


if __name__ == "__main__":
    command_line.run(parse, run)
