"""Records of the guests: what they come to, held against the marks, shown."""
import statistics
import sys
from dataclasses import dataclass
from typing import Dict, Iterable, List, Tuple

from tests.bench.selectors import OURS

from .plan import NULL_BLK, QUEUE_MODES, SELECTORS, TEST_DISK, VARIANTS

Record = Dict[str, object]
Place = Tuple[str, int]     # queue mode, paths
RED, PLAIN = "\033[31m", "\033[0m"


@dataclass
class Figure:
    """What was measured several times."""
    value: float
    spread: float


@dataclass
class Mark:
    """A ratio to a peer's figure that is not to be passed."""
    name: str
    about: str
    ratio: float
    limit: float
    at_most: bool = True

    @property
    def met(self) -> bool:
        return self.ratio <= self.limit if self.at_most else self.ratio >= self.limit

    def line(self) -> str:
        sign = "<=" if self.at_most else ">="
        text = f"{self.about}: {self.ratio:.3f}, mark {sign} {self.limit:.2f}: "
        return text + ("met" if self.met else red("MISSED"))


def red(text: str) -> str:
    return f"{RED}{text}{PLAIN}" if sys.stdout.isatty() else text


def instructions(records: Iterable[Record], disk: str = NULL_BLK) -> Dict[Place, Dict[str, Figure]]:
    """Of an I/O, by place and selector. The spread is that of the guests which did the same."""
    found: Dict[Place, Dict[str, List[float]]] = {}
    for record in records:
        if record["measured"] == "instructions" and record["disk"] == disk:
            place = found.setdefault((record["queue_mode"], record["paths"]), {})
            place.setdefault(record["selector"], []).append(statistics.median(record["batches"]))
    return {place: {selector: Figure(statistics.median(runs), max(runs) - min(runs))
                    for selector, runs in by_selector.items()}
            for place, by_selector in found.items()}


def rates(records: Iterable[Record]) -> Dict[Tuple[int, str], Dict[str, Figure]]:
    """I/Os per second, by CPUs, queue mode and selector; the spread is from quarter to quarter."""
    found: Dict[Tuple[int, str], Dict[str, List[float]]] = {}
    for record in records:
        if record["measured"] == "iops":
            place = found.setdefault((record["cpus"], record["queue_mode"]), {})
            place.setdefault(record["selector"], []).append(record["iops"])
    return {place: {selector: quarters(rounds) for selector, rounds in by_selector.items()}
            for place, by_selector in found.items()}


def quarters(values: List[float]) -> Figure:
    if len(values) < 2:
        return Figure(values[0], 0)
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return Figure(middle, high - low)


def to_round_robin(records: Iterable[Record]) -> Dict[Tuple[int, str], Figure]:
    """Our I/Os per second against round-robin's, round by round: what slows the host slows both."""
    rounds: Dict[Tuple[int, str], Dict[int, Dict[str, float]]] = {}
    for record in records:
        if record["measured"] == "iops":
            place = rounds.setdefault((record["cpus"], record["queue_mode"]), {})
            place.setdefault(record["round"], {})[record["selector"]] = record["iops"]
    return {place: quarters([one[OURS] / one["round-robin"] for one in by_round.values()])
            for place, by_round in rounds.items()}


def cheapest(by_selector: Dict[str, Figure]) -> float:
    return min(figure.value for figure in by_selector.values())


def marks(records: List[Record]) -> List[Mark]:
    found = []
    counted = instructions(records)
    for peer, paths, limit in (("service-time", 2, 1.0), ("round-robin", 8, 1.1)):
        for mode, title in QUEUE_MODES.items():
            by_selector = counted.get((mode, paths))
            if by_selector:
                ratio = by_selector[OURS].value / by_selector[peer].value
                found.append(Mark(f"{mode}_{paths}", f"{title}, {paths} paths, instructions of a "
                                  f"whole I/O against {peer}'s", ratio, limit))
    for (cpus, mode), figure in to_round_robin(records).items():
        found.append(Mark(f"{mode}_iops_{cpus}", f"{QUEUE_MODES[mode]}, {cpus} CPUs, IOPS against "
                          "round-robin's", figure.value, 1.0, at_most=False))
    return found


def instructions_table(records: Iterable[Record], disk: str) -> str:
    counted = instructions(records, disk)
    names = [name for name in VARIANTS if any(name in row for row in counted.values())]
    widths = {name: max(len(name), 8) for name in names}
    lines = [f"instructions an I/O over {disk}: of the cheapest, and how many more than that",
             f"{'':14} paths  cheapest  " + "  ".join(f"{name:>{widths[name]}}" for name in names)]
    for (mode, paths), row in counted.items():
        least = cheapest(row)
        lines.append(f"{QUEUE_MODES[mode]:14} {paths:5}  {least:8.0f}  " + "  ".join(
            f"{row[name].value - least:+{widths[name]}.0f}" for name in names))
    return "\n".join(lines)


def repeats(records: Iterable[Record]) -> str:
    """How exactly the instructions come out again."""
    records = [record for record in records if record["measured"] == "instructions"]
    guests = {record["repeat"] for record in records}
    spreads = [max(record["batches"]) - min(record["batches"]) for record in records]
    text = (f"batches of one run differ by {statistics.median(spreads):.1f} instructions an I/O as a rule and by "
            f"{max(spreads):.1f} at most")
    if len(guests) < 2:
        return text
    worst = max(figure.spread for disk in (NULL_BLK, TEST_DISK)
                for row in instructions(records, disk).values() for figure in row.values())
    return text + f"; the medians of {len(guests)} guests that did the same by up to {worst:.1f}"


def rates_table(records: List[Record]) -> str:
    lines = ["IOPS in real time: medians of the rounds, and from quarter to quarter",
             f"{'':14}  CPUs  " + "  ".join(f"{name:>18}" for name in SELECTORS)
             + "  ours / round-robin's"]
    ratios = to_round_robin(records)
    for (cpus, mode), row in rates(records).items():
        ratio = ratios[cpus, mode]
        lines.append(f"{QUEUE_MODES[mode]:14}  {cpus:4}  " + "  ".join(
            f"{row[name].value:9.0f} ({row[name].spread:6.0f})" for name in SELECTORS)
            + f"  {ratio.value:.3f} ({ratio.spread:.3f})")
    return "\n".join(lines)


def report(records: List[Record]) -> str:
    """Tables, marks, and the line for machines."""
    parts = []
    parts += [instructions_table(records, disk) for disk in (NULL_BLK, TEST_DISK)
              if instructions(records, disk)]
    if parts:
        parts.append(repeats(records))
    if rates(records):
        parts.append(rates_table(records))
    found = marks(records)
    parts.append("\n".join(mark.line() for mark in found))
    return "\n\n".join(parts + [verdict(found)])


def verdict(found: List[Mark]) -> str:
    figures = " ".join(f"{mark.name}={mark.ratio:.3f}" for mark in found)
    return f"cost: {figures} met={sum(mark.met for mark in found)}/{len(found)}"
