"""Paths that fail again and again although their checker believes in them."""
# promise service/no-failed-io

import time

import pytest

from tests.guest.lib.parametrized import one_mode
from tests.lib.disks import path_disks
from tests.lib.fio import Fio
from tests.lib.multipath import RAMPING, Multipath
from tests.lib.scenario import SELECTOR, Load

pytestmark = [pytest.mark.virtual_time, pytest.mark.upstream]

CHECK = 0.5                     # seconds between two looks of the checker
LONGEST_REST = 10
DELAY_US = 50000
DEPTH = 4


def check(mapped, path, seconds):
    """Reinstate the path whenever it is failed, for so long."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if not mapped.usable(path):
            mapped.reinstate_path(path)
        time.sleep(CHECK)


@one_mode
@pytest.mark.time_limit(300)
def test_black_hole_is_tried_ever_less_and_comes_back(queue_mode):
    """It fails each I/O at once and is reinstated twice a second."""
    with path_disks(2) as (hole, good):
        for path in (hole, good):
            path.set(delay_us=DELAY_US)
        with Multipath([hole, good], SELECTOR, queue_mode,
                       features=["queue_if_no_path"]) as mapped, \
                Load(mapped, iodepth=DEPTH) as load:
            load.warm_up(hole, good)
            former = load.watch(1)
            hole.set(error=1)
            errors, rates = [], []
            for _ in range(6):
                errors_before, good_before = hole.get("errors"), good.used()
                since = time.monotonic()
                check(mapped, hole, 5)
                errors.append(hole.get("errors") - errors_before)
                rates.append((good.used() - good_before) / (time.monotonic() - since))
            hole.set(error=0)
            since = time.monotonic()
            while load.watch(0.2).share(hole) < 0.8 * former.share(hole):
                check(mapped, hole, 0.2)
                assert time.monotonic() - since < LONGEST_REST + CHECK + 1
            back = time.monotonic() - since
    print("errors in 5 s each: %s; back %.1f s after it works; rate of the other: %s"
          % (errors, back, rates))
    assert 4 <= errors[0] <= DEPTH + 8          # what was in flight, then a probe at a time
    assert sum(errors[3:]) <= 3                 # in 15 s
    assert min(rates) >= 0.95 * DEPTH / (DELAY_US / 1e6)


def test_only_path_does_not_rest():
    with path_disks(2) as (shaky, other):
        for path in (shaky, other):
            path.set(delay_us=DELAY_US)
        with Multipath([shaky, other], SELECTOR,
                       features=["queue_if_no_path"]) as mapped, \
                Load(mapped, iodepth=DEPTH) as load:
            load.warm_up(shaky, other)
            for _ in range(10):
                mapped.fail_path(shaky)
                mapped.reinstate_path(shaky)
            time.sleep(0.1)                     # what was on its way arrives
            assert load.watch(1).counts[shaky] == 0
            assert mapped.learned(shaky).state == RAMPING
            mapped.fail_path(other)
            assert load.watch(0.5).counts[shaky] > 0.4 * DEPTH / (DELAY_US / 1e6)


def test_path_that_comes_back_is_preferred_to_one_that_hangs():
    """Neither is trusted; the first to get I/O must not be the one that hangs."""
    with path_disks(2) as (stuck, back):
        stuck.set(delay_us=DELAY_US)
        back.set(delay_us=10 * DELAY_US)
        with Multipath([stuck, back], SELECTOR) as mapped:
            mapped.fail_path(back)
            with Load(mapped, iodepth=DEPTH) as load:
                load.warm_up(stuck)
                with stuck.hanging():
                    time.sleep(0.5)             # to notice the silence
                    parked = stuck.get("inflight")
                    mapped.reinstate_path(back)
                    with Fio(mapped.path, runtime=1, iodepth=4 * DEPTH) as more:
                        more.wait()
                    assert back.used() >= 4 * DEPTH
                    assert stuck.get("inflight") == parked
