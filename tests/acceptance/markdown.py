"""The results as Markdown tables, for docs/performance.md."""
from typing import List

from . import reaction
from .plan import SELECTORS, Scenario
from .results import Cell, Evaluation, Figures
from .table import kind, task_rows


def line(values: List[str]) -> str:
    return "| " + " | ".join(values) + " |"


def table(rows: List[List[str]]) -> str:
    heading, *rest = rows
    return "\n".join([line(heading), "|" + "---|" * len(heading), *map(line, rest)])


def shown(figures: Figures) -> str:
    return f"{figures.median['iops']:.0f} / {figures.median['p99_us'] / 1000:.1f}"


def ratio(value) -> str:
    return "" if value is None else f"{value:.3f}"


def cell_row(cell: Cell, selectors: List[str]) -> List[str]:
    best = cell.optimum()
    return [cell.name, *(shown(cell.by_selector[name]) if name in cell.by_selector else "" for name in selectors),
            f"{best:.0f}" if best else "", ratio(cell.ratio()), ratio(cell.p99_ratio())]


def scenario_text(found: Evaluation, scenario: Scenario) -> str:
    title = f"### {scenario.number}. {scenario.title}\n\n`--scenario {scenario.name}`; {kind(scenario)}.\n\n"
    if scenario.task:
        return title + table(task_rows(found.task(scenario)))
    cells = found.cells_of(scenario)
    selectors = [name for name in SELECTORS if any(name in cell.by_selector for cell in cells)]
    tables = [table([["", *selectors, "optimum", "x", "x p99"],
                     *(cell_row(cell, selectors) for cell in cells)])]
    if scenario.changes:
        tables.append(table(reaction.rows(scenario, found.traces(scenario))))
    return title + "\n\n".join(tables)


def text(found: Evaluation) -> str:
    """Each cell: IOPS / p99 in ms; the last columns are against the best peer's throughput and the lowest p99."""
    marks = table([["mark", "got", "wanted", ""],
                   *([mark.text, f"{mark.got:.3f}", f"{mark.wanted:.3f}", "met" if mark.met else "**missed**"]
                     for mark in found.marks)])
    return "\n\n".join([marks, *(scenario_text(found, scenario) for scenario in found.scenarios)]) + "\n"
