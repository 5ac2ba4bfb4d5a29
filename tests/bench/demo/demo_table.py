"""The results as text."""
from typing import List

from .demo_plan import ONE, WORKLOADS, Plan
from .demo_results import BUSY, busiest

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


def workload_table(plan: Plan, workload: str, result: dict) -> List[str]:
    lines = [WORKLOADS[workload],
             " " * NAME_WIDTH + "".join(title.rjust(width) for title, width, _ in COLUMNS)]
    rows = result["medians"][workload]
    for name in (name for name in plan.configurations if name in rows):
        lines.append(name.ljust(NAME_WIDTH) + "".join(
            show(rows[name]).rjust(width) for _, width, show in COLUMNS))
    best = result["optimum"].get(workload)
    if best:
        lines.append(
            f"optimum here: {best['iops']:.0f} IOPS = {best['alone']:.0f} of the fast path alone + "
            f"{best['added']:.0f} of the slow one with the {best['spare_depth']:.1f} of {plan.depth} "
            f"I/Os that the fast one can spare ({rows[ONE]['p50_ms']:.1f} ms for one at a time)")
    return lines


def mark_lines(result: dict) -> List[str]:
    return [f"{'met   ' if mark['met'] else 'MISSED'}  {mark['workload']:<9}  "
            f"{mark['mark']}: {mark['got']:.2f} (mark: {mark['wanted']:.2f})"
            for mark in result["marks"]]


def report(plan: Plan, result: dict) -> str:
    lines = [heading(plan), ""]
    for workload in result["medians"]:
        lines += workload_table(plan, workload, result) + [""]
    lines += mark_lines(result)
    if busiest(result) > BUSY:
        lines += ["", f"Note: the emulated CPUs were {100 * busiest(result):.0f} % busy in one of the rows, so "
                      "they and not the network limit it; is something else running on this machine?"]
    return "\n".join(lines) + "\n"
