"""Whether a map's I/Os have time stamps; those of a bio-based map have none before Linux 5.19."""

import pytest

from tests.lib.multipath import LITTLE


def needs_stamps(mapped, without):
    """Skip the test if there are none; `without` tells what is missing then. The map has had I/O."""
    if all(mapped.learned(path).source == LITTLE for path in mapped.paths):
        pytest.skip("without time stamps %s; see docs/decisions/03-latency.md, limits" % without)
