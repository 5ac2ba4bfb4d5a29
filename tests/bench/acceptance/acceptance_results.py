"""From records of runs to medians, ratios and marks."""
import math
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Dict, Iterable, List, Optional, Tuple

from tests.bench.ratios import against_peers, gmean
from tests.bench.records import Record, read_list
from tests.bench.selectors import NATIVE, OURS, peers
from tests.lib.disks import AS_READS
from tests.sim import oracle

from .acceptance_plan import LOCAL, MIXED, SELECTORS, WRITES, Job, Scenario
from .io_sizes import size, split

FIGURES = ["iops", "mib_s", "mean_us", "p50_us", "p99_us", "p999_us", "cpu"]
TASK_FIGURES = ["seconds", "mib_s"]
KEYS = ["scenario", "selector", "repetition", "kernel", "commit"]   # of each record

GMEAN_MARK, WORST_MARK = 1.05, 0.97  # of the best peer's throughput
P99_MARK, P99_CELLS = 1.05, 0.90     # of the best peer's p99, in this part of the cells
# The NVMe latency policy's published throughput, READ, one path 30 ms farther: 350 MiB/s
# against queue-depth's 230 and round-robin's 105.
PUBLISHED = {"queue-length": 1.52, "round-robin": 3.3,
             NATIVE + "queue-depth": 1.52, NATIVE + "round-robin": 3.3}
PUBLISHED_CASE, PUBLISHED_RW = 1, "randread"
OPTIMUM_MARK = 0.95                  # where the test bed does not allow those


@dataclass(frozen=True)
class Figures:
    """Medians of a cell's repetitions with one selector."""
    median: Dict[str, float]
    low: Dict[str, float]
    high: Dict[str, float]
    shares: List[float]
    repetitions: int


@dataclass(frozen=True)
class Cell:
    """A scenario's job at a depth, with all selectors."""
    scenario: Scenario
    job: Job
    depth: int
    by_selector: Dict[str, Figures]
    alone_us: Optional[float] = None  # of the same job with one I/O at a time, the least median

    @property
    def name(self) -> str:
        return f"{self.job.name}, depth {self.depth}"

    def ratio(self) -> Optional[float]:
        """Our throughput against the best peer's."""
        return against_peers({name: each.median for name, each in self.by_selector.items()})

    def p99_ratio(self) -> Optional[float]:
        """Our p99 against the lowest of all, also if that one is a peer's with little throughput."""
        lowest = min((self.by_selector[name].median["p99_us"] for name in peers(self.by_selector)), default=0)
        return self.by_selector[OURS].median["p99_us"] / lowest if lowest and OURS in self.by_selector else None

    def optimum(self) -> Optional[float]:
        """The most IOPS that the bed allows, where that can be told.

        Disks without a network are computed. A network without a limit of bandwidth could do all I/Os in the
        time that one takes on the nearest path; whether its CPU could is another question.
        """
        if self.scenario.changes or self.scenario.background or self.scenario.stress_ng or self.job.bsrange \
                or self.job.flushes:
            return None
        if self.scenario.transport in LOCAL:
            best = oracle.bound({"paths": [in_simulation(path) for path in self.scenario.paths_in_use()],
                                 "sizes": sizes(self.job), "writes": writes(self.job),
                                 "jobs": [{"depth": self.depth}]})
            return best if best < math.inf else None    # of paths that take no time at all there is none
        limited = any(set(path) - {"delay_ms"} for path in self.scenario.paths)
        return None if limited or self.scenario.flood or not self.alone_us else self.depth * 1e6 / self.alone_us


@dataclass(frozen=True)
class Mark:
    """Something to be reached, and whether it was."""
    text: str
    got: float
    wanted: float
    met: bool


def sizes(job: Job) -> List[List[int]]:
    """[bytes, weight] as the oracle takes it."""
    return split(job.bssplit) if job.bssplit else [[size(job.bs), 1]]


def writes(job: Job) -> float:
    """Their part of the I/Os, as fio takes it: of two words for it the last counts."""
    found = WRITES[job.rw]
    for word, value in job.options.items() if job.rw == MIXED else ():
        if word == "rwmixwrite":
            found = value / 100
        elif word == "rwmixread":
            found = 1 - value / 100
    return found


def in_simulation(path: Dict[str, float]) -> Dict[str, float]:
    """A test disk as the simulator has it: that tells the part of the I/Os which are late, and has no AS_READS."""
    every = path.get("tail_every")
    known = {key: value for key, value in path.items() if value != AS_READS}
    return {**known, "tail": 1 / every} if every else known


def words_of(table: Dict[str, float]) -> str:
    return ", ".join(f"{key} {value}" for key, value in table.items())


def read(path: Path) -> List[Record]:
    return read_list(path, KEYS)


def figures_of(runs: List[Record]) -> Figures:
    def each(function):
        return {name: function(run[name] for run in runs) for name in FIGURES}

    return Figures(each(median), each(min), each(max),
                   [median(column) for column in zip(*(run["shares"] for run in runs))], len(runs))


def cells(records: Iterable[Record], scenarios: Dict[str, Scenario]) -> List[Cell]:
    """In the scenarios' order; what is no longer part of a scenario is left out."""
    runs: Dict[Tuple[str, str, int, str], List[Record]] = {}
    for record in records:
        if "iops" in record:
            key = record["scenario"], record["job"], record["depth"], record["selector"]
            runs.setdefault(key, []).append(record)
    found = []
    for scenario in scenarios.values():
        alone_us: Dict[str, float] = {}
        for job, depth in scenario.cells():
            by_selector = {name: figures_of(runs[scenario.name, job.name, depth, name])
                           for name in SELECTORS if (scenario.name, job.name, depth, name) in runs}
            if depth == 1 and by_selector:
                alone_us[job.name] = min(each.median["p50_us"] for each in by_selector.values())
            if by_selector:
                found.append(Cell(scenario, job, depth, by_selector, alone_us.get(job.name)))
    return found


def overall_marks(found: List[Cell]) -> List[Mark]:
    ratios = [cell.ratio() for cell in found if cell.ratio()]
    tails = [cell.p99_ratio() for cell in found if cell.p99_ratio()]
    if not ratios:
        return []
    calm = sum(tail <= P99_MARK for tail in tails) / len(tails)
    return [Mark("throughput against the best peer, geometric mean", gmean(ratios), GMEAN_MARK,
                 gmean(ratios) >= GMEAN_MARK),
            Mark("the same, worst cell", min(ratios), WORST_MARK, min(ratios) >= WORST_MARK),
            Mark(f"part of the cells whose p99 is at most {P99_MARK} of the lowest", calm, P99_CELLS,
                 calm >= P99_CELLS)]


def published_marks(found: List[Cell]) -> List[Mark]:
    """Of scenario 1's reads: the published ratios, or nearly the optimum."""
    marks = []
    for cell in found:
        if cell.scenario.number != PUBLISHED_CASE or cell.job.rw != PUBLISHED_RW:
            continue
        best = cell.optimum()
        for peer, published in PUBLISHED.items():
            if peer in cell.by_selector and OURS in cell.by_selector:
                marks.append(published_mark(cell, peer, published, best))
    return marks


def published_mark(cell: Cell, peer: str, published: float, best: Optional[float]) -> Mark:
    rival = cell.by_selector[peer].median["iops"]
    got = cell.by_selector[OURS].median["iops"] / rival
    possible = best / rival if best else math.inf
    wanted = min(published, OPTIMUM_MARK * possible)
    text = f"{cell.scenario.name}, {cell.name}: times {peer}'s throughput"
    if best:
        text += f"; {possible:.2f} at the optimum of {best:.0f} IOPS"
    return Mark(text, got, wanted, got >= wanted)


def verdict(found: List[Cell]) -> str:
    """The line for machines."""
    ratios = [cell.ratio() for cell in found if cell.ratio()]
    tails = [cell.p99_ratio() for cell in found if cell.p99_ratio()]
    return (f"acceptance: gmean={gmean(ratios):.3f} worst={min(ratios):.3f} "
            f"worst_p99={max(tails):.3f}")


class Evaluation:
    """What the records say; the reports show it."""

    def __init__(self, records: List[Record], scenarios: Dict[str, Scenario]):
        self.records = records
        measured = {record["scenario"] for record in records}
        self.scenarios = [each for name, each in scenarios.items() if name in measured]
        self.cells = cells(records, scenarios)
        self.marks = overall_marks(self.cells) + published_marks(self.cells)

    @property
    def repetitions(self) -> int:
        return 1 + max(record["repetition"] for record in self.records)

    @property
    def verdict(self) -> str:
        """Empty if nothing can be compared."""
        return verdict(self.cells) if any(cell.ratio() for cell in self.cells) else ""

    def cells_of(self, scenario: Scenario) -> List[Cell]:
        return [cell for cell in self.cells if cell.scenario == scenario]

    def arguments(self, scenario: Scenario) -> List[str]:
        """Those that we were measured with; none if we had none."""
        return sorted({words_of(record["arguments"]) for record in self.records
                       if record["scenario"] == scenario.name and record.get("arguments")})

    def task(self, scenario: Scenario) -> Dict[Tuple[str, str], Dict[str, object]]:
        """Where there is a task instead of jobs: by selector and way, medians; of carried_mib for each path."""
        runs: Dict[Tuple[str, str], List[Record]] = {}
        for record in self.records:
            if "way" in record and record["scenario"] == scenario.name:
                runs.setdefault((record["selector"], record["way"]), []).append(record)
        return {key: {"carried_mib": [median(part) for part in zip(*(run["carried_mib"] for run in found))],
                      **{figure: median(run[figure] for run in found) for figure in TASK_FIGURES}}
                for key, found in sorted(runs.items(), key=lambda item: SELECTORS.index(item[0][0]))}

    def traces(self, scenario: Scenario) -> Dict[str, Dict[str, list]]:
        """Where the paths change in mid-run: the first repetition's, by selector."""
        found = {record["selector"]: record["trace"] for record in reversed(self.records)
                 if "trace" in record and record["scenario"] == scenario.name}
        return {name: found[name] for name in SELECTORS if name in found}
