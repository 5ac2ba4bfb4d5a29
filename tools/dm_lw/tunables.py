"""What can be set: of a map, and of a path. docs/latency-weighted.rst tells what each is."""
from dataclasses import dataclass

from .errors import LwError
from .maps import MODULE


@dataclass(frozen=True)
class Tunable:
    name: str
    least: int
    most: int

    def check(self, word):
        """The number that the word is; the module would refuse the others, too."""
        # Python refuses to read thousands of digits.
        if not (word.isascii() and word.isdigit() and len(word) < 20
                and self.least <= int(word) <= self.most):
            raise LwError("%s: \"%s\" is not a number from %d to %d"
                          % (self.name, word, self.least, self.most))
        return int(word)


OF_MAP = {tunable.name: tunable for tunable in (
    Tunable("ewma_shift", 0, 8),
    Tunable("window_ms", 5, 1000),
    Tunable("tolerance", 0, 100),
    Tunable("max_penalty", 1, 1000),
    Tunable("probe_min_ms", 10, 60000),
    Tunable("probe_max_ms", 10, 600000),
    Tunable("min_contiguous_kb", 0, 65536),
    Tunable("accounting", 0, 1),
    Tunable("histogram", 0, 1),
    Tunable("by_operation", 0, 1),
    Tunable("report_ms", 0, 600000),
)}
OF_PATH = {"prefer": Tunable("prefer", 0, 1)}


def read(sysfs, directory, tunables=None):
    """The values in a directory, of those that this module has."""
    values = {name: sysfs.number(directory, name) for name in tunables or OF_MAP}
    return {name: value for name, value in values.items() if value is not None}


def defaults(sysfs):
    """Of maps that are made now: the module's parameters."""
    return {name: sysfs.number(MODULE, "parameters", name) for name in OF_MAP}
