"""What is wanted of a figure, and whether it is met."""
import sys
from dataclasses import dataclass
from typing import List

RED, PLAIN = "\033[31m", "\033[0m"


@dataclass
class Mark:
    """A figure that is not to be passed."""
    name: str               # on the last line of the report
    about: str
    value: float
    limit: float
    at_most: bool = True
    below: bool = False     # at_most, and not even equal
    form: str = ".3f"       # how figure and limit are shown

    @property
    def met(self) -> bool:
        if self.below:
            return self.value < self.limit
        return self.value <= self.limit if self.at_most else self.value >= self.limit

    @property
    def shown(self) -> str:
        return format(self.value, self.form)

    @property
    def wanted(self) -> str:
        sign = "<" if self.below else "<=" if self.at_most else ">="
        return f"{sign} {format(self.limit, self.form)}"

    def line(self) -> str:
        return f"{self.about}: {self.shown}, mark {self.wanted}: " + ("met" if self.met else red("MISSED"))


def summary(marks: List[Mark]) -> str:
    """A line for each, and how many are met."""
    return "\n".join([*(mark.line() for mark in marks), f"{sum(mark.met for mark in marks)} of {len(marks)} marks met"])


def red(text: str) -> str:
    return f"{RED}{text}{PLAIN}" if sys.stdout.isatty() else text
