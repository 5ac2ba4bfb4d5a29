"""What a demo consists of: the test bed's figures and the runs, as plain data.

The host makes a plan, the guest reads it from JSON.
"""
from dataclasses import dataclass, field
from typing import ClassVar, Iterator, List, Tuple

from tests.bench.plan import AsJson, interleaved
from tests.bench.selectors import ALONE, DEBIANS, OURS

ONE = "one at a time"         # on the fast path, to know its latency
CONFIGURATIONS = [ALONE, *DEBIANS, OURS]
WORKLOADS = {"randread": "random read", "randwrite": "random write",
             "randrw": "random read and write"}
BLOCK = 4096
WARM = 0.5                    # seconds before each workload that do not count, in which a new selector learns


@dataclass
class Plan(AsJson):
    """The defaults are explained in tests/bench/demo/README.md."""
    configurations: List[str] = field(default_factory=lambda: list(CONFIGURATIONS))
    workloads: List[str] = field(default_factory=lambda: list(WORKLOADS))
    depth: int = 8
    repetitions: int = 3
    seconds: float = 1.0       # of each run
    delay_ms: float = 30       # which netem adds to one path
    rate_mbit: float = 54      # of each path, each way
    disk_ms: float = 4         # the array's own time for a request
    arguments: str = ""        # of the module, e.g. "window_ms=10"

    module: ClassVar[str] = "tests.bench.demo.demo_in_guest"
    subject: ClassVar[str] = "demo"
    label: ClassVar[str] = "demo"

    @property
    def runs(self) -> int:
        return len(list(self.in_turn()))

    def in_turn(self) -> Iterator[Tuple[int, str]]:
        """(repetition, configuration)"""
        return interleaved(self.configurations, self.repetitions)
