"""A path gets worse while it is in use, and heals: how soon the selector follows."""
# promise steering/step: A path that becomes slower is left within a fraction of a second, and used again when it
#   heals | check: in one queue mode | full: `guests-*`

import pytest

from tests.guest.lib.parametrized import in_full, variant
from tests.guest.lib.shares_over_time import Trace
from tests.lib.disks import path_disks
from tests.lib.multipath import Multipath
from tests.lib.scenario import SELECTOR, Load

pytestmark = pytest.mark.virtual_time
upstream = pytest.mark.upstream    # which has no argument to do without stamps

# What the path is before and after, and the load: (healthy, worse, options of fio)
STEPS = {
    "30 ms more": (dict(delay_us=5000), dict(delay_us=35000), dict(bs="4k")),
    # as many I/Os as of 64k at 200 and 10 MB/s, and a quarter of the bytes to copy
    "a twentieth of the bandwidth": (dict(delay_us=5000, mbps=40), dict(mbps=2),
                                     dict(bs="16k")),
}


def step(load, path, healthy, worse):
    """The traces of both ways."""
    path.set(**worse)
    during = Trace(load).run(1.5)
    path.set(**healthy)
    after = Trace(load).run(1.05)
    for what, trace in (("worse", during), ("healed", after)):
        print(what, *("%.3f" % span.share(path) for span in trace.spans(0.1)))
    return during, after


@pytest.mark.parametrize("name", STEPS, ids=lambda name: name.replace(" ", "-"))
@pytest.mark.parametrize("queue_mode, stamps", [pytest.param("rq", "Y", marks=upstream),
                                                pytest.param("bio", "Y", marks=[in_full, upstream]),
                                                variant("rq", "N")],
                         ids=["rq", "bio", "unstamped"])
def test_worse_path_is_left_and_healed_path_is_used(queue_mode, stamps, name):
    """Three times, for what was learned the last time must not be in the way."""
    healthy, worse, options = STEPS[name]
    arguments = ["accounting", "0"] if stamps == "N" else []
    with path_disks(2, stamps=stamps) as (changed, same):
        for path in (changed, same):
            path.set(**healthy)
        with Multipath([changed, same], SELECTOR, queue_mode,
                       selector_args=arguments) as mapped, \
                Load(mapped, iodepth=16, **options) as load:
            load.warm_up(changed, same, ios=1500)
            before = load.watch(0.5).share(changed)
            steps = [step(load, changed, healthy, worse) for _ in range(3)]
    assert 0.4 <= before <= 0.6
    for during, after in steps:
        assert during.span(0.25, 0.45).share(changed) < 0.05
        assert during.span(0.25, 1.5).share(changed) < 0.05
        # from 0.6 s, and long enough for one dip, which may test either path (docs/decisions/05-trend-and-dips.md)
        assert after.span(0.6, 1.05).share(changed) >= 0.8 * before
