"""In the guest: what selectors do while a path changes (`python3 -m tests.exact.trace`).

One process changes the path and looks at the counters, at exact virtual times.
"""
import contextlib
import os
import time

from tests.dm.lib.dm_status import StatusReader
from tests.exact import guest
from tests.exact.plan import OURS, TracePlan
from tests.exact.scenarios import INTERVAL, SCENARIOS

# fio runs longer than it is watched, then it is stopped
SPARE_SECONDS = 20
MOST_LATE = INTERVAL / 2


class Trace:
    """Samples in columns: a time, and what each path and the selector say."""

    def __init__(self, disks, status):
        self.disks = disks
        self.status = status
        self.columns = {"t": [], "taken": [], "inflight": []}
        if status:
            self.columns["words"] = []

    def sample(self, at):
        self.columns["t"].append(round(at, 6))
        self.columns["taken"].append([disk.used() for disk in self.disks])
        self.columns["inflight"].append([disk.get("inflight") for disk in self.disks])
        if self.status:
            self.columns["words"].append([[int(word) for word in path.words]
                                          for path in self.status.paths()])


@contextlib.contextmanager
def before_others():
    """This process runs whenever it wants to, whatever fio does."""
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    try:
        yield
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def watch(trace, scenario):
    """Sample at each interval; each change comes right after the sample of its time."""
    changes = dict(scenario.changes)
    start = time.monotonic()
    for number in range(round(scenario.seconds / INTERVAL) + 1):
        due = number * INTERVAL
        time.sleep(max(0, start + due - time.monotonic()))
        at = time.monotonic() - start
        if at > due + MOST_LATE:
            raise RuntimeError("a sample was %.0f ms late" % (1000 * (at - due)))
        trace.sample(at)
        for when in [when for when in changes if when <= due]:
            trace.disks[0].set(**changes.pop(when))


def follow(scenario, selector):
    """The columns of one run."""
    with guest.multipath(scenario.paths, selector) as mapped, contextlib.ExitStack() as stack:
        status = stack.enter_context(StatusReader(mapped.name)) if selector == OURS else None
        job = stack.enter_context(guest.load(mapped, scenario.seconds + SPARE_SECONDS,
                                             scenario.depth, ((scenario.size, 100),)))
        time.sleep(1)           # until fio and the selector run as they will
        trace = Trace(mapped.paths, status)
        with before_others():
            watch(trace, scenario)
        job.stop()
        return trace.columns


def run(plan):
    scenario = SCENARIOS[plan.scenario]
    for selector in plan.selectors:
        columns = follow(scenario, selector)
        guest.record(scenario=plan.scenario, selector=selector, **columns)
        guest.say("%s: %d samples" % (selector, len(columns["t"])))


if __name__ == "__main__":
    guest.main(run, TracePlan)
