"""tests/bench/acceptance: one scenario's cells, changes, tasks and marks; or what its long runs are like."""
from tests.bench.acceptance import acceptance_reaction as reaction
from tests.bench.acceptance.acceptance_results import Evaluation, published_marks
from tests.bench.acceptance.acceptance_scenario import load_all, load_long
from tests.bench.acceptance.acceptance_worst import LongRuns

from .read_common import load, rounded


def read(directory):
    records = load(directory, "results.json")
    found = Evaluation(records, load_all())
    (scenario,) = found.scenarios
    results = {"title": scenario.title, "number": scenario.number, "clock": scenario.clock,
               "transport": scenario.transport, "quick": scenario.quick, "kernel": records[0]["kernel"],
               "repetitions": found.repetitions,
               "cells": {cell.name: cell_figures(cell) for cell in found.cells},
               "marks": [vars(mark) for mark in published_marks(found.cells)]}
    if scenario.changes:
        reactions = {name: reaction.reaction(trace, scenario) for name, trace in found.traces(scenario).items()}
        results["changes"] = {name: {"left_s": each.left_after, "back_s": each.back_after}
                              for name, each in reactions.items() if each}
    if scenario.task:
        results["task"] = {f"{selector}, {way}": row for (selector, way), row in found.task(scenario).items()}
    return rounded(results)


def read_long(directory):
    """Throughput and p99 of the worst run and in the mean, by selector."""
    records = load(directory, "results.json")
    (cell,) = LongRuns(records, load_long()).cells
    return rounded({"title": cell.scenario.title, "kernel": records[0]["kernel"], "x": cell.ratio(),
                    "x_p99": cell.p99_ratio(), "selectors": {name: run_figures(runs)
                                                             for name, runs in cell.by_selector.items()}})


def run_figures(runs):
    return {"runs": runs.count, "worst_iops": runs.worst_iops, "mean_iops": runs.mean_iops,
            "worst_p99_ms": runs.worst_p99_us / 1000, "mean_p99_ms": runs.mean_p99_us / 1000}


def cell_figures(cell):
    def each(figure, divisor=1):
        return {name: figures.median[figure] / divisor for name, figures in cell.by_selector.items()}

    return {"optimum": cell.optimum(), "x": cell.ratio(), "x_p99": cell.p99_ratio(),
            "iops": each("iops"), "p99_ms": each("p99_us", 1000)}
