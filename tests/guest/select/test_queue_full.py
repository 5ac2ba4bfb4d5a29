"""Paths of few tags: a full one must not keep I/Os that another path could take.

Only request-based maps see that a path is full: dm's clone comes back never
issued if the driver is busy, and is not even made if the queue has no tag. In a
bio-based map the bio waits in the path's queue, and its sender with it.
"""
# promise steering/full-queue: Full queues and busy drivers cost no throughput | check: some | full: `guests-*`
# promise service/no-failed-io

import pytest

from tests.guest.lib.parametrized import both_modes, variant
from tests.lib.command import write_text
from tests.lib.disks import path_disks
from tests.lib.multipath import Multipath
from tests.lib.scenario import SELECTOR, Load

pytestmark = [pytest.mark.virtual_time, pytest.mark.upstream]

DELAY_US = 20000
# The other path's: how the bursts of both meet is chance, and virtual time repeats it.
OTHER_DELAYS_US = (26000, 30000, 35000, 41000)
MARK = 0.98
# Where it depends on which full path the sender sleeps for: both selectors lose a quarter
# at some delays, and not at the same ones. See docs/decisions/16-full-queues.md.
MARK_OF_CHANCE = 0.9
TAGS_TIMES_SECONDS = 4          # of each: some 300 I/Os


def compare(mapped, load, tags):
    """Throughput in a part of queue-length's, over all delays."""
    path, other = mapped.paths
    path.set(delay_us=DELAY_US)
    rates = {"queue-length": [], SELECTOR: []}
    for delay_us in OTHER_DELAYS_US:
        other.set(delay_us=delay_us)
        for selector, found in rates.items():
            mapped.reload(selector)
            load.warm_up(path, other, ios=30)
            found.append(load.watch(TAGS_TIMES_SECONDS / tags).rate)
    for selector, found in rates.items():
        print(selector, *("%.0f IOPS" % rate for rate in found))
    return sum(rates[SELECTOR]) / sum(rates["queue-length"])


@pytest.mark.parametrize("after_start", [variant(0), 1])
@pytest.mark.parametrize("tags", [2, variant(4), variant(8)])
def test_busy_driver(tags, after_start):
    """The driver answers "busy", with the request marked as started or not."""
    with path_disks(2) as paths:
        for path in paths:
            path.set(tags=tags, busy_after_start=after_start)
        with Multipath(paths, "queue-length") as mapped, \
                Load(mapped, iodepth=4 * tags) as load:
            assert compare(mapped, load, tags) >= MARK
            assert all(path.get("busy") > 20 for path in paths)
            assert mapped.learned(paths[0]).latency_us >= 15000     # "busy" is no fast completion
            assert mapped.learned(paths[1]).latency_us >= 25000


@both_modes
@pytest.mark.parametrize("tags", [2, variant(4)])
@pytest.mark.parametrize("scheduler", ["none", variant("mq-deadline")])
def test_no_free_tag(queue_mode, tags, scheduler):
    """The queue itself has no more; with a scheduler it has its own, twice as many."""
    with path_disks(2, queue_depth=tags) as paths:
        for path in paths:
            write_text(path.sysfs + "/queue/scheduler", scheduler)
        with Multipath(paths, "queue-length", queue_mode) as mapped, \
                Load(mapped, iodepth=4 * tags) as load:
            of_chance = queue_mode == "bio" and scheduler == "none" and tags == 2
            assert compare(mapped, load, tags) >= (MARK_OF_CHANCE if of_chance else MARK)
