"""The runs of dm-lw bench: in turn, within their time, and nothing left behind."""
import contextlib
import os
import time

from ..device_mapper import map_device
from ..errors import LwError, reason
from ..live_tables import path_name
from ..transport import transports
from . import fio_jobs, safety
from .borrowed import AS_BEFORE, Borrowed
from .guardian import guarded
from .results import JSON_VERSION, Results

OVERHEAD = 1.5          # seconds of a run beside ramp and runtime: starting fio, reloading


@contextlib.contextmanager
def held(host, table):
    """The map for dm-lw alone: no other program mounts it or builds on it."""
    try:
        opened = os.open(host.path("dev/" + table.dm), os.O_RDONLY | os.O_EXCL)
    except OSError as error:
        raise LwError("%s cannot be had for itself: %s" % (table.name, reason(error)))
    try:
        yield map_device(host, table.name, table.dm)
    finally:
        os.close(opened)


class Bench:
    """`args` are the command's; tell() takes a line about the progress."""

    def __init__(self, host, table, selectors, jobs, args, tell):
        self.host = host
        self.table = table
        self.selectors = selectors
        self.jobs = jobs
        self.args = args
        self.tell = tell
        self.results = Results(jobs, selectors)
        self.done = 0

    @property
    def count(self):
        return len(self.jobs) * len(self.selectors) * self.args.repeat

    def seconds(self):
        """Estimated time."""
        return self.count * (self.args.runtime + fio_jobs.RAMP + OVERHEAD)

    def plan(self):
        """The coming steps; LwError if the time does not suffice for them."""
        what = "%d runs (%d jobs, %d selectors, %d times), about %s" % (
            self.count, len(self.jobs), len(self.selectors), self.args.repeat,
            in_words(self.seconds()))
        if self.seconds() > self.args.limit:
            raise LwError("%s; more than --limit %g allows: fewer of them, a shorter --runtime, or"
                          " a higher limit" % (what, self.args.limit))
        return "%s: %s; %s at most" % (self.table.name, what, in_words(self.args.limit))

    def run(self, device):
        """All runs; the document, and why they ended early or None."""
        borrowed = Borrowed(device, self.table.dm, [choice.name for choice in self.selectors])
        started = time.time()
        with guarded(self.table.name, lambda: self.give_back(borrowed)):
            early = self.rounds(borrowed, time.monotonic() + self.args.limit)
        return self.document(started, early is None), early

    def give_back(self, borrowed):
        told = borrowed.give_back()
        if told != AS_BEFORE and not borrowed.is_taken:     # or an error tells it
            self.tell("%s: %s" % (self.table.name, told))
        return told

    def rounds(self, borrowed, deadline):
        """Selectors in turn, each round beginning with another: changes hit all alike."""
        for number in range(self.args.repeat):
            first = number % len(self.selectors)
            for choice in self.selectors[first:] + self.selectors[:first]:
                if choice.is_own:
                    borrowed.use_its_own()
                else:
                    borrowed.use(choice.name, choice.arguments)
                if choice.policy:
                    borrowed.attach(choice.policy, choice.constants)
                for job in self.jobs:
                    if time.monotonic() + fio_jobs.RAMP + self.args.runtime > deadline:
                        return "--limit reached after %d of %d runs" % (self.done, self.count)
                    self.one(borrowed, choice, job)
        return None

    def one(self, borrowed, choice, job):
        borrowed.check()
        try:
            figures = fio_jobs.run(self.host, job, self.table.dm, self.table.paths,
                                     self.args.runtime)
        except fio_jobs.Stuck as error:
            self.tell("%s; as long as it does, %s cannot get its table back: waiting"
                      % (error, self.table.name))
            raise
        borrowed.check()
        safety.require_no_failure(self.host, borrowed.device)
        self.results.add(job, choice, figures)
        self.done += 1
        self.tell("%d/%d %s, %s: %.0f IOPS, p99 %.0f us" % (
            self.done, self.count, job.name, choice.label, figures["iops"], figures["p99_us"]))

    def document(self, started, complete):
        about = {"transport": transports(self.host.sysfs, self.table.paths),
                 "kernel": self.host.release()}
        return {
            "version": JSON_VERSION, "time": started, "complete": complete,
            "map": self.table.name, "dm": self.table.dm, "uuid": self.table.uuid,
            "table": self.table.text(), "own_selector": self.selectors[0].label,
            "paths": [path_name(self.host.sysfs, path) for path in self.table.paths],
            "runtime_s": self.args.runtime, "ramp_s": fio_jobs.RAMP,
            "repeat": self.args.repeat, **about,
            "jobs": {job.name: job.help for job in self.jobs},
            "results": self.results.rows(about),
        }


def in_words(seconds):
    """Like "45 s" or "5 min"."""
    return "%.0f s" % seconds if seconds < 100 else "%.0f min" % (seconds / 60)
