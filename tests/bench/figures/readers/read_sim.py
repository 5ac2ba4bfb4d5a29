"""tests/sim: it has summed up its runs itself."""
from .read_common import load, rounded


def read(directory):
    return rounded(load(directory, "summary.json"))


def extra(name):
    """A reader of such a list; of luck and recover the rows, which are one number for each seed, are left out."""
    def of(directory):
        found = load(directory / name, "summary.json")
        found.pop("rows", None)
        return rounded(found)
    return of


def variants(directory):
    return rounded(load(directory, "variants.json"))
