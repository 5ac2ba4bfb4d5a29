"""Figures over several steps: those of the acceptance suite and of tests/bench/exact as wholes."""
from tests.bench.acceptance.acceptance_results import P99_MARK
from tests.bench.acceptance.acceptance_scenario import load_all
from tests.bench.exact.cases import CASES
from tests.bench.ratios import gmean

ACCEPTANCE, EXACT, TRACE = "acceptance-", "exact-", "exact-trace-"


def of(steps):
    """Of what latency-weighted runs with arguments that are no defaults, the peers without: apart."""
    scenarios, given = results(steps, ACCEPTANCE), results(steps, ACCEPTANCE, names=given_arguments())
    parts = {"quick": [each for each in scenarios if each["quick"] and is_local(each)],
             "others": [each for each in scenarios if not each["quick"] and is_local(each) and each not in given],
             "by-operation": [each for each in given if is_local(each)],
             "local": [each for each in scenarios if is_local(each)],
             "transports": [each for each in scenarios if not is_local(each) and each["clock"] == "virtual"]}
    found = {name: of_cells([cell for each in part for cell in each["cells"].values()])
             for name, part in parts.items()}
    rows = [row for each in results(steps, EXACT, but=TRACE) for row in each["rows"].values()]
    found["exact"] = of_cells([row for row in rows if not CASES[row["case"]].arguments])
    found["exact-by-operation"] = of_cells([row for row in rows if CASES[row["case"]].arguments])
    return found


def given_arguments():
    return [ACCEPTANCE + name for name, scenario in load_all().items() if scenario.arguments]


def results(steps, prefix, but=None, names=None):
    return [step["results"] for name, step in steps.items()
            if name.startswith(prefix) and not (but and name.startswith(but)) and (names is None or name in names)]


def is_local(scenario):
    """Disks without a network, in virtual time."""
    return scenario["clock"] == "virtual" and scenario["transport"] in ("test disk", "tcm_loop")


def of_cells(cells):
    """Ratios to the best peer; None if there is nothing to compare."""
    ratios = [cell["x"] for cell in cells if cell.get("x")]
    tails = [cell["x_p99"] for cell in cells if cell.get("x_p99")]
    if not ratios:
        return None
    found = {"cells": len(ratios), "gmean": gmean(ratios), "worst": min(ratios), "best": max(ratios)}
    if tails:
        found.update(p99_worst=max(tails), p99_close=sum(tail <= P99_MARK for tail in tails) / len(tails))
    return {name: value if isinstance(value, int) else float(f"{value:.6g}") for name, value in found.items()}
