"""A machine that its host stops, as one that migrates: what was in flight meanwhile took no longer for the path."""
from functools import partial

import pytest

from tests.guest.lib.host import stand_still
from tests.guest.lib.parametrized import in_full
from tests.lib.disks import path_disks
from tests.lib.multipath import Multipath
from tests.lib.scenario import SELECTOR, Load
from tests.lib.sysfs import MapFiles

NEAR = dict(service_us=4000, delay_us=1000)     # 250 IOPS; 32 I/Os leave some for the far path
FAR = dict(delay_us=100000)
STOPPED = 1.5       # seconds


def test_stop_fails_no_path():
    """All I/Os end, and both paths get more."""
    with path_disks(2) as disks:
        for disk in disks:
            disk.set(delay_us=5000)
        with Multipath(disks, SELECTOR) as mapped, Load(mapped) as load:
            load.warm_up(*disks)
            stand_still(STOPPED)
            load.warm_up(*disks)
            assert all(mapped.usable(disk) and not mapped.status(disk).failures for disk in disks)


def watch(load, base_us):
    """The least base in five seconds, as a busy host adds to it, and the throughput."""
    bases, rates = zip(*[(base_us(), load.watch(0.5).rate) for _ in range(10)])
    return min(bases), sum(rates) / len(rates)


# promise service/late-window
@in_full
@pytest.mark.real_time      # the host's clock goes on
def test_base_outlives_a_stop():
    """For good, as nothing lowers a base that is too high while its path has a queue."""
    with path_disks(2) as (near, far):
        near.set(**NEAR)
        far.set(**FAR)
        with Multipath([near, far], SELECTOR) as mapped, Load(mapped, 32) as load:
            load.warm_up(near, far, ios=300)
            load.watch(5)
            base_us = partial(MapFiles(mapped).path(near).number, "base_latency_us")
            before, rate_before = watch(load, base_us)
            for _ in range(3):
                stand_still(STOPPED)
                load.watch(3)
            after, rate_after = watch(load, base_us)
    print("base %d us and %.0f IOPS before, %d us and %.0f IOPS after" % (before, rate_before, after, rate_after))
    assert after <= 2.5 * before        # it was four to seven times, with a fifth to a third less throughput
