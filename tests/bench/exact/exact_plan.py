"""What one guest of this benchmark does: a case or a scenario."""
from dataclasses import dataclass
from typing import ClassVar, List

from tests.bench.plan import Plan
from tests.bench.selectors import DEBIANS, HISTORICAL_SERVICE_TIME, OURS

SELECTORS = [*DEBIANS, HISTORICAL_SERVICE_TIME, OURS]
RAMP = 1  # seconds of load before each measurement


@dataclass
class CasePlan(Plan):
    """A case at these depths."""
    case: str
    depths: List[int]
    runtime: float  # virtual seconds for each figure

    module: ClassVar[str] = "tests.bench.exact.measure_case"

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

    module: ClassVar[str] = "tests.bench.exact.trace_scenario"

    @property
    def subject(self) -> str:
        return "trace " + self.scenario
