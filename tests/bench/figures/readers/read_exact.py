"""tests/bench/exact: a case's rows, and what each selector did while a path was bad."""
from tests.bench.exact import exact_results as results
from tests.bench.exact.exact_reaction import marks, reaction
from tests.bench.exact.exact_scenarios import SCENARIOS
from tests.bench.selectors import OURS, ordered

from .read_common import load, rounded


def cases(directory):
    records = load(directory, "results.json")
    by_row, ratios = results.rows(records), results.ratios(records)
    return rounded({"rows": {f"{case}, depth {depth}": {
        "case": case, "depth": depth, "x": ratios.get((case, depth)),
        "iops": figure(by_selector, "iops"), "p99_ms": figure(by_selector, "p99_us", 1000),
        "share_last": {name: by_selector[name]["shares"][-1] for name in ordered(by_selector)}}
        for (case, depth), by_selector in by_row.items()}})


def figure(by_selector, key, divisor=1):
    return {name: by_selector[name][key] / divisor for name in ordered(by_selector)}


def trace(directory):
    """Of the only scenario that the step ran."""
    (file,) = directory.glob("trace-*.json")
    name = file.stem[len("trace-"):]
    scenario = SCENARIOS[name]
    found = {selector: reaction(columns, scenario) for selector, columns in load(directory, file.name).items()}
    return rounded({"title": scenario.title, "depth": scenario.depth,
                    "selectors": {selector: {"left_ms": in_ms(each.left_after), "back_ms": in_ms(each.back_after),
                                             "rate_before": each.rate_before, "rate_while_bad": each.rate_while_bad}
                                  for selector, each in found.items()},
                    "marks": [{"met": met, "text": text} for met, text in marks(scenario, found[OURS])]})


def in_ms(seconds):
    return None if seconds is None else 1000 * seconds
