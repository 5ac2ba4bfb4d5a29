"""Paths that are now and then far slower: on which single I/Os take long, or which pause for a while."""
# promise service/outliers: A path with rare slow I/Os loses its traffic, and gets it back when it is healed | by:
#   rows `E-*` of `make sim LIST=noise` | full: `guests-*`
# promise service/pause: A path that pauses is used again with its first completion | by: row `G-48near` of `make
#   sim` | full: `guests-*`

import time

import pytest

from tests.guest.lib.parametrized import both_modes, one_mode
from tests.guest.lib.stamps import needs_stamps
from tests.lib.disks import path_disks
from tests.lib.multipath import Multipath
from tests.lib.scenario import SELECTOR, Load
from tests.lib.sysfs import MapFiles

pytestmark = pytest.mark.virtual_time

PAUSES = 5
PAUSE = 0.1                     # seconds, long enough to be noticed


@both_modes
def test_path_with_rare_slow_ios_is_left(queue_mode):
    """Each hundredth I/O of one of two equal paths takes 100 ms more, as on a link that loses packets."""
    with path_disks(2) as (bad, good):
        for path in (bad, good):
            path.set(delay_us=2000)
        with Multipath([bad, good], SELECTOR, queue_mode) as mapped, Load(mapped, iodepth=8) as load:
            load.warm_up(bad, good)
            needs_stamps(mapped, "single I/Os are not seen")
            assert 0.4 < load.watch(1).share(bad) < 0.6
            bad.set(tail_permille=10, tail_us=100000)
            load.watch(2)
            while_bad = load.watch(2).share(bad)
            files = {path: MapFiles(mapped).path(path) for path in (bad, good)}
            counts = {path: files[path].number("outliers") for path in files}
            adds = files[bad].number("outlier_latency_us")
            bad.set(tail_permille=0)
            load.wait_until(lambda: load.watch(0.5).share(bad) > 0.4, "the path is used again", 100)
    print("share %.2f, outliers %s, adds %d us" % (while_bad, counts, adds))
    assert while_bad < 0.3
    assert counts[bad] >= 5 and not counts[good]
    assert adds > 100


@pytest.mark.upstream
@one_mode
def test_pause_ends_with_the_first_completion(queue_mode):
    """All I/Os wait for the near path, so when it goes on all next ones begin at once: there, not far away."""
    with path_disks(2) as (near, far):
        near.set(delay_us=2000)
        far.set(delay_us=40000)
        with Multipath([near, far], SELECTOR, queue_mode) as mapped, Load(mapped, iodepth=16) as load:
            load.begin(ios=2000)
            load.watch(1)
            before, waited = far.used(), 0
            for _ in range(PAUSES):
                with near.hanging():
                    time.sleep(PAUSE)
                    waited += near.get("inflight")
                load.watch(0.2)
            went_far = far.used() - before
    print("in %d pauses %d I/Os waited; %d went the far way" % (PAUSES, waited, went_far))
    assert waited >= 12 * PAUSES
    assert went_far <= 5 * PAUSES       # probes, and what a window found before the pause was over
