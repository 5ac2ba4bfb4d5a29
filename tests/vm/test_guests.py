"""Every guest test of tests/guest as an item of its own on the host, per kernel and kind of guest.

A kernel boots at most seven times, and runs all tests selected for it: those marked
virtual_time, programs or tracers in a guest each, on QEMU's virtual clock with one CPU, where
the load of the host does not show; those marked numa on two nodes of one CPU, on the virtual
clock where the kernel can; those marked many_cpus on sixteen that take turns; the others on two
CPUs in real time.

Kernels that check themselves run on four CPUs in real time what Debian's run in virtual time
or on two CPUs: the more CPUs meet, the more is to be found. In them, nobody judges what is
measured, and asserted, by a test marked virtual_time; what is marked facts, too, counts.

What is marked upstream runs once more on the newest kernel, in virtual time, with the module as the
series for the kernel's tree has it (upstream_module.py) in place of ours.

Which kernel runs which of them, in make check and in make check-full, is a table: matrix.toml.
"""
import functools
import itertools
import json
import shlex
import subprocess
import sys
import warnings
from pathlib import Path
from typing import NamedTuple

import pytest

from . import matrix
from .guest_runs import (CHECKED, FACTS, GUEST_TESTS, KINDS, MANY_CPUS, NUMA, PROGRAMS, REAL, RUNS,
                         TRACERS, UPSTREAM, VIRTUAL, TooLate)
from .kernels import ALL_KERNELS, ARM64_KERNELS, KERNELS
from .places import CHECKOUT
from .progress import CommandFailed

HERE = Path(__file__).parent
CHECKERS = "checkers"
MARKS = {VIRTUAL: "virtual_time", PROGRAMS: "programs", TRACERS: "tracers", NUMA: "numa",
         MANY_CPUS: "many_cpus", CHECKERS: "checkers"}
LONG = "long"                           # a mark, too: not in make check, nor on kernels that check themselves
IN_FULL = "in_full"                      # likewise: not in make check


class GuestTest(NamedTuple):
    id: str
    marks: frozenset

    def kind(self):
        """Of the guests that run it, those of Debian's kernels."""
        return next((kind for kind, mark in MARKS.items() if mark in self.marks), REAL)


@functools.lru_cache(maxsize=None)
def collected():
    """Ask pytest, which knows about parameters and marks, without running anything."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-c", "/dev/null",
               f"--rootdir={CHECKOUT}", f"--confcutdir={CHECKOUT / GUEST_TESTS}",
               "-p", "no:cacheprovider", "-p", "tests.vm.tell_tests", GUEST_TESTS]
    done = subprocess.run(command, cwd=CHECKOUT, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    if done.returncode != pytest.ExitCode.OK:
        raise pytest.UsageError(f"cannot collect {GUEST_TESTS}:\n{done.stdout}")
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('["')]
    return [GuestTest(name, frozenset(marks)) for name, marks in lines]


def takes_part(test, kind, group, icount, long):
    """Does a guest of this kind run the test where nothing is left out?"""
    if LONG in test.marks and (not long or kind == CHECKED and group != LONG):
        return False
    if kind in (FACTS, UPSTREAM):
        return kind in test.marks
    if kind == CHECKED:
        return test.kind() in (REAL, VIRTUAL, CHECKERS)
    return kind == (VIRTUAL if icount and test.kind() == REAL else test.kind())


def chosen_kernels(suites):
    """Of --suite; those that check themselves, and others' architectures, only by name."""
    named = {name for name in ALL_KERNELS if name in suites or name in ARM64_KERNELS and "arm64" in suites}
    return [name for name in ALL_KERNELS
            if name in named or name in KERNELS and (not suites or "all" in suites)]


def cases_of(config):
    """What runs, as (kind, kernel, test)."""
    suites, group, icount, long = map(config.getoption, ("--suite", "--group", "--icount", "--long"))
    kernels, whole = chosen_kernels(suites), {*matrix.thoroughly(config, HERE), *suites}

    def tests_of(kind, kernel):
        full = kernel not in KERNELS or kernel in whole
        cell = (matrix.FULL if full else matrix.CHECK)[kernel].get(kind)
        if not cell:
            return []
        tests = [test for test in collected() if takes_part(test, kind, group, icount, long or group == LONG)
                 and (full or IN_FULL not in test.marks)]
        return [test for test in matrix.part_of(tests, cell, kernels) if not group or group in test.marks]
    return [(kind, kernel, test) for kind in KINDS for kernel in kernels for test in tests_of(kind, kernel)]


def share_of(cases, text):
    """The k-th of n parts, as even as can be, for text "k/n"; ValueError if it is none."""
    words = text.split("/")
    if len(words) != 2 or not all(word.isdigit() for word in words) or not 1 <= int(words[0]) <= int(words[1]):
        raise ValueError(f"--share {text}: wanted K/N, with K from 1 to N")
    part, parts = map(int, words)
    return cases[len(cases) * (part - 1) // parts:len(cases) * part // parts]


def case_id(kind, kernel, test):
    """Says all that matters, so that it selects the same test in the same guest again."""
    return f"{kernel}-{kind}-{test.id[len(GUEST_TESTS) + 1:]}"


def named(words):
    """Cases that a command line names, as a failed test's text does; whatever else is chosen there."""
    every = {f"[{case_id(*case)}]": case
             for case in itertools.product(KINDS, ALL_KERNELS, collected())}
    return [case for word in words for name, case in every.items()
            if word.endswith(f"::{test_guest.__name__}{name}")]


def pytest_generate_tests(metafunc):
    option = metafunc.config.getoption
    cases = cases_of(metafunc.config)
    if option("--share"):
        try:
            cases = share_of(cases, option("--share"))
        except ValueError as error:
            raise pytest.UsageError(str(error)) from None
    cases += [case for case in named(metafunc.config.args) if case not in cases]
    if not cases:
        raise pytest.UsageError(f"no guest test for --suite {' '.join(option('--suite')) or 'all'}"
                                f" --group {option('--group') or 'none'}")
    if "test" in metafunc.fixturenames:
        metafunc.parametrize(["guest", "test"], [((kind, kernel), test) for kind, kernel, test in cases],
                             ids=[case_id(*case) for case in cases], indirect=["guest"])
    else:
        guests = list(dict.fromkeys((kind, kernel) for kind, kernel, _ in cases))
        metafunc.parametrize("guest", guests, ids=[f"{kernel}-{kind}" for kind, kernel in guests],
                             indirect=True)


@pytest.fixture
def guest(request):
    """The run of all selected tests of one kind on one kernel."""
    runs = request.config.stash[RUNS]
    if request.param not in runs.tests:
        pytest.skip("no test was chosen for this guest")
    try:
        return runs.result(request.param)
    except TooLate as error:
        pytest.skip(str(error))
    except CommandFailed as error:
        raise pytest.fail.Exception(str(error), pytrace=False) from None


class Outvoted(UserWarning):
    """A measurement that failed once and held twice; pytest lists it at the end."""


class GuestDied(UserWarning):
    """Nobody knows why, and a second guest did the rest; listed as well."""


def repetition(item):
    return shlex.join(["sudo", sys.executable, "-m", "pytest", "-p", "no:cacheprovider", item.nodeid])


def judge_end(guest):
    if guest.forgiven():
        warnings.warn(GuestDied(guest.forgiven()))
    if guest.fault():
        pytest.fail(guest.fault(), pytrace=False)


def test_guest(guest, test, request):
    report = guest.report(test.id)
    if report.outvoted:
        warnings.warn(Outvoted(f"{report.outvoted}\n({guest.logs(test.id)})"))
    if report.outcome == "failed":
        pytest.fail(f"{report.text}\n{guest.logs(test.id)}\nagain: {repetition(request.node)}",
                    pytrace=False)
    if request.node.callspec.params["guest"] not in request.config.stash[RUNS].judged:
        judge_end(guest)
    if report.outcome == "skipped":
        pytest.skip(report.text)


def test_guest_ended_well(guest):
    """A guest that reports what it should and then dies, or dies by a module of ours, or once more
    where it was started again, has failed besides its tests."""
    judge_end(guest)
