"""Reaction times from traces that are made up, so that the right answer is known."""
import pytest

from tests.bench.exact.exact_reaction import LEAVE_WITHIN, marks, reaction, report, sliding_rates
from tests.bench.exact.exact_scenarios import BAD_FROM, INTERVAL, SCENARIOS, Scenario
from tests.bench.selectors import OURS

STEP, HANG = SCENARIOS["step"], SCENARIOS["hang"]
PER_SAMPLE = 100        # I/Os of both paths


def trace_of(scenario: Scenario, share_at, total_at=lambda _: PER_SAMPLE, stuck: int = 0):
    """A trace in which path 0 has share_at(time) of the I/Os that end at each sample."""
    taken = [[0, 0]]
    times = [round(number * INTERVAL, 6) for number in range(round(scenario.seconds / INTERVAL) + 1)]
    for when in times[1:]:
        first = round(total_at(when) * share_at(when))
        taken.append([taken[-1][0] + first, taken[-1][1] + total_at(when) - first])
    return {"t": times, "taken": taken, "inflight": [[stuck, 8] for _ in times]}


def leaves_for(scenario, away, bad_share=0.0, back=0.0):
    """Half of the I/Os until `away` seconds after the change, and from `back` after the heal."""
    def share_at(when):
        left = BAD_FROM + away + 1e-6 < when <= scenario.bad_until + back + 1e-6
        return bad_share if left else 0.5
    return share_at


@pytest.mark.parametrize("away, expected", [(0, 0.1), (0.1, 0.2), (0.5, 0.6)])
def test_left_when_the_whole_window_is_below(away, expected):
    found = reaction(trace_of(STEP, leaves_for(STEP, away)), STEP)
    assert found.left_after == pytest.approx(expected)


def test_never_left_and_never_away_long():
    found = reaction(trace_of(STEP, lambda _: 0.5), STEP)
    assert found.left_after is None
    assert found.share_while_bad == 0.5
    assert found.back_after == 0


@pytest.mark.parametrize("back, expected", [(0, 0.08), (0.4, 0.48)])
def test_back_with_most_of_the_former_share(back, expected):
    """80 % of the former share is four samples of the five."""
    found = reaction(trace_of(STEP, leaves_for(STEP, 0.1, back=back)), STEP)
    assert found.back_after == pytest.approx(expected)


def test_never_back():
    found = reaction(trace_of(STEP, leaves_for(STEP, 0.1, back=100)), STEP)
    assert found.back_after is None


def test_no_io_at_all_is_not_left():
    """Round-robin in a hang: everything is stuck, so there is no share."""
    found = reaction(trace_of(HANG, lambda _: 0.5, stuck=16, total_at=lambda when:
                              0 if BAD_FROM < when <= HANG.bad_until else PER_SAMPLE), HANG)
    assert found.left_after is None
    assert found.share_while_bad is None
    assert found.rate_while_bad == 0
    assert found.stuck == 16


def test_rates_are_per_second():
    trace = trace_of(STEP, lambda _: 0.5)
    assert {round(rate) for _, rate in sliding_rates(trace)} == {round(PER_SAMPLE / INTERVAL)}
    found = reaction(trace, STEP)
    assert found.rate_before == found.rate_while_bad == pytest.approx(PER_SAMPLE / INTERVAL)


def test_marks_of_a_step():
    quick = marks(STEP, reaction(trace_of(STEP, leaves_for(STEP, LEAVE_WITHIN - 0.1)), STEP))
    slow = marks(STEP, reaction(trace_of(STEP, leaves_for(STEP, LEAVE_WITHIN, back=1)), STEP))
    assert [met for met, _ in quick] == [True, True]
    assert [met for met, _ in slow] == [False, False]


@pytest.mark.parametrize("late_ios, stuck, rate, met", [
    (1, 8, 0.5, [True, True, True]),
    (2, 8, 0.5, [False, True, True]),
    (1, 8, 0.4, [True, False, True]),
    (1, 2, 0.5, [True, False, True]),
])
def test_marks_of_a_hang(late_ios, stuck, rate, met):
    """With 8 of 16 I/Os stuck, half of the throughput is all that can be had."""
    trace = trace_of(HANG, leaves_for(HANG, 0), stuck=stuck, total_at=lambda when:
                     rate * PER_SAMPLE if BAD_FROM < when <= HANG.bad_until else PER_SAMPLE)
    for columns, when in zip(trace["taken"], trace["t"]):
        columns[0] += late_ios if when > BAD_FROM + 1 else 0
    assert [each for each, _ in marks(HANG, reaction(trace, HANG))] == met


def test_report_has_a_line_for_each_selector_and_mark():
    traces = {"round-robin": trace_of(STEP, lambda _: 0.5), OURS: trace_of(STEP, leaves_for(STEP, 0))}
    lines = report("step", STEP, traces).splitlines()
    assert lines[2].split()[:2] == ["round-robin", "never"]
    assert lines[3].split()[:3] == [OURS, "100", "ms"]
    assert [line.split()[0] for line in lines[4:]] == ["met", "met"]
