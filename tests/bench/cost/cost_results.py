"""Records of the guests: what they come to, held against the marks, shown."""
import statistics
from dataclasses import dataclass
from typing import Dict, Iterable, List, Tuple

from tests.bench.marks import Mark, summary
from tests.bench.records import Record
from tests.bench.selectors import OURS

from .cost_plan import NULL_BLK, QUEUE_MODES, SELECTORS, TEST_DISK, VARIANTS
from .native import NATIVE_SELECTORS

Place = Tuple[str, int]     # queue mode, paths


@dataclass
class Figure:
    """What was measured several times."""
    value: float
    spread: float


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


# More than the cheapest, by paths; IOPS of round-robin's; ns of service-time's, by threads.
MOST_MORE = {2: 200, 8: 280}
LEAST_IOPS = 0.98
NATIVE_PEER = "service-time"
NATIVE_PATHS_MARKED = 2
# As the last line has them.
NAMES = {"rq": "request", "bio": "bio"}


def marks(records: List[Record]) -> List[Mark]:
    return instruction_marks(records) + rate_marks(records) + native_marks(records)


def instruction_marks(records: List[Record]) -> List[Mark]:
    counted, found = instructions(records), []
    for paths, limit in MOST_MORE.items():
        for mode, title in QUEUE_MODES.items():
            row = counted.get((mode, paths))
            if row:
                found.append(Mark(f"{NAMES[mode]}{paths}", f"{title}, {paths} paths, instructions above the cheapest",
                                  row[OURS].value - cheapest(row), limit, form="+.0f"))
    return found


def rate_marks(records: List[Record]) -> List[Mark]:
    return [Mark(f"{NAMES[mode]}_iops_{cpus}", f"{QUEUE_MODES[mode]}, {cpus} CPUs, IOPS against round-robin's",
                 figure.value, LEAST_IOPS, at_most=False)
            for (cpus, mode), figure in to_round_robin(records).items()]


def native(records: Iterable[Record]) -> Dict[Tuple[int, int], Dict[str, Record]]:
    """By threads and paths, and by selector."""
    found: Dict[Tuple[int, int], Dict[str, Record]] = {}
    for record in records:
        if record["measured"] == "native":
            found.setdefault((record["threads"], record["paths"]), {})[record["selector"]] = record
    return found


def native_marks(records: List[Record]) -> List[Mark]:
    """On one CPU no slower, on two faster."""
    places, found = native(records), []
    for threads in (1, 2):
        row = places.get((threads, NATIVE_PATHS_MARKED))
        if row:
            about = f"natively, {threads} CPU{'s' * (threads > 1)}, {NATIVE_PATHS_MARKED} paths, ns of an I/O against "
            found.append(Mark(f"native{threads}", about + f"{NATIVE_PEER}'s", row[OURS]["ns"] / row[NATIVE_PEER]["ns"],
                              1, below=threads > 1))
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


def native_table(records: List[Record]) -> str:
    places = native(records)
    own = statistics.median(record["program_ns"] for row in places.values() for record in row.values())
    disturbed = sum(next(iter(row.values()))["disturbed"] for row in places.values())
    lines = ["ns of select, start and end on this machine: medians of the rounds, and from quarter to quarter; "
             f"{own:.1f} ns of the program itself are taken off",
             "threads  paths  " + "  ".join(f"{name:>23}" for name in NATIVE_SELECTORS) + "  ours / service-time's"]
    for (threads, paths), row in places.items():
        cells = (f"{row[name]['ns']:.1f} ({row[name]['high'] - row[name]['low']:.1f})" for name in NATIVE_SELECTORS)
        lines.append(f"{threads:7}  {paths:5}  " + "  ".join(f"{cell:>23}" for cell in cells)
                     + f"  {row[OURS]['ns'] / row[NATIVE_PEER]['ns']:.2f}")
    if disturbed:
        lines.append(f"in {disturbed} of the slices a thread lost its CPU to others each time that it was tried")
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
    if native(records):
        parts.append(native_table(records))
    found = marks(records)
    if found:
        parts.append(summary(found))
    return "\n\n".join(parts + [verdict(found)])


def verdict(found: List[Mark]) -> str:
    return " ".join(["cost:", *(f"{mark.name}={mark.shown}" for mark in found if "_" not in mark.name)])
