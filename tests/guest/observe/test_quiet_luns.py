"""A path that becomes slow is shown and reported as slow, however few I/Os its map has."""
# promise output/slow-state

import contextlib
import time

import pytest

from tests.guest.lib.parametrized import variant
from tests.guest.lib.reports import Reports
from tests.lib.command import limit
from tests.lib.disks import path_disks
from tests.lib.multipath import Multipath
from tests.lib.scenario import SELECTOR, Load
from tests.lib.sysfs import MapFiles

pytestmark = [
    pytest.mark.virtual_time,
    pytest.mark.observe,
]

USUAL_US, SLOW_US = 1000, 31000
REPORT_S = 5                # report_ms, by default
PROBES = 6                  # on which a report rests
LOOK_S = 0.25
KNOWN_S = 10                # many looks at a path, so it has a usual latency


class LongLoad(Load):
    RUNTIME = limit(1000)


class Lun:
    """A map under so many I/Os a second; one of its two paths becomes slow."""

    def __init__(self, stack, rate, paths):
        self.rate = rate
        self.slow = paths[1]
        mapped = stack.enter_context(Multipath(paths, SELECTOR, name="lwquiet%d" % rate))
        self.files = MapFiles(mapped)
        self.load = stack.enter_context(LongLoad(mapped, iodepth=64, rate_iops=rate, rate_process="poisson"))

    def known(self):
        """The slow path has had the I/Os by which its usual latency is known, if they were not in few looks."""
        return self.slow.used() >= 40

    def begin(self):
        self.slow.set(delay_us=SLOW_US)
        self.began, self.wall = time.monotonic(), time.time()
        self.probes, self.used = [], self.slow.used()
        self.shown, self.told, self.since = None, None, set()

    def look(self, reports):
        at = self.files.path(self.slow)
        now, state, since, used = time.monotonic(), at["state"], float(at["state_since"]), self.slow.used()
        if used > self.used:
            self.probes.append(now)
            self.used = used
        if state == "probing":
            self.shown = self.shown or now
            self.since.add(since)
        assert state == ("probing" if self.shown else "active"), self
        if not self.told and (self.slow.name, "became slow") in [report[:2] for report in reports]:
            self.told = now

    def enough(self):
        """When six probes have shown that it is slow: all were done by the next look, and a window later."""
        return self.probes[PROBES - 1] + 2 * LOOK_S if len(self.probes) >= PROBES else float("inf")

    def check(self):
        assert self.shown <= max(self.enough(), self.began + 3), self
        assert self.told <= max(self.enough(), self.began + REPORT_S) + 3, self
        assert len(self.since) == 1, self
        # It began with the first I/O that was slow.
        assert self.wall - 0.01 <= min(self.since) <= self.wall + self.probes[0] - self.began + 1, self

    def __repr__(self):
        after = {name: at and round(at - self.began, 2) for name, at in (("shown", self.shown), ("told", self.told))}
        return "%d I/Os a second: %r, %d values of since, probes after %s s" % (
            self.rate, after, len(self.since), [round(at - self.began, 1) for at in self.probes[:10]])


@pytest.mark.time_limit(900)
@pytest.mark.parametrize("rates, watch", [((20, 100, 300, 1000), 45), variant((5000,), 20), variant((1, 5), 650)])
def test_slow_path_is_shown_and_reported_however_few_ios_there_are(rates, watch):
    """All maps at once. What was said stays: one state, one time since when, one report."""
    with contextlib.ExitStack() as stack:
        paths = stack.enter_context(path_disks(2 * len(rates)))
        for path in paths:
            path.set(delay_us=USUAL_US)
        reports = stack.enter_context(contextlib.closing(Reports()))
        luns = [Lun(stack, rate, paths[2 * at:2 * at + 2]) for at, rate in enumerate(rates)]
        for lun in luns:
            lun.load.wait_until(lun.known, "the path of %d I/Os a second is known" % lun.rate, timeout=200)
        time.sleep(KNOWN_S)
        assert reports() == []
        for lun in luns:
            lun.begin()
        until = time.monotonic() + watch
        while time.monotonic() < until:
            time.sleep(LOOK_S)
            for lun in luns:
                lun.look(reports())
        said = reports()
        for lun in luns:
            print(lun)
            lun.slow.set(delay_us=USUAL_US)
        for lun in luns:
            lun.check()
        assert sorted(path for path, *_ in said) == sorted(lun.slow.name for lun in luns)
