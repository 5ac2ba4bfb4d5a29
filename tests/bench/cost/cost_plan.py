"""What a guest of the cost measurement does, and what is compared, as plain data."""
from dataclasses import dataclass
from typing import ClassVar, Dict, List, Tuple

from tests.bench.plan import Plan
from tests.bench.selectors import DEBIANS, OURS

SELECTORS = [*DEBIANS, OURS]
UNSTAMPED = OURS + ", accounting 0"
POLICY = OURS + ", a policy that leaves the choice"
BY_OPERATION = OURS + ", by_operation 1"
BESIDE = "round-robin, beside a map with by_operation 1"
# While these are measured the kernel calls the module for each I/O of any disk, and ten seconds longer.
LISTENING = [BY_OPERATION, BESIDE]

# By what the table calls it: the selector and its arguments.
VARIANTS: Dict[str, Tuple[str, List]] = {
    **{name: (name, []) for name in SELECTORS},
    POLICY: (OURS, []),
    UNSTAMPED: (OURS, ["accounting", 0]),
    BY_OPERATION: (OURS, ["by_operation", 1]),
    BESIDE: ("round-robin", []),
}
QUEUE_MODES = {"rq": "request-based", "bio": "bio-based"}
PATHS = [1, 2, 4, 8, 32]
# Debian's kernels have null_blk's requests stamped in any case, the test disk's not.
NULL_BLK, TEST_DISK = "null_blk", "lw_testdisk"


@dataclass
class CountPlan(Plan):
    """Instructions an I/O; `selectors` are keys of VARIANTS."""
    disk: str
    paths: List[int]
    reads: int      # of a batch
    batches: int
    repeat: int     # which of the guests that do the same

    module: ClassVar[str] = "tests.bench.cost.count"

    @property
    def subject(self) -> str:
        return f"instructions over {self.disk}, run {self.repeat}"

    @property
    def runs(self) -> int:
        return len(self.selectors) * len(self.paths) * len(QUEUE_MODES)


@dataclass
class RatePlan(Plan):
    """I/Os per second in real time, the selectors in turn."""
    cpus: int
    paths: int
    rounds: int
    seconds: float

    module: ClassVar[str] = "tests.bench.cost.rate"

    @property
    def subject(self) -> str:
        return f"IOPS, {self.cpus} CPUs"

    @property
    def runs(self) -> int:
        return len(self.selectors) * self.rounds * len(QUEUE_MODES)
