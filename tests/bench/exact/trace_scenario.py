"""In the guest: what selectors do while a path changes (`python3 -m tests.bench.exact.trace_scenario`).

One process changes the path and looks at the counters, at exact virtual times.
"""
import contextlib
import functools
import time

from tests.bench import in_guest as guest
from tests.bench.exact.exact_plan import TracePlan
from tests.bench.exact.exact_scenarios import INTERVAL, SCENARIOS
from tests.bench.selectors import OURS
from tests.lib.dm_ioctl import Control
from tests.lib.multipath import parse_status
from tests.lib.watching import before_others, watch

# fio runs longer than it is watched, then it is stopped
SPARE_SECONDS = 20
MOST_LATE = INTERVAL / 2


class Trace:
    """Samples in columns: a time, and what each path and the selector say."""

    def __init__(self, disks, control):
        self.disks = disks
        self.control = control
        self.columns = {"t": [], "taken": [], "inflight": []}
        if control:
            self.columns["words"] = []

    def sample(self, at):
        self.columns["t"].append(round(at, 6))
        self.columns["taken"].append([disk.used() for disk in self.disks])
        self.columns["inflight"].append([disk.get("inflight") for disk in self.disks])
        if self.control:
            self.columns["words"].append([[int(word) for word in path.words]
                                          for path in parse_status(self.control.status())])


def watch_disk(trace, disk, scenario):
    """Sample at each interval, while the disk becomes what the scenario says."""
    changes = [(when, functools.partial(disk.set, **parameters))
               for when, parameters in scenario.changes]
    with before_others():
        watch(trace.sample, scenario.seconds, INTERVAL, changes, MOST_LATE)


def follow(scenario, selector):
    """The columns of one run."""
    with guest.multipath(scenario.paths, selector) as mapped, contextlib.ExitStack() as stack:
        control = stack.enter_context(Control(mapped.name)) if selector == OURS else None
        job = stack.enter_context(guest.load(mapped, scenario.seconds + SPARE_SECONDS,
                                             scenario.depth, ((scenario.size, 100),)))
        time.sleep(1)           # until fio and the selector run as they will
        trace = Trace(mapped.paths, control)
        watch_disk(trace, mapped.paths[0], scenario)
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
