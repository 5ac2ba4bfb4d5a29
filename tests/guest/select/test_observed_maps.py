"""A map that is only observed: I/O goes by another selector's rule, and all is measured as ever."""
# promise steering/observed-map: With `choose`, I/O goes as by `queue-length` or `round-robin`, all is measured, and
#   paths that hang or fail are avoided all the same | full: `guests-*`

import pytest

from tests.guest.lib.parametrized import both_modes, one_mode
from tests.guest.lib.reports import SLOW_US, known_paths
from tests.lib.disks import path_disks
from tests.lib.multipath import PROBING, Multipath
from tests.lib.scenario import SELECTOR, Load
from tests.lib.sysfs import MapFiles

pytestmark = [pytest.mark.virtual_time, pytest.mark.observe, pytest.mark.facts]

RULES = ["round-robin", "queue-length"]


def share_of(load, path, seconds=2):
    """Once it has settled."""
    load.watch(0.5)
    return load.watch(seconds).share(path)


@both_modes
def test_shares_are_those_of_the_kernels_selector(queue_mode):
    """Of paths of 2 and 20 ms, and back in one write; no I/O is lost (Load)."""
    with path_disks(2) as (near, far):
        near.set(delay_us=2000)
        far.set(delay_us=20000)
        with Multipath([near, far], SELECTOR, queue_mode) as mapped, Load(mapped, iodepth=8) as load:
            load.begin()
            files = MapFiles(mapped)
            for rule in RULES:
                assert share_of(load, far) < 0.05
                files["choose"] = rule
                observed = share_of(load, far)
                shown = mapped.learned(far)
                mapped.reload(rule)
                assert observed == pytest.approx(share_of(load, far), abs=0.02)
                assert observed > 0.08 and shown.state == PROBING
                mapped.reload(SELECTOR)


@one_mode
def test_it_may_be_written_in_the_table(queue_mode):
    with path_disks(2) as (near, far):
        near.set(delay_us=2000)
        far.set(delay_us=20000)
        with Multipath([near, far], SELECTOR, queue_mode, selector_args=["choose", "round-robin"]) as mapped, \
                Load(mapped, iodepth=4) as load:
            load.begin()
            files = MapFiles(mapped)
            assert files["choose"] == "round-robin"
            assert 0.48 <= share_of(load, far) <= 0.52
            files["choose"] = "latency"
            assert share_of(load, far) < 0.05
            assert "choose round-robin" in mapped.live_table()


@one_mode
@pytest.mark.parametrize("rule", RULES)
def test_a_path_that_hangs_or_is_failed_is_avoided(queue_mode, rule):
    """Two I/Os of 8 may go there; it comes back by itself, and the other way round."""
    with path_disks(2) as paths:
        for path in paths:
            path.set(delay_us=10000)
        with Multipath(paths, SELECTOR, queue_mode, selector_args=["choose", rule]) as mapped, \
                Load(mapped, iodepth=8) as load:
            load.begin()
            mapped.fail_path(paths[0])
            assert share_of(load, paths[0]) == 0
            mapped.reinstate_path(paths[0])
            assert 0.45 <= share_of(load, paths[0]) <= 0.55
            with paths[1].hanging():
                load.watch(1)
                files = MapFiles(mapped).path(paths[1])
                began = files.number("starts")
                load.watch(1)
                assert files.number("starts") - began <= 4
            load.watch(1)
            assert 0.45 <= share_of(load, paths[1]) <= 0.55


@one_mode
def test_a_slow_path_is_reported(queue_mode):
    """Though it keeps its I/O. With two I/Os in flight, each of them ten times as long as before, the path also
    looks as if it paused now and then, and those I/Os go elsewhere; by latency it would get a hundredth."""
    with known_paths("lwobserved", queue_mode) as (mapped, (same, slow), load, reports):
        MapFiles(mapped)["choose"] = "round-robin"
        load.watch(0.5)
        slow.set(delay_us=SLOW_US)
        load.wait_until(lambda: reports(), "a path is reported", timeout=20)
        assert 0.3 <= share_of(load, slow, seconds=8) <= 0.55
        assert mapped.learned(slow).state == PROBING and mapped.learned(same).state != PROBING
