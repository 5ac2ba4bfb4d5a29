"""A path whose queue is frozen, as NVMe's during a reset: a map of requests gets none there, and starts
nothing that would hang. Or one whose driver refuses each I/O, as SCSI's while its host recovers from errors.

The path is near, and the other so far that it gets nothing else but probes.
"""
# promise steering/frozen-queues

import time

import pytest

from tests.lib.disks import path_disks
from tests.lib.multipath import Multipath
from tests.lib.scenario import SELECTOR, Load, rate_alone

pytestmark = pytest.mark.virtual_time

NEAR, FAR = dict(service_us=100, delay_us=900), dict(service_us=100, delay_us=9900)
FROZEN = 3.0                    # seconds
# Of what the far path does alone: every sixth window the frozen path is tried again, and the I/O waits for dm to ask anew.
MARK = 0.75


@pytest.mark.parametrize("arguments", [pytest.param([], id="latency", marks=pytest.mark.upstream),
                                       pytest.param(["choose", "queue-length"], id="observed")])
@pytest.mark.parametrize("depth", [1, 8])
@pytest.mark.parametrize("fault", ["frozen", "refusing"])
def test_other_path_is_used(depth, arguments, fault):
    with path_disks(2) as paths:
        near, far = paths
        near.set(**NEAR)
        far.set(**FAR)
        with Multipath(paths, SELECTOR, selector_args=arguments) as mapped:
            alone = rate_alone(far, "rq", depth)
            with Load(mapped, iodepth=depth) as load:
                load.warm_up(near, far, ios=40)
                with getattr(near, fault)():
                    time.sleep(0.2)
                    span = load.watch(FROZEN)
                assert span.counts[near] == 0
                assert span.rate >= MARK * alone
                if not arguments:
                    load.wait_until(lambda: load.watch(0.3).share(near) > 0.9, "the near path has its share again", timeout=3)
