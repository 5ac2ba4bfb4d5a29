"""Cases of a test: those of each queue mode, and those that make check leaves out."""

import pytest


def variant(*values):
    """Parameters of a test that shows much the same with others: make check leaves these out."""
    return pytest.param(*values, marks=pytest.mark.variant)


both_modes = pytest.mark.parametrize("queue_mode", ["rq", "bio"])
one_mode = pytest.mark.parametrize("queue_mode", ["rq", variant("bio")])
