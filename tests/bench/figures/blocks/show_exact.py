"""tests/bench/exact: cells are IOPS / p99 in ms / share of the last path in per cent."""
from tests.bench.figures.summary import EXACT, TRACE

from .show_common import block, columns, number, results, shown, table

ALIKE = 0.05            # rows in which all selectors' throughput is within are left out


def rows(figures):
    found = {name: each for name, each in results(figures, EXACT).items() if not name.startswith(TRACE)}
    everything = [row for each in found.values() for row in each["rows"].values()]
    told = [row for row in everything if differ(row)]
    names = columns(told)
    return block(figures, found, table([["paths", "depth", *names, "x"]] + [
        [row["case"], str(row["depth"]), *(cell(row, name) for name in names), number(row["x"], 3)]
        for row in told]), left_out(len(everything) - len(told)))


def differ(row):
    return min(row["iops"].values()) < (1 - ALIKE) * max(row["iops"].values())


def left_out(count):
    return f"Rows in which the throughput of all is within 5 % are not shown: {count}." if count else ""


def cell(row, name):
    return f"{shown(row, name)} / {100 * row['share_last'][name]:.1f}" if name in row["iops"] else ""


def milliseconds(value):
    return "never" if value is None else f"{value:.0f}"


def reactions(figures):
    found = results(figures, TRACE)
    return block(figures, found, table([["scenario", "selector", "left after, ms", "back after, ms", "IOPS before",
                                         "IOPS while bad"]] + [
        [f"`{name[len(TRACE):]}`", selector, milliseconds(each["left_ms"]), milliseconds(each["back_ms"]),
         number(each["rate_before"]), number(each["rate_while_bad"])]
        for name, scenario in found.items() for selector, each in scenario["selectors"].items()]))
