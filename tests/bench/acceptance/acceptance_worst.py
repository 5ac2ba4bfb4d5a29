"""Long runs: our worst one against what a peer has in the mean."""
from dataclasses import dataclass
from statistics import mean
from typing import Dict, List, Optional

from tests.bench.records import Record
from tests.bench.selectors import OURS, ordered, peers

from .acceptance_plan import Scenario
from .acceptance_results import Mark, words_of
from .acceptance_table import NAME_WIDTH, kind, mark_line

LEAST = 0.95            # of the best peer's throughput, for the worst run

# title, width, what of the runs
COLUMNS = [
    ("runs", 6, lambda runs: f"{runs.count}"),
    ("worst IOPS", 12, lambda runs: f"{runs.worst_iops:.0f}"),
    ("mean IOPS", 11, lambda runs: f"{runs.mean_iops:.0f}"),
    ("worst p99", 11, lambda runs: f"{runs.worst_p99_us / 1000:.2f}"),
    ("mean p99", 10, lambda runs: f"{runs.mean_p99_us / 1000:.2f}"),
    ("CPU %", 7, lambda runs: f"{100 * runs.cpu:.0f}"),
]


@dataclass(frozen=True)
class Runs:
    """All of a scenario with one selector."""
    count: int
    worst_iops: float
    mean_iops: float
    worst_p99_us: float
    mean_p99_us: float
    cpu: float                  # the most
    shares: List[float]         # of the run with the least IOPS

    @classmethod
    def of(cls, records: List[Record]) -> "Runs":
        iops, p99_us = ([record[figure] for record in records] for figure in ("iops", "p99_us"))
        return cls(len(records), min(iops), mean(iops), max(p99_us), mean(p99_us),
                   max(record["cpu"] for record in records),
                   min(records, key=lambda record: record["iops"])["shares"])


@dataclass(frozen=True)
class LongCell:
    """A long scenario, with all selectors."""
    scenario: Scenario
    by_selector: Dict[str, Runs]
    arguments: List[str]        # that we were measured with

    def ratio(self) -> Optional[float]:
        """Our worst throughput against the best peer's mean."""
        best = max((self.by_selector[name].mean_iops for name in peers(self.by_selector)), default=0)
        return self.by_selector[OURS].worst_iops / best if best and OURS in self.by_selector else None

    def p99_ratio(self) -> Optional[float]:
        """Our worst p99 against the lowest mean of a peer's."""
        lowest = min((self.by_selector[name].mean_p99_us for name in peers(self.by_selector)), default=0)
        return self.by_selector[OURS].worst_p99_us / lowest if lowest and OURS in self.by_selector else None


class LongRuns:
    """What the records say of the long ones among the scenarios."""

    def __init__(self, records: List[Record], scenarios: Dict[str, Scenario]):
        self.cells = [found for each in scenarios.values() if each.long
                      for found in [cell(each, records)] if found.by_selector]

    @property
    def marks(self) -> List[Mark]:
        return [Mark(f"{each.scenario.name}: its worst run against the mean of the best peer's", each.ratio(), LEAST,
                     each.ratio() >= LEAST) for each in self.cells if each.ratio() is not None]

    @property
    def verdict(self) -> str:
        """The line for machines; empty if nothing can be compared."""
        compared = [each for each in self.cells if each.ratio() is not None]
        if not compared:
            return ""
        worst = min(compared, key=LongCell.ratio)
        tail = max(each.p99_ratio() or 0 for each in compared)
        return f"long: worst={worst.ratio():.3f} ({worst.scenario.name}) worst_p99={tail:.3f}"

    def text(self, red: bool) -> str:
        lines = [line for each in self.cells for line in cell_lines(each)]
        return "\n".join([*lines, "", *(mark_line(mark, red) for mark in self.marks)])


def cell(scenario: Scenario, records: List[Record]) -> LongCell:
    (job, depth), = scenario.cells()
    runs: Dict[str, List[Record]] = {}
    for record in records:
        if (record["scenario"], record.get("job"), record.get("depth")) == (scenario.name, job.name, depth):
            runs.setdefault(record["selector"], []).append(record)
    arguments = {words_of(record["arguments"]) for record in sum(runs.values(), []) if record.get("arguments")}
    return LongCell(scenario, {name: Runs.of(runs[name]) for name in ordered(runs)}, sorted(arguments))


def cell_lines(found: LongCell) -> List[str]:
    (job, depth), = found.scenario.cells()
    lines = ["", f"{found.scenario.heading} ({kind(found.scenario)})",
             f"{found.scenario.name}: {job.name}, depth {depth}; {job.seconds:g} s after {job.warm:g} s",
             *(f"{OURS}'s arguments: {words}" for words in found.arguments), "",
             " " * NAME_WIDTH + "".join(title.rjust(width) for title, width, _ in COLUMNS) + "  shares of the worst, %"]
    for name, runs in found.by_selector.items():
        lines.append(name.ljust(NAME_WIDTH) + "".join(shown(runs).rjust(width) for _, width, shown in COLUMNS)
                     + "  " + " ".join(f"{100 * share:.1f}" for share in runs.shares))
    if found.ratio() is not None and found.p99_ratio() is not None:
        lines.append(f"{OURS}'s worst: {found.ratio():.3f} of the best peer's throughput, "
                     f"{found.p99_ratio():.3f} of the lowest p99")
    return lines
