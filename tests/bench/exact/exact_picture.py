"""The traces of a scenario as a picture."""
from pathlib import Path
from typing import Dict

from tests.bench.colours import COLOURS, line
from tests.bench.plotting import plain, pyplot, save

from .exact_reaction import BAD_FROM, WINDOW, Trace, sliding_rates, sliding_shares
from .exact_scenarios import Scenario

FULL_WEIGHT = 128  # latency-weighted's status words of all paths together


def draw(scenario: Scenario, traces: Dict[str, Trace], path: Path) -> None:
    figure, (shares, rates) = pyplot.subplots(2, 1, sharex=True, figsize=(11, 7.5))
    for selector, trace in traces.items():
        style = {**line(selector), "linewidth": 1.3}
        times, values = zip(*[(when, None if value is None else 100 * value)
                              for when, value in sliding_shares(trace, 0, scenario.seconds)])
        shares.plot(times, [float("nan") if value is None else value for value in values], **style)
        rates.plot(*zip(*sliding_rates(trace)), **style)
        if "words" in trace:
            weights = [100 * words[0][0] / FULL_WEIGHT for words in trace["words"]]
            shares.plot(trace["t"], weights, color=COLOURS[selector], linewidth=0.9, linestyle=":",
                        label=f"{selector}: weight")
    shares.set_ylabel("share of path 0, %")
    rates.set_ylabel("I/Os per second over both paths")
    rates.set_xlabel(f"virtual time, s; each point is the mean of the last {1000 * WINDOW:.0f} ms")
    plain(shares, rates)
    for axes in (shares, rates):
        axes.axvspan(BAD_FROM, scenario.bad_until, color="#f5e6d8", zorder=0)
        axes.margins(x=0.01)
        axes.set_ylim(bottom=0)
    shares.legend(fontsize=8, frameon=False, ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    figure.suptitle(f"Path 0 is bad (shaded): {scenario.title}, depth {scenario.depth}", fontsize=10)
    figure.tight_layout()
    save(figure, path)
