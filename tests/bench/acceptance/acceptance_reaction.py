"""What a selector makes of a path that changes in mid-run, from the trace of its run."""
import math
from typing import Dict, List, NamedTuple, Optional, Tuple

from .acceptance_plan import Scenario

LEFT_BELOW = 0.05  # the share of a path that was left
BACK_FROM = 0.8    # of its former share: the path is in use again
UNKNOWN = ["no I/O before it", "unknown"]  # in a table, in place of a reaction

Trace = Dict[str, list]  # the columns of timeline.py


class Reaction(NamedTuple):
    """Seconds, as exact as the samples are close; None: never."""
    left_after: Optional[float]  # the first change, until the path's share was below LEFT_BELOW
    back_after: Optional[float]  # the last change, until it had BACK_FROM of its former share


def shares(trace: Trace, path: int) -> List[Tuple[float, float]]:
    """(time, the path's part of the I/Os since the sample before); nan if there were none."""
    found = []
    for index in range(1, len(trace["t"])):
        counts = [end - start for start, end in zip(trace["taken"][index - 1], trace["taken"][index])]
        found.append((trace["t"][index], counts[path] / sum(counts) if sum(counts) else math.nan))
    return found


def reaction(trace: Trace, scenario: Scenario) -> Optional[Reaction]:
    """Of the path that changes first; None if nothing ran before that, so that no former share is known."""
    first, last = scenario.changes[0], scenario.changes[-1]
    found = shares(trace, first.path)
    before = [share for when, share in found if when <= first.at and not math.isnan(share)]
    if not before:
        return None
    former = sum(before) / len(before)

    def first_time(since: float, condition) -> Optional[float]:
        return next((when - since for when, share in found if when > since and condition(share)), None)

    return Reaction(first_time(first.at, lambda share: share < LEFT_BELOW),
                    first_time(last.at, lambda share: share >= BACK_FROM * former))


def words(seconds: Optional[float]) -> str:
    return "never" if seconds is None else f"{seconds:.1f} s"


def rows(scenario: Scenario, traces: Dict[str, Trace]) -> List[List[str]]:
    """With a heading."""
    path = scenario.changes[0].path
    found = {selector: reaction(trace, scenario) for selector, trace in traces.items()}
    return [["selector", f"left path {path} after", "back after"]] + [
        [selector, *(map(words, each) if each else UNKNOWN)] for selector, each in found.items()]
