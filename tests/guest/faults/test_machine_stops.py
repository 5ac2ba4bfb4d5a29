"""A machine that its host stops, as one that migrates: what was in flight meanwhile took no longer for the path."""
from functools import partial

from tests.guest.lib.host import stand_still
from tests.guest.lib.parametrized import in_full
from tests.lib.disks import path_disks
from tests.lib.multipath import Multipath
from tests.lib.scenario import SELECTOR, Load
from tests.lib.sysfs import MapFiles

NEAR = dict(service_us=4000, delay_us=1000)     # 250 IOPS; 32 I/Os leave some for the far path
FAR = dict(delay_us=100000)
STOPPED = 1.5       # seconds


@in_full
def test_base_outlives_a_stop():
    """For good, as nothing lowers a base that is too high while its path has a queue."""
    with path_disks(2) as (near, far):
        near.set(**NEAR)
        far.set(**FAR)
        with Multipath([near, far], SELECTOR) as mapped, Load(mapped, 32) as load:
            load.warm_up(near, far, ios=300)
            load.watch(5)
            base_us = partial(MapFiles(mapped).path(near).number, "base_latency_us")
            before, rate_before = base_us(), load.watch(5).rate
            for _ in range(3):
                stand_still(STOPPED)
                load.watch(3)
            after, rate_after = base_us(), load.watch(5).rate
    print("base %d us and %.0f IOPS before, %d us and %.0f IOPS after" % (before, rate_before, after, rate_after))
    assert after <= 2.5 * before        # else five to seven times, with a quarter less throughput
