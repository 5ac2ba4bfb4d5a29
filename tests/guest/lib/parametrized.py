"""Cases of a test: those of each queue mode, what only make check-full runs, and what a kernel lacks."""

import platform

import pytest

in_full = pytest.mark.in_full   # for a test that takes long and that faster ones mostly cover
needs_scsi_debug = pytest.mark.skipif(platform.machine() == "aarch64",
                                      reason="Debian's kernel for arm64 has no scsi_debug")


def variant(*values):
    """Parameters of a test that shows much the same with others."""
    return pytest.param(*values, marks=in_full)


both_modes = pytest.mark.parametrize("queue_mode", ["rq", "bio"])
one_mode = pytest.mark.parametrize("queue_mode", ["rq", variant("bio")])
