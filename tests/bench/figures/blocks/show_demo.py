"""The demo's table of random reads with its marks, as `make demo` prints it."""
from tests.bench.demo.demo_plan import ALONE
from tests.bench.demo.demo_table import mark_lines, workload_table
from tests.bench.selectors import ordered

from .show_common import block

STEP, SHOWN = "demo", "randread"


def fenced(*lines):
    return "\n".join(["```", *lines, "```"])


def table(figures):
    if STEP not in figures["steps"]:
        return block(figures, [STEP])
    found = figures["steps"][STEP]["results"]
    rows = found["workloads"][SHOWN]
    return block(figures, [STEP], fenced(
        found["heading"], "",
        *workload_table(SHOWN, [ALONE, *ordered(rows)], rows, found["optimum"][SHOWN], found["depth"]), "",
        *mark_lines([mark for mark in found["marks"] if mark["workload"] == SHOWN])))


def stat(figures):
    if STEP not in figures["steps"]:
        return block(figures, [STEP])
    return block(figures, [STEP], fenced(figures["steps"][STEP]["results"]["stat"]))
