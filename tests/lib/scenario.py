"""What most tests begin with: the selector, a load to watch."""

import collections
import time

from .command import limit, wait_until
from .fio import Fio
from .multipath import Multipath

SELECTOR = "latency-weighted"
SELECTOR_MODULE = "dm_" + SELECTOR.replace("-", "_")
# Arguments with which paths are equal up to twice the latency, as a kernel that checks itself, or a busy host, adds a
# part of it to one or the other. The slower one of two would have 1 I/O in 64.
EQUAL = ["tolerance", 100]


class Span(collections.namedtuple("Span", "seconds counts")):
    """What each path did during some seconds: `counts` is by path."""

    @property
    def rate(self):
        return sum(self.counts.values()) / self.seconds

    def share(self, path):
        total = sum(self.counts.values())
        return self.counts[path] / total if total else 0.0


class Load:
    """fio on a map, as long as the test wants, and what the paths make of it.

    Leaving it normally ends fio and raises CommandError if an I/O had failed:
    each test with a load is also a test that no error reaches the user.
    """

    RUNTIME = limit(100)        # seconds; the end of a test that is stuck

    def __init__(self, multipath, iodepth=8, **options):
        self.paths = multipath.paths
        self.fio = Fio(multipath.path, self.RUNTIME, iodepth, **options)

    def __enter__(self):
        return self

    def __exit__(self, failure, *_):
        with self.fio:
            if failure is None:
                self.fio.stop()

    def used(self, paths):
        return {path: path.used() for path in paths}

    def warm_up(self, *paths, ios=60):
        """Until each path has served so many I/Os and so is known."""
        start = self.used(paths)
        for path in paths:
            self.wait_until(lambda: path.used() - start[path] >= ios,
                            "%s has served %d I/Os" % (path, ios))

    def begin(self, ios=60):
        """Until so many I/Os were served, more than udev does, and time to settle."""
        start = sum(self.used(self.paths).values())
        self.wait_until(lambda: sum(self.used(self.paths).values()) - start >= ios,
                        "%d I/Os are served" % ios)
        time.sleep(0.5)

    def wait_until(self, condition, what, timeout=10):
        """As wait_until(), but an early end of fio is told at once."""
        wait_until(lambda: condition() or self.check(), what, timeout)

    def check(self):
        if not self.fio.runs():
            self.fio.wait()
            raise AssertionError("fio ended before the test")

    def watch(self, seconds, *paths):
        """Let some time pass; a Span of all paths, or of those given."""
        paths = paths or self.paths
        since, before = time.monotonic(), self.used(paths)
        time.sleep(seconds)
        until, after = time.monotonic(), self.used(paths)
        self.check()
        return Span(until - since,
                    {path: after[path] - before[path] for path in paths})


def rate_alone(path, queue_mode, depth):
    """What a map of this path only does."""
    with Multipath([path], SELECTOR, queue_mode, name="lwalone") as mapped, \
            Load(mapped, iodepth=depth) as load:
        load.begin()
        return load.watch(1).rate
