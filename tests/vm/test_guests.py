"""Every guest test of tests/dm as an item of its own on the host, per kernel.

A kernel boots once, when its first test is due, and runs all tests selected for it.
"""
import subprocess
import sys

import pytest

from . import testrun
from .kernels import KERNELS
from .places import CHECKOUT
from .progress import CommandFailed
from .qemu import Machine

GUEST_TESTS = "tests/dm"


def guest_test_ids():
    """Ask pytest, which knows about parameters, without running anything."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-c", "/dev/null",
               f"--rootdir={CHECKOUT}", f"--confcutdir={CHECKOUT / GUEST_TESTS}",
               "-p", "no:cacheprovider", GUEST_TESTS]
    done = subprocess.run(command, cwd=CHECKOUT, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    if done.returncode:
        raise pytest.UsageError(f"cannot collect {GUEST_TESTS}:\n{done.stdout}")
    return [line for line in done.stdout.splitlines() if "::" in line]


def pytest_generate_tests(metafunc):
    chosen = metafunc.config.getoption("--suite")
    kernels = [name for name in KERNELS if not chosen or "all" in chosen or name in chosen]
    tests = guest_test_ids()
    metafunc.parametrize(
        ["guest", "test"], [(kernel, test) for kernel in kernels for test in tests],
        ids=[f"{kernel}-{test[len(GUEST_TESTS) + 1:]}" for kernel in kernels for test in tests],
        indirect=["guest"], scope="session")


@pytest.fixture(scope="session")
def guest(request, loudly):
    """The run of all selected tests on one kernel."""
    name = request.param
    tests = [item.callspec.params["test"] for item in request.session.items
             if getattr(item, "callspec", None) and item.callspec.params.get("guest") == name]
    machine = Machine(icount=request.config.getoption("--icount"))
    try:
        return loudly(testrun.run, KERNELS[name], tests, GUEST_TESTS, machine=machine)
    except CommandFailed as error:
        raise pytest.fail.Exception(str(error), pytrace=False) from None


def test_guest(guest, test):
    report = guest.report(test)
    if report.outcome == "skipped":
        pytest.skip(report.text)
    if report.outcome == "failed":
        pytest.fail(f"{report.text}\n(logs: {guest.result.run_dir})", pytrace=False)
