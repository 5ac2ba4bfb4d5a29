"""In the guest: `python3 -m tests.stress.stress_in_guest --seconds 600 --seed 7`.

Says what it does, leaves /lw/out/stress.json, ends with "N passed, N failed, N skipped".
"""
import argparse
import contextlib
import os
import platform
import threading
import time

from tests.lib import checkers, debugfs, faults, memory
from tests.lib.command import CommandError, limit, unload_module, wait_until
from tests.lib.kernel_log import KernelLog, complaints, show_blocked_tasks
from tests.lib.scenario import SELECTOR_MODULE

from . import leaks
from .actors import Journal, Pace, udev_is_idle
from .loads import CPUS, Load, NothingRead, reads_by_path
from .sequence import RELOAD
from .site import Site
from .verdict import FAILED, PASSED, SKIPPED, Figures, Verdict, report, summary

RESULT = "/lw/out/stress.json"
# dm tells of paths that are gone, and of tables that it refuses; and we of a map without files, for
# want of memory: that is where allocations fail on purpose, and nowhere else.
ALL_OF_DM, BUT_MISSING_FILES = "device-mapper: ", "device-mapper: (?!multipath latency-weighted: .*no directory)"
TOLD = 20                       # lines of the kernel log, at most
PRINTED = 2                     # seconds in which the kernel has printed a trace
PRACTICE = 20                   # tables
SETTLED = limit(15)             # seconds for what is freed late
END = limit(120)                # seconds in which a step or a round that began ends


def parse():
    parser = argparse.ArgumentParser(prog="python3 -m tests.stress.stress_in_guest", description=__doc__)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--tables", type=int, required=True, help="that are only loaded, in the end")
    return parser.parse_args()


class Run:
    """One run, from what is put up to the verdict."""

    def __init__(self, options):
        self.options = options
        self.figures = Figures()
        self.journal = Journal(self.figures)
        self.verdict = Verdict()
        self.stop = threading.Event()
        self.go = threading.Event()
        self.go.set()
        self.log = KernelLog()
        self.expected = [ALL_OF_DM if os.path.exists(faults.FAIL_NTH) else BUT_MISSING_FILES]
        self.complaints = []

    def whole(self):
        """With practice before, since the kernel keeps memory that it used once."""
        self.journal.say("practice")
        with contextlib.ExitStack() as stack:
            Site(stack).practise()
        unload_module(SELECTOR_MODULE)
        before = memory.objects()
        with contextlib.ExitStack() as stack:
            site = Site(stack)
            self.torture(site)
        self.look_for_leaks("after the maps are gone")
        self.load_only(self.options.tables)
        self.module_goes()
        self.look_for_leaks("after the module is gone")
        self.policies_go(site.policies)
        self.compare("no slab cache has grown", before, leaks.spare_of(self.figures.kinds[RELOAD]))

    def torture(self, site):
        loads = [Load(each.path, base, self.figures, self.stop)
                 for each, base in zip(site.maps, site.bases)]
        for load in loads:
            load.round(0)       # the disks take their memory here, and not when it is short
        self.verdict.check("fio notices what another round wrote", loads[0].mistaken())
        actors = site.actors(self.options.seed, self.journal, self.stop, self.go)
        self.journal.say("begin")
        for thread in loads + actors:
            thread.start()
        self.watch(actors)
        self.journal.say("end")
        self.await_end(actors)
        site.mend()
        self.await_end(loads)
        self.tell_of_actions(actors)
        self.attempt("udev has handled all events",
                     lambda: wait_until(udev_is_idle, "udev's queue is empty", timeout=END, interval=1))
        for load, mapped in zip(loads, site.maps):
            self.try_out(site, load, mapped)

    def watch(self, actors):
        """Until the time is over, or something is found."""
        end = time.monotonic() + self.options.seconds
        pace = Pace(self.journal, self.go)
        while time.monotonic() < end and not self.stop.wait(2):
            self.read_log()
            pace.look()
            stuck = list(filter(None, (actor.stuck() for actor in actors)))
            if stuck:
                raise Stuck("; ".join(stuck))
            if self.complaints:
                break
        self.stop.set()
        self.go.set()

    def await_end(self, threads):
        """Of steps and rounds that have begun."""
        end = time.monotonic() + END
        for thread in threads:
            thread.join(max(0, end - time.monotonic()))
        late = [thread.name for thread in threads if thread.is_alive()]
        if late:
            raise Stuck("not done after %d s: %s" % (END, ", ".join(late)))

    def read_log(self):
        """A trace that is being printed is judged when it is whole: it may not be about us."""
        records = list(self.log.new_records())
        if complaints(records, self.expected):
            time.sleep(PRINTED)
            records += self.log.new_records()
        self.complaints += complaints(records, self.expected)

    def tell_of_actions(self, actors):
        """A case for each kind of step."""
        for actor in actors:
            for action in actor.actions:
                count = self.figures.actions[action.name]
                if count:
                    self.verdict.add(action.name, PASSED, "%d times" % count)
                else:
                    self.verdict.add(action.name, SKIPPED, self.journal.reasons.get(
                        action.name, "not among the steps of so short a run"))
            if actor.fault:
                self.verdict.add(actor.doing[0], FAILED, actor.fault)

    def try_out(self, site, load, mapped):
        """After all that, all paths are there and all data is."""
        self.attempt("%s: all paths are usable" % mapped.name, lambda: site.heal(mapped))
        faults = [load.fault] if load.fault else []
        self.verdict.check("%s: what was written was read" % mapped.name, faults,
                           "%d rounds" % load.number)
        if not faults:
            self.attempt("%s: over each path alone" % mapped.name,
                         lambda: reads_by_path(load, mapped))

    def attempt(self, name, function):
        """A case that fails if there is an exception."""
        try:
            function()
            self.verdict.add(name, PASSED)
        except EXPECTABLE as error:
            self.verdict.add(name, FAILED, str(error))

    def module_goes(self):
        self.attempt("the module can be unloaded", lambda: unload_module(SELECTOR_MODULE))

    def policies_go(self, policies):
        """With the last map that used them."""
        name = "no program of a policy is left"
        if policies.programs:
            self.attempt(name, lambda: wait_until(lambda: not policies.left(), "the programs of all policies are gone"))
        else:
            self.verdict.add(name, SKIPPED, "no policy was attached")

    def look_for_leaks(self, when):
        name = "no leak by kmemleak %s" % when
        if os.path.exists(checkers.KMEMLEAK):
            self.verdict.check(name, checkers.leaks())
        else:
            self.verdict.add(name, SKIPPED, "the kernel has no kmemleak")

    def load_only(self, tables):
        """The actors swap in too few tables for an object of each to show."""
        leaks.load_only(PRACTICE)
        before = memory.objects()
        self.journal.say("twice %d tables" % tables)
        leaks.load_only(tables)
        self.journal.say("end of tables")
        self.compare("no slab cache has grown by tables that were only loaded", before,
                     leaks.spare_of_loads(tables), "twice %d tables" % tables)

    def compare(self, name, before, spare, told=""):
        """What is freed late, after RCU, is free in the end; what leaked is not."""
        end = time.monotonic() + SETTLED
        while True:
            faults = list(leaks.grown(before, memory.objects(), spare, CPUS))
            if not faults or time.monotonic() > end:
                break
            time.sleep(2)
        self.verdict.check(name, faults, told)

    def say_result(self):
        self.read_log()
        self.verdict.check("the kernel's log is clean", self.complaints[:TOLD])
        with open(RESULT, "w") as file:
            file.write(report(self.verdict, self.figures, seed=self.options.seed,
                              kernel=platform.release(), cpus=CPUS,
                              seconds=round(time.monotonic() - self.journal.start)))
        for line in self.verdict.lines():
            print(line)
        print(summary(self.figures))
        print(self.verdict.last_line(), flush=True)


class Stuck(Exception):
    """Something does not end; the kernel's log has the blocked tasks."""


EXPECTABLE = (AssertionError, CommandError, NothingRead, OSError, RuntimeError, TimeoutError,
              LookupError, ValueError)


def main():
    run = Run(parse())
    debugfs.mount()
    checkers.start()
    try:
        run.whole()
    except Stuck as error:
        show_blocked_tasks()
        run.verdict.add("everything ends", FAILED, str(error))
    except Exception as error:  # whatever it is, the run is told of as far as it came
        run.verdict.add("the run", FAILED, "%s: %s" % (type(error).__name__, error))
    run.say_result()
    # Not by sys.exit(), which waits for threads that are stuck.
    os._exit(0 if run.verdict.good else 1)


if __name__ == "__main__":
    main()
