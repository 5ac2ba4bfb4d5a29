"""What runs in guests in a session, and when: each guest once.

Guests in which nobody's figures depend on the host's load go in company, two at a time, and begin
at once, beside what the host itself tests. In make check these are all. The others run alone, at
the end. All that waits for guests does so in processes of its own: tests of the host replace the
clock, and a thread of a pool that meets a stopped clock spins, and dies when it goes on again.
"""
import ctypes
import multiprocessing
import os
import signal
import sys
import time
from concurrent.futures import ProcessPoolExecutor, wait

import pytest

from tests.lib import stages

from . import extra_packages, testrun
from .kernels import ALL_KERNELS
from .progress import CommandFailed, say
from .qemu import Machine
from .upstream_module import UpstreamModule

GUEST_TESTS = "tests/guest"
# Kinds of guests, by what they run; in the order in which they begin: the newest kernel's, the longest first.
VIRTUAL, PROGRAMS, NUMA, TRACERS, FACTS = "virtual", "programs", "numa", "tracers", "facts"
REAL, CHECKED, MANY_CPUS, UPSTREAM = "real", "checked", "many-cpus", "upstream"
KINDS = VIRTUAL, PROGRAMS, REAL, NUMA, UPSTREAM, TRACERS, FACTS, CHECKED, MANY_CPUS
TRACERS_PACKAGES = ["bpftrace", "linux-perf", "trace-cmd"]
PATIENT = 10        # what time limits are multiplied by where the host's other work may slow a guest
SECONDS_TO_END = 30  # of the process that waits for guests
PR_SET_PDEATHSIG = 1    # linux/prctl.h
WITHIN = "LW_BEGIN_WITHIN"  # the environment's: no guest begins so many seconds after make; unset for no limit
RUNS = pytest.StashKey()    # of a session, in its config


class TooLate(Exception):
    """The host is too slow for all guests."""


def begin_in_time():
    limit = float(os.environ.get(WITHIN, "inf"))
    passed = time.time() - float(os.environ.get(stages.STARTED, time.time()))
    if passed > limit:
        raise TooLate(f"no time for this guest: {passed:.0f} s had passed, {WITHIN} is {limit:.0f}")


def machine(kind, kernel):
    if kind == NUMA:
        return Machine.of(kernel, nodes=2, icount=kernel.virtual_smp)
    if kind == MANY_CPUS:
        return Machine.of(kernel, cpus=16, memory=4096)
    return Machine.of(kernel, icount=kind in (VIRTUAL, PROGRAMS, UPSTREAM, TRACERS, FACTS))


def goes_in_company(kind, name):
    """No figure is asserted in real time but of nodes and of kernels that check themselves."""
    return kind == REAL or machine(kind, ALL_KERNELS[name]).icount


def boot(kind, name, tests, patience):
    """Run tests, by their ids."""
    begin_in_time()
    kernel = ALL_KERNELS[name]
    extra = extra_packages.image(kernel.suite, TRACERS_PACKAGES) if kind == TRACERS else None
    is_upstream = kind == UPSTREAM
    return testrun.run(kernel, tests, GUEST_TESTS, label=kind, machine=machine(kind, kernel), extra=extra,
                       patience=patience, with_module=not is_upstream,
                       drivers=[UpstreamModule()] if is_upstream else [])


def die_with_parent():
    """Also of one that is killed; and a guest dies with its process, see bound_to_us()."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != multiprocessing.parent_process().pid:
        os._exit(1)     # it died before that


def say_what_failed(run):
    """At once; its tests say so again when it is their turn, but no longer where it was."""
    error = None if run.cancelled() else run.exception()
    if error and not isinstance(error, TooLate):
        say(f"error: no guest: {error if isinstance(error, CommandFailed) else error.__cause__ or repr(error)}")


def serve(session, tests, job):
    """What the session's process asks for: a key of tests, and how that guest's run ended."""
    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)    # it is the session that ends us
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    pool = ProcessPoolExecutor(2, multiprocessing.get_context("spawn"), initializer=die_with_parent)
    runs = {}           # futures, which keep an error as well

    def begin(key, patience):
        runs[key] = pool.submit(job, *key, tests[key], patience)
        runs[key].add_done_callback(say_what_failed)

    try:
        for key in sorted(tests, key=lambda key: KINDS.index(key[0])):
            if goes_in_company(*key):
                begin(key, PATIENT)
        while True:
            key = session.recv()
            if key not in runs:
                wait(runs.values())
                begin(key, PATIENT if key[0] == MANY_CPUS else 1)     # which take turns on one of the host's
            session.send(runs[key].exception() or runs[key].result())
    finally:            # nobody will ask any more; what still runs is ended, and a guest with its process
        for process in multiprocessing.active_children():
            process.terminate()
        # Waits: the interpreter's end would wake the pool's thread while that closes its pipe, and fail.
        pool.shutdown(cancel_futures=True)


class GuestRuns:
    """Of those of a session's items that have a guest and a test for it as parameters."""

    def __init__(self, items, job=boot):
        self.tests = {}         # (kind, kernel): in order
        self.judged = set()     # those of which an item of its own asks how they ended
        self.job = job
        self.server = None
        for item in items:
            parameters = getattr(getattr(item, "callspec", None), "params", {})
            if "guest" not in parameters:
                continue
            if "test" in parameters:
                self.tests.setdefault(parameters["guest"], []).append(parameters["test"].id)
            else:
                self.judged.add(parameters["guest"])

    def begin(self):
        """Costs nothing where no test has a guest."""
        if not self.tests:
            return
        spawning = multiprocessing.get_context("spawn")
        self.answers, theirs = spawning.Pipe()
        self.server = spawning.Process(target=serve, args=(theirs, self.tests, self.job))
        self.server.start()
        theirs.close()          # so that its end is the end of the pipe

    def result(self, key):
        if not self.server:
            self.begin()
        try:
            self.answers.send(key)
            answer = self.answers.recv()
        except (EOFError, OSError):
            self.see_it_end()
            raise CommandFailed("the process that runs the guests ended before the tests"
                                f" (status {self.server.exitcode})") from None
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def end(self):
        if self.server:
            self.server.terminate()
            self.see_it_end()

    def see_it_end(self):
        self.server.join(SECONDS_TO_END)
        self.server.kill()
        self.server.join()
