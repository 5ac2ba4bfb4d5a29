"""In the guest: the figures of one case, by depth and selector (`python3 -m tests.bench.exact.measure_case`)."""
import os
import time

from tests.bench import in_guest as guest
from tests.bench.exact.cases import CASES
from tests.bench.exact.exact_plan import RAMP, CasePlan


class Usage:
    """What each path took and how long the CPU was busy, since this was made."""

    def __init__(self, disks):
        self.disks = disks
        self.start = self.now()

    def now(self):
        """The paths' counts, seconds in which the CPU was idle, and the time.

        Idle time is exact. The other times of /proc/stat are taken at ticks, which are
        often in step with the completions.
        """
        with open("/proc/stat") as file:
            ticks = [int(word) for word in file.readline().split()[1:6]]
        idle = (ticks[3] + ticks[4]) / os.sysconf("SC_CLK_TCK")
        return [disk.used() for disk in self.disks] + [idle, time.monotonic()]

    def figures(self):
        *used, idle, seconds = (end - start for start, end in zip(self.start, self.now()))
        return {"shares": [count / sum(used) for count in used], "cpu_busy": 1 - idle / seconds}


def measure(case, selector, depth, runtime):
    """The figures of one run, those of the ramp left out."""
    queue_mode = "rq" if case.request_based else "bio"
    with guest.multipath(case.paths, selector, queue_mode, case.arguments) as mapped, \
            guest.load(mapped, runtime, depth, case.sizes, ramp_time=RAMP,
                       **guest.direction_options(case.writes)) as job:
        time.sleep(RAMP)
        usage = Usage(mapped.paths)
        result = job.wait()
        return {"iops": result.iops, "mean_us": result.mean_us, "p50_us": result.p50_us,
                "p99_us": result.p99_us, **usage.figures()}


def run(plan):
    case = CASES[plan.case]
    for depth in plan.depths:
        for selector in plan.selectors:
            figures = measure(case, selector, depth, plan.runtime)
            guest.record(case=plan.case, paths=case.paths, depth=depth, selector=selector, **figures)
            guest.say("depth %d, %s: %.0f IOPS, p99 %.1f ms, CPU %.0f %%"
                      % (depth, selector, figures["iops"], figures["p99_us"] / 1000,
                         100 * figures["cpu_busy"]))


if __name__ == "__main__":
    guest.main(run, CasePlan)
