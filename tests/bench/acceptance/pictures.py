"""The results as pictures: SVG for the page, and the same as PNG."""
import io
import math
from pathlib import Path
from typing import Dict, List

import matplotlib
from matplotlib import ticker

from tests.bench.colours import COLOURS, OPTIMUM, line
from tests.bench.plotting import plain, pyplot
from tests.bench.selectors import ordered

from . import acceptance_reaction as reaction
from .acceptance_plan import Scenario
from .acceptance_results import Cell

BARS_A_ROW = 6
PERCENTILES = [("p50_us", "p50"), ("p99_us", "p99"), ("p999_us", "p99.9")]

pyplot.rcParams["svg.fonttype"] = "none"  # text stays text, in the page's own font
pyplot.rcParams["font.size"] = 9


def selectors_of(cells: List[Cell]) -> List[str]:
    return ordered({name for cell in cells for name in cell.by_selector})


def places(cells: int, selectors: int, index: int) -> List[float]:
    """Where the bars of a selector stand, in their groups."""
    return [number + (index - (selectors - 1) / 2) * 0.8 / selectors for number in range(cells)]


def tidy(axes, labels: List[str]) -> None:
    axes.set_xticks(range(len(labels)), labels)
    plain(axes)
    axes.grid(axis="y", alpha=0.25)
    axes.set_axisbelow(True)


def log_scale(axes) -> None:
    """With plain numbers at 1, 2, 5, 10 ..."""
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_minor_locator(ticker.NullLocator())
    axes.yaxis.set_major_formatter(ticker.FormatStrFormatter("%g"))


def throughput_bars(axes, cells: List[Cell]) -> None:
    """Each cell's against the best in it, since depths differ by orders of magnitude."""
    names = selectors_of(cells)
    scale = [max(each.median["iops"] for each in cell.by_selector.values()) or 1 for cell in cells]
    for index, name in enumerate(names):
        shown = [(place, cell.by_selector[name], most) for place, cell, most in
                 zip(places(len(cells), len(names), index), cells, scale) if name in cell.by_selector]
        heights = [figures.median["iops"] / most for _, figures, most in shown]
        below = [(figures.median["iops"] - figures.low["iops"]) / most for _, figures, most in shown]
        above = [(figures.high["iops"] - figures.median["iops"]) / most for _, figures, most in shown]
        bars = axes.bar([place for place, _, _ in shown], heights, 0.74 / len(names), color=COLOURS[name],
                        yerr=[below, above], error_kw={"elinewidth": 0.8, "capsize": 2}, label=name)
        axes.bar_label(bars, [f"{figures.median['iops']:.0f}" for _, figures, _ in shown], fontsize=7,
                       rotation=90, label_type="center", color="white")
    for number, (cell, most) in enumerate(zip(cells, scale)):
        if cell.optimum():
            axes.hlines(cell.optimum() / most, number - 0.42, number + 0.42, colors=OPTIMUM,
                        linestyles="dashed", linewidth=1, label=None if number else "optimum")
    axes.set_ylabel("IOPS, as a part of the best")
    axes.set_ylim(0, 1.12)


def latency_marks(axes, cells: List[Cell]) -> None:
    """A line from the median to p99.9 for each selector, with a dash at p99."""
    names = selectors_of(cells)
    for index, name in enumerate(names):
        for place, cell in zip(places(len(cells), len(names), index), cells):
            if name not in cell.by_selector:
                continue
            p50, p99, p999 = (cell.by_selector[name].median[figure] / 1000 for figure, _ in PERCENTILES)
            style = {"color": COLOURS[name]}
            axes.plot([place, place], [p50, p999], linewidth=1.2, **style)
            axes.plot([place], [p50], marker="o", markersize=4, **style)
            axes.plot([place], [p99], marker="_", markersize=9, markeredgewidth=2.5, **style)
            axes.plot([place], [p999], marker="^", markersize=3.5, **style)
    log_scale(axes)
    axes.set_ylabel("latency, ms: p50 ●, p99 ▬, p99.9 ▲")


def bars(cells: List[Cell]) -> "pyplot.Figure":
    """Throughput and latency of a scenario's cells."""
    rows = math.ceil(len(cells) / BARS_A_ROW)
    width = math.ceil(len(cells) / rows)
    figure, all_axes = pyplot.subplots(rows, 2, figsize=(13, 0.6 + 3.6 * rows), squeeze=False)
    for row, (left, right) in enumerate(all_axes):
        part = cells[row * width:(row + 1) * width]
        labels = [f"{cell.job.name}\ndepth {cell.depth}" for cell in part]
        throughput_bars(left, part)
        latency_marks(right, part)
        for axes in (left, right):
            tidy(axes, labels)
    handles, labels = all_axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="upper center", ncols=len(labels), frameon=False)
    figure.tight_layout(rect=(0, 0, 1, 1 - 0.35 / figure.get_figheight()))
    return figure


def over_time(scenario: Scenario, traces: Dict[str, Dict[str, list]]) -> "pyplot.Figure":
    """Share of the path that changes first, and the latency that users see."""
    path = scenario.changes[0].path
    figure, (shares, latency) = pyplot.subplots(2, 1, sharex=True, figsize=(13, 6.5))
    plain(shares, latency)
    for name in ordered(traces):
        trace = traces[name]
        style = {**line(name), "linewidth": 1.3}
        shares.plot(*zip(*[(when, 100 * share) for when, share in reaction.shares(trace, path)]), **style)
        latency.plot(trace["latency_t"], [value / 1000 for value in trace["latency_us"]], **style)
    for axes in (shares, latency):
        for change in scenario.changes:
            axes.axvline(change.at, color="#b08050", linewidth=0.8, linestyle="--")
        axes.grid(alpha=0.25)
        axes.margins(x=0.01)
    shares.set_ylabel(f"share of path {path}, %")
    shares.set_ylim(bottom=0)
    latency.set_ylabel("mean latency, ms")
    log_scale(latency)
    latency.set_xlabel("seconds; dashed: the paths change")
    handles, labels = shares.get_legend_handles_labels()
    figure.legend(handles, labels, loc="upper center", ncols=len(labels), frameon=False)
    figure.tight_layout(rect=(0, 0, 1, 0.95))
    return figure


def save(figure: "pyplot.Figure", stem: Path) -> str:
    """As PNG and SVG; the SVG element."""
    figure.savefig(stem.with_suffix(".png"), dpi=110)
    text = io.StringIO()
    # Names within one picture must not be those within another on the same page; no date,
    # so that the same results give the same file.
    with matplotlib.rc_context({"svg.hashsalt": stem.name}):
        figure.savefig(text, format="svg", metadata={"Date": None})
    pyplot.close(figure)
    stem.with_suffix(".svg").write_text(text.getvalue())
    return text.getvalue()[text.getvalue().index("<svg"):]
