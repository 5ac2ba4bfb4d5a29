"""The traces of a scenario as a picture."""
from pathlib import Path
from typing import Dict

import matplotlib

matplotlib.use("Agg")  # no display

from matplotlib import pyplot  # noqa: E402  (after the choice above)

from .plan import OURS  # noqa: E402
from .reaction import BAD_FROM, WINDOW, Trace, sliding_rates, sliding_shares  # noqa: E402
from .scenarios import Scenario  # noqa: E402

FULL_WEIGHT = 128  # latency-weighted's status words of all paths together
COLOURS = {"round-robin": "#9e9e9e", "queue-length": "#90b4d8", "service-time": "#2f6aa8",
           "historical-service-time": "#7b5ea7", OURS: "#c62828"}
# queue-length and service-time are often one line
DASHES = {"service-time": (0, (4, 3))}


def draw(scenario: Scenario, traces: Dict[str, Trace], path: Path) -> None:
    figure, (shares, rates) = pyplot.subplots(2, 1, sharex=True, figsize=(11, 7.5))
    for selector, trace in traces.items():
        style = {"color": COLOURS[selector], "linewidth": 1.3, "linestyle": DASHES.get(selector, "-"),
                 "label": selector}
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
    for axes in (shares, rates):
        axes.axvspan(BAD_FROM, scenario.bad_until, color="#f5e6d8", zorder=0)
        axes.spines[["top", "right"]].set_visible(False)
        axes.margins(x=0.01)
        axes.set_ylim(bottom=0)
    shares.legend(fontsize=8, frameon=False, ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    figure.suptitle(f"Path 0 is bad (shaded): {scenario.title}, depth {scenario.depth}", fontsize=10)
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    pyplot.close(figure)
