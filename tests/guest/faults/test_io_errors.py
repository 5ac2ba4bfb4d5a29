"""Paths that answer fast, but with errors: a black hole for a selector that goes by latency."""
# promise service/errors: A path that answers with errors attracts no I/O | full: `guests-*`: both queue modes

import errno

import pytest

from tests.guest.lib.parametrized import one_mode, variant
from tests.guest.lib.shares_over_time import Trace
from tests.lib.disks import path_disks
from tests.lib.multipath import LITTLE, Multipath
from tests.lib.scenario import SELECTOR, Load, rate_alone

pytestmark = [pytest.mark.virtual_time, pytest.mark.upstream]

DELAY_US = 10000
DEPTH = 8
# The test disk's errors that are the device's and not the path's, in dm's eyes:
# they are passed to the user, and the path stays as it is.
DEVICE_ERRORS = {"target": 2, "no-space": 3, "medium": 4}
ERRNOS = "%d:%d:%d" % (errno.EREMOTEIO, errno.ENOSPC, errno.ENODATA)


@one_mode
def test_failing_path_attracts_nothing(queue_mode):
    """A path that fails at once, and that its checker believes to be good.

    It is reinstated over and over. Before its first failure it may have its fair share, after it
    a probe each time; and its errors must not be taken for low latencies.
    """
    with path_disks(2) as (hole, good):
        for path in (hole, good):
            path.set(delay_us=DELAY_US)
        alone = rate_alone(good, queue_mode, DEPTH)
        with Multipath([hole, good], SELECTOR, queue_mode,
                       features=["queue_if_no_path"]) as mapped, \
                Load(mapped, iodepth=DEPTH) as load:
            load.warm_up(hole, good)
            hole.set(error=1)
            trace = Trace(load)
            load.wait_until(lambda: not mapped.usable(hole), "an error fails the path")
            trace.run(0.2)
            first, tries = hole.get("errors"), 8
            for number in range(tries):
                mapped.reinstate_path(hole)
                trace.run(0.2 + 0.1 * (number + 1))
            errors = hole.get("errors") - first
            latency_us = mapped.learned(hole).latency_us
    beside = trace.span(0.2, 0.2 + 0.1 * tries).counts[good] / (0.1 * tries)
    print("first failure: %d errors, then %d of %d reinstatements; %.0f IOPS beside, %.0f alone; "
          "latency shown %d us" % (first, errors, tries, beside, alone, latency_us))
    assert 0 < first <= DEPTH // 2 + 1
    assert errors <= tries
    assert all(span.counts[hole] <= span.counts[good] for span in trace.spans(0.05))
    assert beside >= 0.9 * alone
    assert latency_us >= DELAY_US / 2


@one_mode
@pytest.mark.parametrize("error, depth", [variant("target", 1), ("target", DEPTH), variant("target", 64),
                                          variant("no-space", DEPTH), ("medium", DEPTH)])
def test_errors_passed_up_attract_nothing(queue_mode, error, depth):
    """Nobody fails the path, and the selector is not told: they are fast completions."""
    with path_disks(2) as (hole, good):
        for path in (hole, good):
            path.set(delay_us=DELAY_US)
        with Multipath([hole, good], SELECTOR, queue_mode) as mapped, \
                Load(mapped, iodepth=depth, ignore_error=ERRNOS) as load:
            load.warm_up(hole, good)
            load.watch(1.2)             # then it is known what is usual
            hole.set(error=DEVICE_ERRORS[error], error_delay_us=100)
            trace = Trace(load).run(1)
            assert mapped.usable(hole)
            # Without time stamps no single completion looks hasty, but only the window's sum.
            blind = mapped.learned(hole).source == LITTLE
            hole.set(error=0)
    print("share by 100 ms:", *("%.2f" % span.share(hole) for span in trace.spans(0.1)))
    assert all(span.share(hole) <= 0.55 for span in trace.spans(0.1)[blind:])
