"""The report: one page that needs nothing else, and the pictures as files."""
import html
import time
from pathlib import Path
from typing import Dict, List

from tests.bench.selectors import COMPILED, OURS

from . import acceptance_reaction as reaction
from . import pictures
from .acceptance_plan import Scenario
from .acceptance_results import Cell, Evaluation, Mark, words_of
from .acceptance_table import COLUMNS, kind, shares, task_rows

STYLE = """
body { font: 15px/1.45 sans-serif; max-width: 75em; margin: 2em auto; padding: 0 1em; color: #222 }
table { border-collapse: collapse; margin: 0.4em 0 1.2em }
th, td { padding: 0.15em 0.7em; text-align: right; border-bottom: 1px solid #ddd; white-space: nowrap }
th:first-child, td:first-child { text-align: left }
caption { text-align: left; font-weight: bold; padding: 0.3em 0 }
tr.ours { font-weight: bold }
.missed { color: #c00000; font-weight: bold }
.kind { color: #555; font-style: italic }
svg { max-width: 100%; height: auto }
"""
PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>dm-latency-weighted: acceptance</title>
<style>{style}</style></head><body>
<h1>Path selectors side by side</h1>
{body}
</body></html>
"""


def element(name: str, content: str, css: str = "") -> str:
    attribute = f' class="{css}"' if css else ""
    return f"<{name}{attribute}>{content}</{name}>"


def row(kind_of_cell: str, values: List[str], css: str = "") -> str:
    return element("tr", "".join(element(kind_of_cell, html.escape(value)) for value in values), css)


def cell_table(cell: Cell) -> str:
    best = cell.optimum()
    caption = cell.name + (f"; optimum of this bed: {best:.0f} IOPS" if best else "")
    rows = [row("th", ["selector", *(title for title, _, _ in COLUMNS), "shares, %"])]
    for name, figures in cell.by_selector.items():
        rows.append(row("td", [name, *(shown(figures) for _, _, shown in COLUMNS), shares(figures)],
                        "ours" if name == OURS else ""))
    return element("table", element("caption", html.escape(caption)) + "".join(rows))


def ratio_row(cell: Cell) -> str:
    def shown(value) -> str:
        return "" if value is None else f"{value:.3f}"

    return row("td", [f"{cell.scenario.heading}: {cell.name}", shown(cell.ratio()),
                      shown(cell.p99_ratio()), kind(cell.scenario)])


def mark_table(marks: List[Mark]) -> str:
    rows = [row("th", ["mark", "got", "wanted", ""])]
    rows += [row("td", [mark.text, f"{mark.got:.3f}", f"{mark.wanted:.3f}", "met" if mark.met else "MISSED"],
                 "" if mark.met else "missed") for mark in marks]
    return element("table", "".join(rows))


def summary(found: Evaluation) -> str:
    kernels = sorted({record["kernel"] for record in found.records})
    commits = sorted({record["commit"] for record in found.records})
    parts = [element("p", html.escape(
        f"Linux {', '.join(kernels)}; sources {', '.join(commits)}; {time.strftime('%Y-%m-%d')}. Each figure "
        f"is the median of {found.repetitions} interleaved repetitions; min-max is their spread."))]
    if found.verdict:
        parts += [element("p", element("code", found.verdict)), element("h2", "Marks"), mark_table(found.marks),
                  element("h2", "Against the best peer"),
                  element("table", row("th", ["case", "throughput", "p99", "figures"])
                          + "".join(map(ratio_row, found.cells)))]
    compiled = [name for name in COMPILED if any(name in cell.by_selector for cell in found.cells)]
    if compiled:
        parts.append(element("p", f"Compiled for this suite, since Debian's kernels do not have it: "
                                  f"{', '.join(compiled)}."))
    return "".join(parts)


def plain_table(rows: List[List[str]]) -> str:
    """A heading and rows that begin with a selector."""
    heading, *rows = rows
    return element("table", row("th", heading) + "".join(
        row("td", values, "ours" if values[0] == OURS else "") for values in rows))


def scenario_part(found: Evaluation, scenario: Scenario, directory: Path) -> str:
    parts = [element("h2", html.escape(scenario.heading)),
             element("p", html.escape(kind(scenario) + "; paths: " + "; ".join(map(path_words, scenario.paths))),
                     "kind")]
    if scenario.tells:
        parts.append(element("p", html.escape(scenario.tells)))
    parts += [element("p", html.escape(f"{OURS}'s arguments: {words}"), "kind")
              for words in found.arguments(scenario)]
    cells = found.cells_of(scenario)
    if cells:
        parts.append(pictures.save(pictures.bars(cells), directory / scenario.name))
    traces = found.traces(scenario)
    if traces:
        parts.append(pictures.save(pictures.over_time(scenario, traces),
                                   directory / f"{scenario.name}-over-time"))
        parts.append(plain_table(reaction.rows(scenario, traces)))
    if scenario.task:
        parts.append(plain_table(task_rows(found.task(scenario))))
    return "".join(parts + [cell_table(cell) for cell in cells])


def path_words(path: Dict[str, float]) -> str:
    return words_of(path) or "as it is"


def write(directory: Path, found: Evaluation) -> None:
    """report.html, and a PNG and an SVG of each picture in it."""
    body = summary(found)
    body += "".join(scenario_part(found, scenario, directory) for scenario in found.scenarios)
    (directory / "report.html").write_text(PAGE.format(style=STYLE, body=body))
