"""What one guest of a benchmark does, and how it is told."""
import json
import re
from dataclasses import asdict, dataclass
from typing import ClassVar, Iterator, List, Sequence, Tuple


def interleaved(items: Sequence[str], repetitions: int) -> Iterator[Tuple[int, str]]:
    """(repetition, item), each repetition beginning elsewhere: what disturbs, disturbs all."""
    for repetition in range(repetitions):
        for index in range(len(items)):
            yield repetition, items[(index + repetition) % len(items)]


class AsJson:
    """A dataclass that a guest reads from the file /lw/out/plan.json."""

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "AsJson":
        return cls(**json.loads(text))


@dataclass
class Plan(AsJson):
    """A guest's work: what is measured with each selector."""
    selectors: List[str]

    module: ClassVar[str]  # what does it, in the guest

    @property
    def subject(self) -> str:
        raise NotImplementedError

    @property
    def runs(self) -> int:
        return len(self.selectors)

    @property
    def label(self) -> str:
        """Of its logs: the benchmark and the subject."""
        *_, bench, _ = self.module.split(".")
        return f"{bench}-" + re.sub(r"[^a-z0-9]+", "-", self.subject.lower())
