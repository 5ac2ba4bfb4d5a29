"""Reaction times from traces that are made up, so that the right answer is known."""
import dataclasses

import pytest

from tests.bench.acceptance.acceptance_reaction import reaction, rows, shares
from tests.bench.acceptance.acceptance_scenario import load_all

STEP = load_all()["step"]  # path 0 becomes slow after 2 s and heals after 7


def trace_of(share_at):
    """A sample each 0.5 s in which path 0 has share_at(time) of 100 I/Os."""
    times = [number / 2 for number in range(20)]
    taken = [[0, 0]]
    for when in times[1:]:
        mine = round(100 * share_at(when))
        taken.append([taken[-1][0] + mine, taken[-1][1] + 100 - mine])
    return {"t": times, "taken": taken}


@pytest.mark.parametrize("left, back", [(2.5, 7.5), (3.0, 9.0)])
def test_left_and_back(left, back):
    found = reaction(trace_of(lambda when: 0.0 if left <= when < back else 0.5), STEP)
    assert found == pytest.approx((left - 2, back - 7))


def test_never():
    assert reaction(trace_of(lambda when: 0.5), STEP).left_after is None
    assert reaction(trace_of(lambda when: 0.5 if when <= 2 else 0.3), STEP).back_after is None
    shown = rows(STEP, {"round-robin": trace_of(lambda when: 0.5 if when <= 7 else 0.3)})
    assert shown == [["selector", "left path 0 after", "back after"], ["round-robin", "never", "never"]]


@pytest.mark.parametrize("at", [0, 2])
def test_without_io_before_the_change_nothing_can_be_told(at):
    late = dataclasses.replace(STEP, changes=[dataclasses.replace(STEP.changes[0], at=at), *STEP.changes[1:]])
    trace = trace_of(lambda when: 0.5)
    trace["taken"] = [[0, 0] if when <= at else taken for when, taken in zip(trace["t"], trace["taken"])]
    assert reaction(trace, late) is None
    assert rows(late, {"round-robin": trace})[1:] == [["round-robin", "no I/O before it", "unknown"]]


def test_no_io_is_no_share():
    (_, nothing), (_, half) = shares({"t": [0, 1, 2], "taken": [[3, 3], [3, 3], [4, 4]]}, 0)
    assert nothing != nothing and half == 0.5
