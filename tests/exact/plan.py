"""What one guest of the benchmark does, and how it is told."""
import json
import re
from dataclasses import asdict, dataclass
from typing import ClassVar, Iterator, List, Sequence, Tuple

from tests.bench.selectors import DEBIANS, HISTORICAL_SERVICE_TIME, OURS

SELECTORS = [*DEBIANS, HISTORICAL_SERVICE_TIME, OURS]
RAMP = 1  # seconds of load before each measurement


def interleaved(items: Sequence[str], repetitions: int) -> Iterator[Tuple[int, str]]:
    """(repetition, item), each repetition beginning elsewhere: what disturbs, disturbs all."""
    for repetition in range(repetitions):
        for index in range(len(items)):
            yield repetition, items[(index + repetition) % len(items)]


@dataclass
class Plan:
    """A guest's work, as the file /lw/out/plan.json."""
    selectors: List[str]

    module: ClassVar[str]  # what does it, in the guest

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "Plan":
        return cls(**json.loads(text))

    @property
    def subject(self) -> str:
        raise NotImplementedError

    @property
    def runs(self) -> int:
        return len(self.selectors)

    @property
    def label(self) -> str:
        return "exact-" + re.sub(r"[^a-z0-9]+", "-", self.subject.lower())


@dataclass
class CasePlan(Plan):
    """A case at these depths."""
    case: str
    depths: List[int]
    runtime: float  # virtual seconds for each figure

    module: ClassVar[str] = "tests.exact.measure"

    @property
    def subject(self) -> str:
        return self.case

    @property
    def runs(self) -> int:
        return len(self.selectors) * len(self.depths)


@dataclass
class TracePlan(Plan):
    """What a scenario brings about, over time."""
    scenario: str

    module: ClassVar[str] = "tests.exact.trace"

    @property
    def subject(self) -> str:
        return "trace " + self.scenario
