"""A scenario, and what one guest does with it: plain data, which host and guest share."""
from dataclasses import asdict, dataclass, field
from typing import ClassVar, Dict, Iterator, List, Tuple

from tests.bench.plan import Plan, interleaved
from tests.bench.selectors import COMPILED, DEBIANS, HISTORICAL_SERVICE_TIME, NATIVES, OURS

SELECTORS = [*NATIVES, *DEBIANS, *COMPILED, OURS]

DONE = "done: "  # how a guest's line begins that tells a figure
TEST_DISK, TCM_LOOP, NULL_BLK = LOCAL = "test disk", "tcm_loop", "null_blk"
ISCSI, NVME_TCP = "iscsi", "nvme-tcp"
VIRTUAL, REAL = "virtual", "real"
MEDIAN, WORST = "median", "worst"      # which of the repetitions counts
LEAST_REPETITIONS = 3
CPUS_IN_REAL_TIME = 2
TASKS = {"copy": ["sg_xcopy", "read and write"], "defragment": ["e4defrag"]}  # and their ways, see tasks.py


# fio's, and the part of the I/Os that are writes.
MIXED = "randrw"
WRITES = {"read": 0.0, "write": 1.0, "randread": 0.0, "randwrite": 1.0, MIXED: 0.5}


@dataclass(frozen=True)
class Job:
    """What fio does, at each of the depths in turn."""
    rw: str
    depths: List[int]
    bs: str = "4k"
    bssplit: str = ""                   # instead of bs: size/per cent:...
    bsrange: str = ""                   # instead of bs: least-most
    seconds: float = 1.0                # that count
    warm: float = 0.5                   # before those
    label: str = ""                     # for people; else rw and the size
    options: Dict[str, str] = field(default_factory=dict)  # more of fio's

    @property
    def name(self) -> str:
        return self.label or f"{self.rw} {self.bssplit or self.bsrange or self.bs}"

    @property
    def flushes(self) -> bool:
        return any(word in self.options for word in ("fsync", "fdatasync"))

    @property
    def key(self) -> str:
        """A name that fio makes a file's name of."""
        return "".join(c if c.isalnum() else "-" for c in self.name)


@dataclass(frozen=True)
class Change:
    """A path becomes something else in mid-run."""
    at: float                           # seconds after the first I/O
    path: int
    set: Dict[str, float]
    every: float = 0                    # in a file: again each so many seconds, to the end


@dataclass(frozen=True)
class Scenario:
    """What tests/bench/acceptance/README.md says a scenario file holds."""
    name: str
    title: str
    paths: List[Dict[str, float]]       # what each does to an I/O
    number: int = 0                     # of the list in README.md; somebody's own has none
    transport: str = TEST_DISK
    clock: str = VIRTUAL
    jobs: List[Job] = field(default_factory=list)
    task: str = ""                      # instead of jobs: one of TASKS
    task_mib: int = 16                  # what it is done with
    changes: List[Change] = field(default_factory=list)
    judged: str = MEDIAN                # WORST: a long run, of which the end counts
    repeat: int = LEAST_REPETITIONS     # runs of each selector; if the worst counts, of latency-weighted
    beside: List[Job] = field(default_factory=list)  # on the map during a long run; they do not count
    background: List[Dict[str, str]] = field(default_factory=list)  # fio jobs that run all the time
    stress_ng: str = ""                 # the arguments of one that runs all the time
    flood: List[int] = field(default_factory=list)   # paths whose network carries iperf3's flow as well
    groups: List[int] = field(default_factory=list)  # sizes of the priority groups, the first in use
    selectors: List[str] = field(default_factory=lambda: [*DEBIANS, HISTORICAL_SERVICE_TIME, OURS])
    arguments: Dict[str, int] = field(default_factory=dict)  # latency-weighted's, in the table line
    disk_us: int = 100                  # what the disk behind a network takes for an I/O
    quick: bool = False                 # one of `make acceptance QUICK=1`
    tells: str = ""                     # a sentence for the report

    @property
    def heading(self) -> str:
        return f"{self.number}. {self.title}" if self.number else self.title

    @property
    def long(self) -> bool:
        return self.judged == WORST

    @property
    def exact(self) -> bool:
        return self.clock == VIRTUAL and self.transport == TEST_DISK

    def paths_in_use(self) -> List[Dict[str, float]]:
        return self.paths[:self.groups[0]] if self.groups else self.paths

    def packages(self) -> List[str]:
        """What its guest has beyond what all have."""
        return ["iperf3"] * bool(self.flood) + ["stress-ng"] * bool(self.stress_ng)

    def seconds(self) -> float:
        """What one run with one selector measures, and warms up."""
        return sum(job.warm + job.seconds for job, _ in self.cells())

    def figures(self) -> int:
        """What one run with one selector brings."""
        return len(TASKS[self.task]) if self.task else len(list(self.cells()))

    def cells(self) -> Iterator[Tuple[Job, int]]:
        for job in self.jobs:
            for depth in job.depths:
                yield job, depth


@dataclass
class GuestPlan(Plan):
    """A guest's work: one scenario, each selector in turn, several times."""
    scenario: dict
    repetitions: int
    of_peers: int = 0           # theirs, if not as many

    module: ClassVar[str] = "tests.bench.acceptance.acceptance_in_guest"

    @classmethod
    def of(cls, scenario: Scenario, selectors: List[str], repetitions: int = 0) -> "GuestPlan":
        """As often as the scenario says, unless told otherwise."""
        of_peers = LEAST_REPETITIONS if scenario.long and not repetitions else 0
        return cls(selectors=selectors, scenario=asdict(scenario), repetitions=repetitions or scenario.repeat,
                   of_peers=of_peers)

    @property
    def subject(self) -> str:
        return self.scenario["name"]

    @property
    def runs(self) -> int:
        return sum(map(self.runs_of, self.selectors))

    def runs_of(self, selector: str) -> int:
        return min(self.repetitions, self.of_peers) if self.of_peers and selector != OURS else self.repetitions

    def the_scenario(self) -> Scenario:
        values = dict(self.scenario)
        return Scenario(**{**values, "jobs": [Job(**job) for job in values["jobs"]],
                           "beside": [Job(**job) for job in values["beside"]],
                           "changes": [Change(**change) for change in values["changes"]]})

    def order(self) -> Iterator[Tuple[int, str]]:
        """(repetition, selector), interleaved: what disturbs, disturbs all."""
        for repetition, selector in interleaved(self.selectors, self.repetitions):
            if repetition < self.runs_of(selector):
                yield repetition, selector
