"""Tunables of a map, and of a path. docs/latency-weighted.rst describes each."""
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

    def read(self, sysfs, *names):
        return sysfs.number(*names)


@dataclass(frozen=True)
class Choice:
    """One of several words."""
    name: str
    words: tuple

    def check(self, word):
        if word not in self.words:
            raise LwError("%s: \"%s\" is none of %s" % (self.name, word, ", ".join(self.words)))
        return word

    def read(self, sysfs, *names):
        """As it is: a newer module may have more of them."""
        return sysfs.text(*names) or None


BY_LATENCY = "latency"          # otherwise the map is only observed
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
    Choice("choose", (BY_LATENCY, "queue-length", "round-robin")),
)}
OF_PATH = {"prefer": Tunable("prefer", 0, 1)}


def read(sysfs, directory, tunables=None):
    """The values in a directory, of those that this module has."""
    known = {**OF_MAP, **OF_PATH}
    values = {name: known[name].read(sysfs, directory, name) for name in tunables or OF_MAP}
    return {name: value for name, value in values.items() if value is not None}


def defaults(sysfs):
    """Values of maps that are made now: the module's parameters."""
    return {name: tunable.read(sysfs, MODULE, "parameters", name) for name, tunable in OF_MAP.items()}


def observed_by(values):
    """The rule by which I/O goes where the module only observes; None where it chooses."""
    rule = values.get("choose", BY_LATENCY)
    return None if rule == BY_LATENCY else rule
