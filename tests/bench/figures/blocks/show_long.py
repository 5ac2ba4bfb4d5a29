"""Runs of a minute: of the peers IOPS / p99 in ms in the mean, of ours the same of the worst."""
from tests.bench.selectors import OURS, ordered

from .show_common import block, number, results, table

LONG = "long-"


def runs(figures):
    found = results(figures, LONG)
    names = ordered({name for each in found.values() for name in each["selectors"]})
    rows = [["a minute each", *(f"{name}, {'worst' if name == OURS else 'mean'}" for name in names), "x", "x p99"]]
    rows += [[f"`{step}`", *(cell(each["selectors"], name) for name in names), number(each["x"], 3),
              number(each["x_p99"], 3)] for step, each in found.items()]
    return block(figures, found, table(rows))


def cell(selectors, name):
    """What counts of it."""
    if name not in selectors:
        return ""
    which = "worst" if name == OURS else "mean"
    return f"{selectors[name][f'{which}_iops']:.0f} / {selectors[name][f'{which}_p99_ms']:.1f}"
