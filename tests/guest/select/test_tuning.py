"""What each argument does, and what happens without it."""
# promise steering/tunables: Tunables work as documented | full: `guests-*`

import time

import pytest

from tests.guest.lib.parametrized import one_mode
from tests.lib.disks import path_disks
from tests.lib.multipath import Multipath
from tests.lib.scenario import Load

pytestmark = [pytest.mark.virtual_time, pytest.mark.upstream]

SELECTOR = "latency-weighted"
KIB = 1024


def shares(paths, *arguments):
    """Shares of the paths, one I/O at a time, with the arguments given."""
    with Multipath(paths, SELECTOR, selector_args=arguments) as mapped, \
            Load(mapped, iodepth=1) as load:
        load.begin()
        span = load.watch(1.5)
    return [span.share(path) for path in paths]


def test_tolerance_tells_which_paths_are_equal():
    """Equal paths share. Of others the nearer takes all: 1/64 is for probes."""
    with path_disks(2) as (near, far):
        for far_us, tolerance, equal in ((5300, 0, False), (5300, 12, True),
                                         (6000, 12, False), (6000, 30, True)):
            near.set(delay_us=5000)
            far.set(delay_us=far_us)
            share = shares([near, far], "tolerance", tolerance)[1]
            if equal:
                assert 0.45 <= share <= 0.55, (far_us, tolerance)
            else:
                assert share < 0.05, (far_us, tolerance)


def test_preferred_path_counts_half():
    """At 7 ms against 5 ms it takes all; at 14 ms it is too far away."""
    with path_disks(2) as (near, far):
        near.set(delay_us=5000)
        far.set(delay_us=7000)
        assert shares([near, far])[1] < 0.05
        assert shares([near, far], "prefer", far.number)[1] > 0.95
        far.set(delay_us=14000)
        assert shares([near, far], "prefer", far.number)[1] < 0.05


def test_several_paths_may_be_preferred():
    with path_disks(3) as paths:
        for path in paths:
            path.set(delay_us=5000)
        by_path = shares(paths, "prefer", paths[0].number, "prefer", paths[2].number)
    assert by_path[1] < 0.05
    assert 0.4 <= by_path[0] <= 0.6


def run_length(paths, seconds):
    """Mean KiB in a row that a path serves in that time."""
    def look():
        return [sum(path.get(name) for path in paths) for name in ("bytes", "seeks")]
    (bytes_before, seeks_before), _ = look(), time.sleep(seconds)
    bytes_after, seeks_after = look()
    return (bytes_after - bytes_before) / (seeks_after - seeks_before) / KIB


@one_mode
def test_sequential_reads_stay_with_a_path(queue_mode):
    """One process reads 64 KiB after 64 KiB, over equal paths."""
    with path_disks(2) as paths:
        for path in paths:
            path.set(delay_us=2000)
        for arguments, least, most in (([], 60, 70),
                                       (["min_contiguous_kb", 256], 250, 280),
                                       (["min_contiguous_kb", 4096], 2000, 5000)):
            with Multipath(paths, SELECTOR, queue_mode, selector_args=arguments) as mapped, \
                    Load(mapped, iodepth=1, rw="read", bs="64k") as load:
                load.begin()
                before = load.used(paths)
                length = run_length(paths, 2)
                used = [count - before[path] for path, count in load.used(paths).items()]
            assert least <= length <= most, arguments
            assert min(used) >= 0.3 * sum(used), arguments


def test_run_ends_on_a_path_that_gets_worse():
    """At 30 ms for each 64 KiB the run of 64 MiB would last half a minute."""
    with path_disks(2) as paths:
        for path in paths:
            path.set(delay_us=2000)
        with Multipath(paths, SELECTOR, selector_args=["min_contiguous_kb", 65536]) as mapped, \
                Load(mapped, iodepth=1, rw="read", bs="64k") as load:
            load.begin()
            path = max(paths, key=load.watch(0.3).share)
            path.set(delay_us=30000)
            time.sleep(0.5)
            assert load.watch(1).share(path) < 0.05
