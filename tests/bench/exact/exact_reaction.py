"""How fast a selector leaves a path that became bad, and comes back: arithmetic over a trace."""
import bisect
from typing import Dict, List, NamedTuple, Optional, Tuple

from tests.bench.selectors import OURS

from .exact_scenarios import BAD_FROM, INTERVAL, Scenario

WINDOW = 0.1            # seconds over which a share is taken
LEFT_BELOW = 0.05       # the share of a path that was left
BACK_FROM = 0.8         # of its former share: the path is in use again
LEAVE_WITHIN, RETURN_WITHIN = 0.25, 1.0
HANG_LEAVE_WITHIN = 0.1  # plus the base latency: no new I/O but a probe
MOST_STUCK_PROBES = 1
WHOLE = 0.95            # of the throughput that the depth which is not stuck can have

Trace = Dict[str, list]  # the columns of tests/bench/exact/trace_scenario.py


class Reaction(NamedTuple):
    """Seconds, shares of path 0, I/Os per second. None: never."""
    left_after: Optional[float]      # until its share was below LEFT_BELOW
    share_while_bad: Optional[float]
    back_after: Optional[float]      # until it had BACK_FROM of its former share
    rate_before: float
    rate_while_bad: float
    rate_after: float
    stuck: int                       # I/Os in flight on the path at the end of its bad time
    late_ios: int                    # I/Os it got later than HANG_LEAVE_WITHIN and its latency


def at(trace: Trace, when: float) -> int:
    """The index of the sample of that time; samples are late by less than half an interval."""
    return bisect.bisect_right(trace["t"], when + INTERVAL / 2) - 1


def taken(trace: Trace, first: int, last: int) -> List[int]:
    """What each path took between two samples."""
    return [end - start for start, end in zip(trace["taken"][first], trace["taken"][last])]


def share(trace: Trace, first: int, last: int) -> Optional[float]:
    """Path 0's, between two samples; None if there was nothing to share."""
    counts = taken(trace, first, last)
    return counts[0] / sum(counts) if sum(counts) else None


def rate(trace: Trace, since: float, until: float) -> float:
    first, last = at(trace, since), at(trace, until)
    return sum(taken(trace, first, last)) / (trace["t"][last] - trace["t"][first])


def sliding_shares(trace: Trace, since: float, until: float) -> List[Tuple[float, Optional[float]]]:
    """(end of the window, share within it), windows that begin at or after `since`."""
    span = round(WINDOW / INTERVAL)
    return [(trace["t"][last], share(trace, last - span, last))
            for last in range(at(trace, since) + span, at(trace, until) + 1)]


def sliding_rates(trace: Trace) -> List[Tuple[float, float]]:
    """(end of the window, I/Os per second within it)"""
    span = round(WINDOW / INTERVAL)
    times = trace["t"]
    return [(times[last], sum(taken(trace, last - span, last)) / (times[last] - times[last - span]))
            for last in range(span, len(times))]


def first_time(shares, condition) -> Optional[float]:
    return next((when for when, value in shares if value is not None and condition(value)), None)


def left_after(trace: Trace, scenario: Scenario) -> Optional[float]:
    """Windows begin before the change as well: it is the end that counts."""
    shares = sliding_shares(trace, BAD_FROM - WINDOW, scenario.bad_until)
    when = first_time(shares, lambda value: value < LEFT_BELOW)
    return when and when - BAD_FROM


def back_after(trace: Trace, scenario: Scenario, former: float) -> Optional[float]:
    shares = sliding_shares(trace, scenario.bad_until - WINDOW, scenario.seconds)
    when = first_time(shares, lambda value: value >= BACK_FROM * former)
    return when and max(0.0, when - scenario.bad_until)


def reaction(trace: Trace, scenario: Scenario) -> Reaction:
    bad, healed = at(trace, BAD_FROM), at(trace, scenario.bad_until)
    late = at(trace, BAD_FROM + HANG_LEAVE_WITHIN + scenario.paths[0]["delay_us"] / 1e6)
    return Reaction(
        left_after=left_after(trace, scenario),
        share_while_bad=share(trace, bad, healed),
        back_after=back_after(trace, scenario, share(trace, at(trace, BAD_FROM - 1), bad)),
        rate_before=rate(trace, BAD_FROM - 1, BAD_FROM),
        rate_while_bad=rate(trace, BAD_FROM + 0.5, scenario.bad_until),
        rate_after=rate(trace, scenario.bad_until + 1, scenario.seconds),
        stuck=trace["inflight"][healed][0],
        late_ios=taken(trace, late, healed)[0])


def within(value: Optional[float], limit: float) -> bool:
    return value is not None and value <= limit


def milliseconds(value: Optional[float]) -> str:
    return "never" if value is None else f"{1000 * value:.0f} ms"


def marks(scenario: Scenario, found: Reaction) -> List[Tuple[bool, str]]:
    """What latency-weighted has to reach: (met?, what it reached)."""
    back = (within(found.back_after, RETURN_WITHIN),
            f"back after {milliseconds(found.back_after)} (mark: {milliseconds(RETURN_WITHIN)})")
    if "hang" not in scenario.bad:
        return [(within(found.left_after, LEAVE_WITHIN),
                 f"left after {milliseconds(found.left_after)} (mark: {milliseconds(LEAVE_WITHIN)})"),
                back]
    possible = found.rate_before * (scenario.depth - found.stuck) / scenario.depth
    return [(found.late_ios <= MOST_STUCK_PROBES,
             f"{found.late_ios} I/Os on the path later than {milliseconds(HANG_LEAVE_WITHIN)} and its "
             f"latency (mark: {MOST_STUCK_PROBES})"),
            (found.rate_while_bad >= WHOLE * possible,
             f"{found.rate_while_bad:.0f} IOPS with {found.stuck} of {scenario.depth} stuck "
             f"(mark: {WHOLE * possible:.0f})"),
            back]


def line(selector: str, found: Reaction) -> str:
    shown = "-" if found.share_while_bad is None else f"{100 * found.share_while_bad:.1f}"
    return (f"{selector:24} {milliseconds(found.left_after):>10} {shown:>11} "
            f"{milliseconds(found.back_after):>10} {found.rate_before:7.0f} {found.rate_while_bad:7.0f} "
            f"{found.rate_after:7.0f} {found.stuck:6}")


def report(name: str, scenario: Scenario, traces: Dict[str, Trace]) -> str:
    """A table of all selectors, and the marks."""
    reactions = {selector: reaction(trace, scenario) for selector, trace in traces.items()}
    lines = [f"{name}: {scenario.title}, depth {scenario.depth}",
             f"{'selector':24} {'left after':>10} {'share bad %':>11} {'back after':>10} "
             f"{'before':>7} {'bad':>7} {'after':>7} {'stuck':>6}"]
    lines += [line(selector, found) for selector, found in reactions.items()]
    if OURS in reactions:
        lines += [f"{'met   ' if met else 'MISSED'}  {name}: {what}"
                  for met, what in marks(scenario, reactions[OURS])]
    return "\n".join(lines)
