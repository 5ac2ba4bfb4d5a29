"""Reads, writes and flushes each take the path that is best for them."""
# promise steering/by-operation: With `by_operation`, reads and writes each take the path that is best for them |
#   check: some | full: `guests-*`

import contextlib

import pytest

from tests.guest.lib.parametrized import both_modes, one_mode, variant
from tests.guest.lib.stamps import needs_stamps
from tests.lib.command import wait_until
from tests.lib.disks import path_disks
from tests.lib.multipath import Multipath
from tests.lib.scenario import SELECTOR, Load
from tests.lib.sysfs import MapFiles

pytestmark = pytest.mark.virtual_time

KINDS = ["reads", "writes", "others"]


class Watched:
    """A load, and how many I/Os of each kind the disks had of it."""

    def __init__(self, mapped, load):
        self.mapped = mapped
        self.load = load

    def counts(self):
        return {path: {kind: path.get(kind) for kind in KINDS} for path in self.mapped.paths}

    def watch(self, seconds):
        """{kind: {path: count}}"""
        before = self.counts()
        self.load.watch(seconds)
        after = self.counts()
        return {kind: {path: after[path][kind] - before[path][kind] for path in after} for kind in KINDS}


def set_opposite(reads, writes):
    reads.set(delay_us=1000, write_delay_us=10000)
    writes.set(delay_us=10000, write_delay_us=1000)


def share(found, kind, path):
    return found[kind][path] / max(sum(found[kind].values()), 1)


def total(found):
    return sum(sum(of_paths.values()) for of_paths in found.values())


@contextlib.contextmanager
def loaded(paths, queue_mode, by_operation, seconds=1, **options):
    with Multipath(paths, SELECTOR, queue_mode, selector_args=["by_operation", by_operation]) as mapped, \
            Load(mapped, bs="4k", **options) as load:
        load.warm_up(*paths)
        load.watch(seconds)
        yield Watched(mapped, load)


@pytest.mark.parametrize("queue_mode, depth", [("rq", 32), ("bio", 4), variant("rq", 4), variant("bio", 32)])
def test_each_operation_takes_its_path(queue_mode, depth):
    """One path is near for reads, the other one for writes; without by_operation both are alike."""
    with path_disks(2) as (reads, writes):
        set_opposite(reads, writes)
        found = {}
        for wanted in (0, 1):
            # dips, which take I/Os off a path for some windows, are frequent in the first seconds
            with loaded((reads, writes), queue_mode, wanted, seconds=4, rw="randrw", iodepth=depth) as watched:
                found[wanted] = watched.watch(2)
                if wanted:
                    needs_stamps(watched.mapped, "operations are not told apart")
        print(found)
        assert total(found[1]) > 2.5 * total(found[0])
        # at depth 4 a dip moves a part of two I/Os: 5 to 7 in 100 go to the other path
        assert share(found[1], "reads", reads) > 0.92 and share(found[1], "writes", writes) > 0.92


@both_modes
def test_path_that_is_best_for_all_has_all(queue_mode):
    with path_disks(2) as (near, far):
        near.set(delay_us=1000, write_delay_us=4000)
        far.set(delay_us=4000, write_delay_us=12000)
        with loaded((near, far), queue_mode, 1, rw="randrw", iodepth=8) as watched:
            found = watched.watch(1)
        assert share(found, "reads", near) > 0.95 and share(found, "writes", near) > 0.95


@one_mode
def test_operations_follow_a_change(queue_mode):
    """The paths change places, as when the sites of a stretched cluster do."""
    with path_disks(2) as (first, second):
        set_opposite(first, second)
        with loaded((first, second), queue_mode, 1, rw="randrw", iodepth=8) as watched:
            needs_stamps(watched.mapped, "operations are not told apart")
            assert share(watched.watch(0.5), "reads", first) > 0.95
            set_opposite(second, first)
            watched.watch(2)
            found = watched.watch(0.5)
        # 0.79 to 0.99: seconds after a change dips are frequent, and each takes I/Os off a path
        assert share(found, "reads", second) > 0.7 and share(found, "writes", first) > 0.7


@one_mode
def test_switched_off_while_in_use(queue_mode):
    """What was told apart is mixed again, and the other way round."""
    with path_disks(2) as (reads, writes):
        set_opposite(reads, writes)
        with loaded((reads, writes), queue_mode, 1, rw="randrw", iodepth=8) as watched:
            needs_stamps(watched.mapped, "operations are not told apart")
            files = MapFiles(watched.mapped)
            # In the first seconds dips take I/Os off a path.
            watched.watch(2)
            apart = watched.watch(3)
            files["by_operation"] = 0
            watched.watch(1)
            mixed = watched.watch(3)
            files["by_operation"] = 1
            watched.watch(1)
            again = watched.watch(3)
        assert share(apart, "reads", reads) > 0.95 and share(again, "reads", reads) > 0.95
        assert 0.05 < share(mixed, "reads", reads) / share(mixed, "writes", reads) < 1.5
        assert total(again) > 2 * total(mixed)


@one_mode
def test_flushes_take_their_path(queue_mode):
    """A flush takes as long as a read of these disks; no option is needed."""
    with path_disks(2) as (data, flushes):
        data.set(delay_us=5000, write_delay_us=500)
        flushes.set(delay_us=1000, write_delay_us=1000)
        with loaded((data, flushes), queue_mode, 0, rw="randwrite", iodepth=1, numjobs=4, fsync=2) as watched:
            wait_until(lambda: flushes.get("others") > 20, "flushes go to the path that is near for them")
            watched.load.watch(1)
            found = watched.watch(1)
        assert sum(found["others"].values()) > 100
        assert share(found, "writes", data) > 0.9 and share(found, "others", flushes) > 0.9
