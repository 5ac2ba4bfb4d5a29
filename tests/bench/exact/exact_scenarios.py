"""Reaction: what happens to a path under load, as plain data.

Path 0 of two equal ones becomes bad and heals. Times are virtual seconds since the
first sample.
"""
from dataclasses import dataclass
from typing import Dict, List, Tuple

from .cases import path

INTERVAL = 0.02         # between two samples
BAD_FROM = 2.0          # when the path becomes bad
AFTER = 3.0             # how long it is watched after it healed


@dataclass(frozen=True)
class Scenario:
    """Random reads in a closed loop, while path 0 changes."""
    title: str
    paths: List[Dict[str, int]]  # as in cases.py
    bad: Dict[str, int]          # what path 0 is given when it becomes bad
    bad_seconds: float
    depth: int = 16
    size: int = 4096

    @property
    def healthy(self) -> Dict[str, int]:
        """What heals path 0."""
        return {name: self.paths[0].get(name, 0) for name in self.bad}

    @property
    def bad_until(self) -> float:
        return BAD_FROM + self.bad_seconds

    @property
    def changes(self) -> Tuple[Tuple[float, Dict[str, int]], ...]:
        return (BAD_FROM, self.bad), (self.bad_until, self.healthy)

    @property
    def seconds(self) -> float:
        return self.bad_until + AFTER


SCENARIOS: Dict[str, Scenario] = {
    "step": Scenario("+30 ms on one of two paths of 5 ms", [path(5000)] * 2,
                     {"delay_us": 35000}, bad_seconds=3),
    "collapse": Scenario("one of two paths falls from 200 to 10 MB/s, 64k reads",
                         [path(1000, mbps=200)] * 2, {"mbps": 10}, bad_seconds=3, size=65536),
    "hang": Scenario("one of two paths of 5 ms completes nothing", [path(5000)] * 2,
                     {"hang": 1}, bad_seconds=2.5),
}
