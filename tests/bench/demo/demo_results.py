"""From the guest's runs to medians, the test bed's optimum and the marks."""
import json
from statistics import median
from typing import Dict, List

from tests.bench.ratios import throughput
from tests.bench.selectors import ALONE, OURS, peers

from .demo_plan import ONE, Plan

FIGURES = ["iops", "mib_s", "mean_ms", "p50_ms", "p99_ms", "p99.9_ms", "slow_share", "cpu_busy"]
BUSY = 0.95              # beyond it, the emulated CPUs are what limits
THROUGHPUT_MARK = 0.95   # of the better of the fast path alone and the kernel's own
RATIO_MARK = 1.5         # times queue-length's throughput

Row = Dict[str, object]
Rows = Dict[str, Dict[str, Row]]    # by workload, by configuration


def medians(runs: List[dict]) -> Row:
    row: Row = {name: median(run[name] for run in runs) for name in FIGURES}
    row["iops_min"] = min(run["iops"] for run in runs)
    row["iops_max"] = max(run["iops"] for run in runs)
    row["repetitions"] = len(runs)
    return row


def rows_of(plan: Plan, runs: List[dict]) -> Rows:
    found: Dict[tuple, List[dict]] = {}
    for run in runs:
        if "workload" in run:
            found.setdefault((run["workload"], run["configuration"]), []).append(run)
    return {workload: {configuration: medians(found[workload, configuration])
                       for configuration in [ONE, *plan.configurations]
                       if (workload, configuration) in found}
            for workload in plan.workloads}


def optimum(plan: Plan, rows: Dict[str, Row]) -> Dict[str, float]:
    """The most that this bed can give: the fast path's throughput, plus the slow path's at
    the part of the depth that the fast path does not need for it.

    By Little's law the fast path needs throughput x latency, the latency being the one
    without a queue, measured with one I/O at a time. The slow path takes `delay_ms` longer
    for each I/O and is no faster than the fast one, having the same rate.
    """
    alone, latency_ms = rows[ALONE]["iops"], rows[ONE]["p50_ms"]
    spare = max(0.0, plan.depth - alone * latency_ms / 1000)
    added = min(spare / ((latency_ms + plan.delay_ms) / 1000), alone)
    return {"iops": alone + added, "alone": alone, "added": added, "spare_depth": spare}


def marks(workload: str, rows: Dict[str, Row], best_iops: Dict[str, float]) -> List[dict]:
    """What the project promises, and what came out."""
    own = peers(rows)
    ours = rows[OURS]

    def mark(text: str, got: float, wanted: float, met: bool) -> dict:
        return {"workload": workload, "mark": text, "got": got, "wanted": wanted, "met": met}

    rival = max([ALONE, *own], key=lambda name: rows[name]["iops"])
    part = throughput(ours, [rows[rival]])
    found = [mark(f"throughput, as a part of the best other's ({rival})",
                  part, THROUGHPUT_MARK, part >= THROUGHPUT_MARK)]
    if "queue-length" in own:
        times = throughput(ours, [rows["queue-length"]])
        possible = THROUGHPUT_MARK * best_iops["iops"] / rows["queue-length"]["iops"]
        wanted = min(RATIO_MARK, possible)
        why = "" if wanted == RATIO_MARK else f", {THROUGHPUT_MARK} of the optimum's"
        found.append(mark(f"times queue-length's throughput{why}", times, wanted, times >= wanted))
    if own:
        best = min(own, key=lambda name: rows[name]["p99_ms"])
        found.append(mark(f"p99 in ms, at most the best selector's ({best})", ours["p99_ms"],
                          rows[best]["p99_ms"], ours["p99_ms"] <= rows[best]["p99_ms"]))
    return found


def evaluate(plan: Plan, runs: List[dict]) -> dict:
    """All that the reports show; also what goes into the JSON file."""
    rows = rows_of(plan, runs)
    result = {"plan": json.loads(plan.to_json()), "medians": rows, "optimum": {}, "marks": [],
              "runs": runs}
    for workload, each in rows.items():
        if ALONE in each and ONE in each:
            result["optimum"][workload] = optimum(plan, each)
            if OURS in each:
                result["marks"] += marks(workload, each, result["optimum"][workload])
    return result


def busiest(result: dict) -> float:
    return max((row["cpu_busy"] for each in result["medians"].values() for row in each.values()),
               default=0.0)
