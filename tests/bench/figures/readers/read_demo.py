"""The demo: its table, its marks, and what dm-lw stat said in the guest."""
import re

from tests.bench.demo.demo_plan import Plan
from tests.bench.demo.demo_table import heading

from .read_common import load, logged, rounded

KEPT = ["iops", "iops_min", "iops_max", "mib_s", "mean_ms", "p50_ms", "p99_ms", "p99.9_ms", "slow_share"]
HEADING = re.compile(r"map +dm +path ")
PATHS, SHOWN = 2, 7     # lines, and characters of the map's name


def read(directory):
    result = load(directory, "results.json")
    plan = Plan(**result["plan"])
    return rounded({
        "heading": heading(plan), "depth": plan.depth,
        "workloads": {workload: {name: {key: row[key] for key in KEPT} for name, row in rows.items()}
                      for workload, rows in result["medians"].items()},
        "optimum": result["optimum"], "marks": result["marks"], "stat": stat(logged(directory))})


def stat(log):
    """The last of its reports: a heading, and a line for each path; the map's long name is cut."""
    lines = log.splitlines()
    last = max(number for number, line in enumerate(lines) if HEADING.match(line))
    report = [line.rstrip() for line in lines[last:last + 1 + PATHS]]
    width = max(len(report[1].split()[0]), SHOWN)
    return "\n".join(line[:SHOWN] + line[width:] for line in report)
