"""Pictures of the results."""
from tests.bench.colours import COLOURS
from tests.bench.plotting import pyplot, save
from tests.bench.ratios import best_peer
from tests.bench.selectors import OURS, SIMPLE

from .compare import others
from .engine import PEERS
from .table import SHORT


def by_scenario(results, bounds, path):
    """A row of dots for each scenario: throughput against the bound, p99 against the best peer's."""
    names = list(results)
    figure, axes = pyplot.subplots(1, 2, figsize=(12, 1.5 + 0.2 * len(names)), sharey=True)
    for selector in PEERS + [OURS]:
        ours, mine = selector == OURS, [name for name in names if selector in results[name]]
        style = dict(color=COLOURS[selector], label=selector, s=28 if ours else 16,
                     marker="D" if ours else "o", zorder=3 if ours else 2)
        rows = [names.index(name) for name in mine]
        axes[0].scatter([results[name][selector]["iops"] / bounds[name] for name in mine], rows, **style)
        axes[1].scatter([results[name][selector]["p99_us"] / best_peer(others(results[name]))["p99_us"]
                         for name in mine], rows, **style)
    axes[0].set(title="throughput / bound", xlim=(0, 1.1), yticks=range(len(names)),
                yticklabels=names)
    axes[1].set(title="p99 / that of the best peer", xscale="log")
    axes[0].invert_yaxis()
    for axis in axes:
        axis.grid(alpha=0.3)
    axes[0].legend(loc="upper left", fontsize=8)
    figure.tight_layout()
    save(figure, path)


def over_time(name, by_selector, event_ms, path):
    """Share of the troubled path, selector by selector, 100 ms means."""
    selectors = [selector for selector in by_selector if selector != SIMPLE]
    figure, axes = pyplot.subplots(len(selectors), 1, figsize=(9, 1 + 1.1 * len(selectors)),
                                sharex=True, sharey=True)
    for axis, selector in zip(axes, selectors):
        result = by_selector[selector]
        width = result["timeline"]["bucket_ms"]
        step = max(1, round(100 / width))
        mine = result["timeline"]["starts"][0]
        total = [sum(column) for column in zip(*result["timeline"]["starts"])]
        points = [(at * width / 1000, sum(mine[at:at + step]) / max(1, sum(total[at:at + step])))
                  for at in range(0, len(mine) - step, step)]
        axis.plot(*zip(*points), color=COLOURS[selector])
        axis.axvspan(event_ms[0] / 1000, event_ms[1] / 1000, color="red", alpha=0.1)
        axis.set_ylabel(SHORT[selector], rotation=0, ha="right")
        axis.grid(alpha=0.3)
    axes[0].set(ylim=(0, 1), title=f"{name}: share of path 0 (in trouble where red)")
    axes[-1].set_xlabel("seconds")
    figure.tight_layout()
    save(figure, path)
