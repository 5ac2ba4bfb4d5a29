"""Cases of a test: those of each queue mode, and what only make check-full runs."""

import pytest

in_full = pytest.mark.in_full   # for a test that takes long and that faster ones mostly cover


def variant(*values):
    """Parameters of a test that shows much the same with others."""
    return pytest.param(*values, marks=in_full)


both_modes = pytest.mark.parametrize("queue_mode", ["rq", "bio"])
one_mode = pytest.mark.parametrize("queue_mode", ["rq", variant("bio")])
