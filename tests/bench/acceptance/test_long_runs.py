"""On a real kernel: two of the long scenarios, once with each of two selectors. A run takes the host half a minute.

`make acceptance LONG=1` has all six, and the worst of eight runs.
"""
# promise steering/after-a-minute: Estimates are as good after a minute as at first: mixed sizes, and a path that
#   loses its capacity, against queue-length | by: six cases, the worst of eight runs each, by `make acceptance
#   LONG=1` and `make figures` | check: on 6.12, two cases, a run of each | full: `host`: the same

import pytest

from tests.bench.acceptance import runner
from tests.bench.acceptance.acceptance_plan import GuestPlan
from tests.bench.acceptance.acceptance_scenario import load_long
from tests.bench.acceptance.acceptance_worst import LEAST, LongRuns
from tests.bench.selectors import OURS
from tests.vm.kernels import KERNELS

PEER = "queue-length"
KERNEL = KERNELS["trixie"]
ONCE = 1


@pytest.mark.parametrize("name", ["long-mixed-sizes", "long-capacity-lost"])
def test_what_was_learned_is_as_good_after_a_minute(name):
    scenario = load_long()[name]
    plan = GuestPlan.of(scenario, [PEER, OURS], ONCE)
    records, failures = runner.run([plan], KERNEL, 1, keep=lambda _: None)
    assert not failures
    found = LongRuns(records, {name: scenario})
    (ratio,) = (cell.ratio() for cell in found.cells)
    assert ratio >= LEAST, found.text(red=False)
