"""Every guest test of tests/dm as an item of its own on the host, per kernel.

A kernel boots at most five times, and runs all tests selected for it: those marked
virtual_time and those marked tracers on QEMU's virtual clock with one CPU, where the load
of the host does not show, and those marked programs, two guests at a time; those marked
numa on two nodes of one CPU, on the virtual clock where the kernel can; the others on two
CPUs in real time. The last two run alone.

Kernels that check themselves run on four CPUs in real time what Debian's run in virtual time
or on two CPUs: the more CPUs meet, the more is to be found. In them, nobody judges what is
measured, and asserted, by a test marked virtual_time.

Kernels for arm64 run what is marked virtual_time or programs, and the others on four CPUs.
"""
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest

from . import extra_packages, testrun
from .kernels import ALL_KERNELS, ARM64_KERNELS, CHECKED_KERNELS, KERNELS
from .places import CHECKOUT
from .progress import CommandFailed
from .qemu import Machine

GUEST_TESTS = "tests/dm"
VIRTUAL, PROGRAMS, TRACERS, NUMA, REAL = "virtual", "programs", "tracers", "numa", "real"
CHECKED, CHECKERS = "checked", "checkers"
MARKS = {VIRTUAL: "virtual_time", PROGRAMS: "programs", TRACERS: "tracers", NUMA: "numa",
         CHECKERS: "checkers"}
LONG = "long"                           # a mark, too: not in make check, nor on kernels that check themselves
IN_PAIRS = VIRTUAL, PROGRAMS, TRACERS   # two guests at a time
FUNCTIONAL = VIRTUAL, PROGRAMS, REAL    # what kernels of other architectures run, too
TRACERS_KERNEL = "trixie"
TRACERS_PACKAGES = ["bpftrace", "linux-perf", "trace-cmd"]


def collected(*options):
    """Ask pytest, which knows about parameters and marks, without running anything."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-c", "/dev/null",
               f"--rootdir={CHECKOUT}", f"--confcutdir={CHECKOUT / GUEST_TESTS}",
               "-p", "no:cacheprovider", *options, GUEST_TESTS]
    done = subprocess.run(command, cwd=CHECKOUT, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    if done.returncode not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        raise pytest.UsageError(f"cannot collect {GUEST_TESTS}:\n{done.stdout}")
    return [line for line in done.stdout.splitlines() if "::" in line]


def of_group(mark, group):
    return collected("-m", f"({mark}) and {group}" if group else mark)


def guest_tests_by_clock(group, icount, long):
    """What there is of a group, or of all; what is long only if it was asked for."""
    marks = {**MARKS, REAL: " and ".join(f"not {mark}" for mark in MARKS.values())}
    tests = {clock: of_group(mark, group) for clock, mark in marks.items()}
    tests[CHECKED] = tests[REAL] + tests[VIRTUAL] + tests.pop(CHECKERS)
    if group != LONG:
        longest = collected("-m", LONG)
        for clock in [CHECKED] if long else tests:
            tests[clock] = [test for test in tests[clock] if test not in longest]
    if icount:
        tests[VIRTUAL] += tests.pop(REAL)
    return tests


def chosen_kernels(suites, clock):
    """Programs are those of the suite: one of its kernels is enough. Tracers are large."""
    if clock == CHECKED:
        return [name for name in CHECKED_KERNELS if name in suites]
    kernels = [name for name in KERNELS if not suites or "all" in suites or name in suites]
    if clock == TRACERS:
        return [name for name in kernels if name == TRACERS_KERNEL]
    if clock == PROGRAMS:
        kernels = list({KERNELS[name].suite: name for name in reversed(kernels)}.values())[::-1]
    if clock in FUNCTIONAL:
        kernels += [name for name in ALL_KERNELS if name in ARM64_KERNELS
                    and ("arm64" in suites or name in suites)]
    return kernels


def pytest_generate_tests(metafunc):
    option = metafunc.config.getoption
    tests = guest_tests_by_clock(option("--group"), option("--icount"), option("--long"))
    cases = [(clock, kernel, test) for clock in tests
             for kernel in chosen_kernels(option("--suite"), clock) for test in tests[clock]]
    if not cases:
        raise pytest.UsageError(f"no guest test for --suite {' '.join(option('--suite')) or 'all'}"
                                f" --group {option('--group') or 'none'}")
    metafunc.parametrize(["guest", "test"],
                         [((clock, kernel), test) for clock, kernel, test in cases],
                         ids=[f"{kernel}-{test[len(GUEST_TESTS) + 1:]}"
                              for _, kernel, test in cases],
                         indirect=["guest"], scope="session")


class Guests:
    """Runs the guests of a session, each at most once."""

    def __init__(self, items):
        self.tests = {}     # (clock, kernel): ids, in order
        for item in items:
            parameters = getattr(getattr(item, "callspec", None), "params", {})
            if "guest" in parameters:
                self.tests.setdefault(parameters["guest"], []).append(parameters["test"])
        self.pool = ThreadPoolExecutor(max_workers=2)
        self.runs = {}      # (clock, kernel): the future of its run

    def run(self, clock, name):
        kernel = ALL_KERNELS[name]
        options = {
            VIRTUAL: {"icount": True},
            TRACERS: {"icount": True},
            NUMA: {"nodes": 2, "icount": kernel.virtual_smp},
        }.get(clock, {})
        extra = None
        if clock == TRACERS:
            extra = extra_packages.image(kernel.suite, TRACERS_PACKAGES)
        return testrun.run(kernel, self.tests[clock, name], GUEST_TESTS, label=clock,
                           machine=Machine.of(kernel, **options), extra=extra)

    def result(self, clock, kernel):
        """Starts what is due: all runs that go in pairs, another when no other is under way."""
        due = ([key for key in self.tests if key[0] in IN_PAIRS] if clock in IN_PAIRS
               else [(clock, kernel)])
        for key in due:
            if key not in self.runs:
                self.runs[key] = self.pool.submit(self.run, *key)
        return self.runs[clock, kernel].result()


@pytest.fixture(scope="session")
def guests(request):
    guests = Guests(request.session.items)
    yield guests
    guests.pool.shutdown()


@pytest.fixture(scope="session")
def guest(request, guests, loudly):
    """The run of all selected tests on one kernel and clock."""
    try:
        return loudly(guests.result, *request.param)
    except CommandFailed as error:
        raise pytest.fail.Exception(str(error), pytrace=False) from None


class Outvoted(UserWarning):
    """A measurement that failed once and held twice; pytest lists it at the end."""


def test_guest(guest, test):
    report = guest.report(test)
    if report.outvoted:
        warnings.warn(Outvoted(f"{report.outvoted}\n(logs: {guest.result.run_dir})"))
    if report.outcome == "skipped":
        pytest.skip(report.text)
    if report.outcome == "failed":
        pytest.fail(f"{report.text}\n(logs: {guest.result.run_dir})", pytrace=False)
