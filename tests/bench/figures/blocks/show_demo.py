"""The demo's table of random reads with its marks, as `make demo` prints it."""
from tests.bench.demo.demo_plan import ALONE, ONE
from tests.bench.demo.demo_table import COLUMNS, NAME_WIDTH
from tests.bench.selectors import ordered

from .show_common import block

STEP, SHOWN = "demo", "randread"


def fenced(*lines):
    return "\n".join(["```", *lines, "```"])


def line(name, row):
    return name.ljust(NAME_WIDTH) + "".join(show(row).rjust(width) for _, width, show in COLUMNS)


def table(figures):
    if STEP not in figures["steps"]:
        return block(figures, [STEP])
    found = figures["steps"][STEP]["results"]
    rows = found["workloads"][SHOWN]
    best = found["optimum"][SHOWN]
    return block(figures, [STEP], fenced(
        found["heading"], "", "random read",
        " " * NAME_WIDTH + "".join(title.rjust(width) for title, width, _ in COLUMNS),
        *(line(name, rows[name]) for name in [ALONE, *ordered(rows)] if name in rows),
        f"optimum here: {best['iops']:.0f} IOPS = {best['alone']:.0f} of the fast path alone + {best['added']:.0f} "
        f"of the slow one with the {best['spare_depth']:.1f} of {found['depth']} I/Os that the fast one can spare "
        f"({rows[ONE]['p50_ms']:.1f} ms for one at a time)", "",
        *(f"{'met   ' if mark['met'] else 'MISSED'}  {mark['workload']:<9}  {mark['mark']}: {mark['got']:.2f} "
          f"(mark: {mark['wanted']:.2f})" for mark in found["marks"] if mark["workload"] == SHOWN)))


def stat(figures):
    if STEP not in figures["steps"]:
        return block(figures, [STEP])
    return block(figures, [STEP], fenced(figures["steps"][STEP]["results"]["stat"]))
