"""What an I/O costs, as a picture."""
from pathlib import Path
from typing import List

from tests.bench.colours import COLOURS
from tests.bench.plotting import plain, pyplot, save
from tests.bench.records import Record

from . import cost_results as results
from .cost_plan import QUEUE_MODES, SELECTORS


def draw(records: List[Record], path: Path) -> None:
    counted, rates = results.instructions(records), results.rates(records)
    panels = ([mode for mode in QUEUE_MODES if any(mode == place[0] for place in counted)]
              + (["rates"] if rates else []))
    figure, axes = pyplot.subplots(1, len(panels), figsize=(4.5 * len(panels), 4.2), squeeze=False)
    for panel, axis in zip(panels, axes[0]):
        if panel == "rates":
            draw_rates(axis, rates)
        else:
            draw_instructions(axis, panel, counted)
        plain(axis)
        axis.legend(fontsize=7, frameon=False)
    figure.tight_layout()
    save(figure, path)


def draw_instructions(axis, mode, counted) -> None:
    rows = {paths: row for (of, paths), row in counted.items() if of == mode}
    for name in SELECTORS:
        points = [(paths, 100 * (row[name].value / results.cheapest(row) - 1))
                  for paths, row in rows.items() if name in row]
        if points:
            axis.plot(*zip(*points), color=COLOURS[name], marker="o", markersize=3, linewidth=1.3,
                      label=name)
    axis.set_xscale("log", base=2)
    axis.set_xticks(list(rows), [str(paths) for paths in rows])
    axis.set_xlabel("paths")
    axis.set_ylabel("instructions of a whole I/O, % above the cheapest")
    axis.set_title(QUEUE_MODES[mode], fontsize=9)


def draw_rates(axis, rates) -> None:
    for index, name in enumerate(SELECTORS):
        places = [group + 0.2 * (index - 1.5) for group in range(len(rates))]
        axis.bar(places, [row[name].value for row in rates.values()], width=0.18, color=COLOURS[name],
                 yerr=[row[name].spread / 2 for row in rates.values()], capsize=2, label=name)
    axis.set_xticks(range(len(rates)), [f"{cpus} CPUs, {mode}" for cpus, mode in rates])
    axis.set_ylabel("IOPS of emulated CPUs; bar: half the rounds")
    axis.set_title("2 paths", fontsize=9)
    axis.margins(y=0.3)     # for the legend
