"""tests/sim: it has summed up its runs itself."""
from .read_common import load, rounded


def read(directory):
    return rounded(load(directory, "summary.json"))


def variants(directory):
    return rounded(load(directory, "variants.json"))
