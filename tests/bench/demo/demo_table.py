"""The results as text."""
from typing import Dict, Iterable, List, Optional

from .demo_plan import ONE, WORKLOADS, Plan
from .demo_results import BUSY, Row, busiest

# title, width, format of a row's figures
COLUMNS = [
    ("IOPS", 7, lambda row: f"{row['iops']:.0f}"),
    ("min-max", 11, lambda row: f"{row['iops_min']:.0f}-{row['iops_max']:.0f}"),
    ("MiB/s", 7, lambda row: f"{row['mib_s']:.2f}"),
    ("mean ms", 9, lambda row: f"{row['mean_ms']:.1f}"),
    ("p50", 7, lambda row: f"{row['p50_ms']:.1f}"),
    ("p99", 7, lambda row: f"{row['p99_ms']:.1f}"),
    ("p99.9", 7, lambda row: f"{row['p99.9_ms']:.1f}"),
    ("slow path", 11, lambda row: f"{100 * row['slow_share']:.1f} %"),
]
NAME_WIDTH = 18


def heading(plan: Plan) -> str:
    return (f"4 KiB, direct, {plan.depth} I/Os in flight, {plan.repetitions} x {plan.seconds:g} s each, medians. "
            f"Two paths of {plan.rate_mbit:g} Mbit/s, one with {plan.delay_ms:g} ms more.")


def workload_table(workload: str, names: Iterable[str], rows: Dict[str, Row], best: Optional[Dict[str, float]],
                   depth: int) -> List[str]:
    """`best` is the workload's optimum, if it is known."""
    lines = [WORKLOADS[workload],
             " " * NAME_WIDTH + "".join(title.rjust(width) for title, width, _ in COLUMNS)]
    for name in (name for name in names if name in rows):
        lines.append(name.ljust(NAME_WIDTH) + "".join(
            show(rows[name]).rjust(width) for _, width, show in COLUMNS))
    if best:
        lines.append(
            f"optimum here: {best['iops']:.0f} IOPS = {best['alone']:.0f} of the fast path alone + "
            f"{best['added']:.0f} of the slow one with the {best['spare_depth']:.1f} of {depth} "
            f"I/Os that the fast one can spare ({rows[ONE]['p50_ms']:.1f} ms for one at a time)")
    return lines


def mark_lines(marks: List[dict]) -> List[str]:
    return [f"{'met   ' if mark['met'] else 'MISSED'}  {mark['workload']:<9}  "
            f"{mark['mark']}: {mark['got']:.2f} (mark: {mark['wanted']:.2f})"
            for mark in marks]


def report(plan: Plan, result: dict) -> str:
    lines = [heading(plan), ""]
    for workload, rows in result["medians"].items():
        lines += workload_table(workload, plan.configurations, rows, result["optimum"].get(workload), plan.depth) + [""]
    lines += mark_lines(result["marks"])
    if busiest(result) > BUSY:
        lines += ["", f"Note: the emulated CPUs were {100 * busiest(result):.0f} % busy in one of the rows, so "
                      "they and not the network limit it; is something else running on this machine?"]
    return "\n".join(lines) + "\n"
