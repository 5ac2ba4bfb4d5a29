"""make soak: does it see what it is for, and does a short one pass?"""
# promise steering/soak: After hours of loads that change, the module works in the mean as well as one just loaded
#   | check: some minutes | full: `make soak`, by hand

import re

import pytest

from tests.sim import engine, soak


@pytest.fixture(scope="module")
def program():
    return engine.build()


def wrong(by_run, shares=()):
    return soak.judged(by_run, list(shares))[1]


def test_what_is_as_good_as_new_passes():
    assert wrong([[1.0, 0.98, 1.02, 0.99] * 5] * 3, [0.98]) == []


@pytest.mark.parametrize("by_run, shares, told", [
    ([[0.95] * 8], (), "history costs"),
    ([[1.3, 1.0, 1.0, 1.0, 1.0, 1.0, 0.9, 1.3]] * 3, (), "gets worse"),
    ([[1.0] * 8], (0.9, 0.4), "one has 0.40 of its share")])
def test_what_got_worse_is_told(by_run, shares, told):
    assert re.search(told, " ".join(wrong(by_run, shares)))


def test_some_minutes(program):
    """Twelve phases on equal paths, on which shares count too, each also alone."""
    seed = 2 * len(soak.PHASE_PATHS) + 1
    iops, p99, share = soak.run(program, seed, 12)
    assert len(iops) == len(p99) == 12
    assert wrong([iops], [share]) == []
