"""Tunables of a map, and of a path."""
import textwrap
from dataclasses import dataclass

from .errors import LwError
from .option_table import OPTIONS
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
OF_MAP = {name: Choice(name, limits) if isinstance(default, str) else Tunable(name, *limits)
          for name, limits, default, _, _ in OPTIONS}
OF_PATH = {"prefer": Tunable("prefer", 0, 1)}


def help_text():
    """A line for each tunable, for --help."""
    lines = ["tunables of a map:"]
    for name, limits, default, unit, meaning in OPTIONS:
        values = default if isinstance(default, str) else ("%d-%d %s" % (*limits, unit)).rstrip() + ", %d" % default
        lines += textwrap.wrap("  %-19s%s: %s" % (name, values, meaning), 79, subsequent_indent=" " * 21)
    return "\n".join(lines + ["tunable of a path:", "  %-19s0-1: its latency counts as half" % "prefer"])


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
