"""The results as text."""
from typing import Dict, List, Tuple

from tests.bench.selectors import OURS

from . import acceptance_reaction as reaction
from .acceptance_plan import Scenario
from .acceptance_results import Cell, Evaluation, Figures, Mark

RED, PLAIN = "\033[31m", "\033[0m"
# title, width, a row's figures
COLUMNS = [
    ("IOPS", 8, lambda row: f"{row.median['iops']:.0f}"),
    ("min-max", 14, lambda row: f"{row.low['iops']:.0f}-{row.high['iops']:.0f}"),
    ("MiB/s", 8, lambda row: f"{row.median['mib_s']:.2f}"),
    ("mean ms", 9, lambda row: f"{row.median['mean_us'] / 1000:.2f}"),
    ("p50", 8, lambda row: f"{row.median['p50_us'] / 1000:.2f}"),
    ("p99", 8, lambda row: f"{row.median['p99_us'] / 1000:.2f}"),
    ("p99.9", 8, lambda row: f"{row.median['p999_us'] / 1000:.2f}"),
    ("CPU %", 7, lambda row: f"{100 * row.median['cpu']:.0f}"),
]
NAME_WIDTH = 24

Task = Dict[Tuple[str, str], Dict[str, object]]


def shares(figures: Figures) -> str:
    return " ".join(f"{100 * share:.1f}" for share in figures.shares)


def ratios(cell: Cell) -> str:
    ratio, tail = cell.ratio(), cell.p99_ratio()
    if not ratio or not tail:
        return ""
    return f"{ratio:.3f} of the best peer's throughput, {tail:.3f} of the lowest p99"


def cell_lines(cell: Cell) -> List[str]:
    best = cell.optimum()
    lines = [cell.name + (f" (optimum: {best:.0f} IOPS)" if best else ""),
             " " * NAME_WIDTH + "".join(title.rjust(width) for title, width, _ in COLUMNS) + "  shares, %"]
    for name, figures in cell.by_selector.items():
        lines.append(name.ljust(NAME_WIDTH) + "".join(
            shown(figures).rjust(width) for _, width, shown in COLUMNS) + "  " + shares(figures))
    if ratios(cell):
        lines.append(f"{OURS}: {ratios(cell)}")
    return lines


def task_rows(task: Task) -> List[List[str]]:
    """With a heading."""
    return [["selector", "by", "seconds", "MiB/s", "MiB on each path"]] + [
        [selector, way, f"{row['seconds']:.2f}", f"{row['mib_s']:.1f}",
         " + ".join(f"{part:.1f}" for part in row["carried_mib"])]
        for (selector, way), row in task.items()]


def task_lines(task: Task) -> List[str]:
    return [f"{selector:24}{way:16}{seconds:>10}{rate:>10}{carried:>20}"
            for selector, way, seconds, rate, carried in task_rows(task)]


def kind(scenario: Scenario) -> str:
    """How far a figure can be trusted."""
    if scenario.exact:
        return "exact: virtual time, test disk"
    return f"{scenario.clock} time, {scenario.transport}"


def mark_line(mark: Mark, red: bool) -> str:
    line = f"{'met   ' if mark.met else 'MISSED'}  {mark.text}: {mark.got:.3f} (mark: {mark.wanted:.3f})"
    return f"{RED}{line}{PLAIN}" if red and not mark.met else line


def scenario_lines(found: Evaluation, scenario: Scenario) -> List[str]:
    lines = ["", f"{scenario.heading} ({kind(scenario)})",
             *(f"{OURS}'s arguments: {words}" for words in found.arguments(scenario))]
    for cell in found.cells_of(scenario):
        lines += ["", *cell_lines(cell)]
    if scenario.task:
        lines += ["", *task_lines(found.task(scenario))]
    if scenario.changes:
        lines += ["", *(f"{name:24}{left:>20}{back:>14}"
                        for name, left, back in reaction.rows(scenario, found.traces(scenario)))]
    return lines


def text(found: Evaluation, red: bool) -> str:
    lines = [line for scenario in found.scenarios for line in scenario_lines(found, scenario)]
    return "\n".join(lines + [""] + [mark_line(mark, red) for mark in found.marks])
