"""The host's side of the tests: which kernels, where the time went, and one line at the end for machines to read."""
import os

import pytest

from tests.lib import stages
from tests.vm import progress
from tests.vm.kernels import ALL_KERNELS, ARM64_KERNELS

# What CI systems, git's hooks and callers set for their own programs, and ours would heed: colours, make's jobs, how
# Python writes, compilers, the repository, and variables of our own makefiles.
for name in ("NO_COLOR", "FORCE_COLOR", "PY_COLORS", "PYTEST_ADDOPTS", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE",
             "MAKEFLAGS", "GNUMAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "MAKEFILES", "CC", "CXX", "CFLAGS",
             "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "REVISION", "AUTHOR", "LINUX", "OUT", "SBIN", "SRC", "BUILD",
             "SANITIZE"):
    os.environ.pop(name, None)

# These run in guests; tests/vm and tests/meta show them as items of their own.
collect_ignore = ["guest", "meta/guest"]
START = pytest.StashKey()
DURATIONS = pytest.StashKey()   # of each test on the host, with its setup and teardown


def pytest_addoption(parser):
    parser.addoption("--suite", action="append", default=[],
                     choices=[*{**ALL_KERNELS, **ARM64_KERNELS}, "all", "arm64"],
                     help="kernel(s) to test on; default all of Debian's for amd64")
    parser.addoption("--group", help="of the guest tests only those with this mark, e.g. observe")
    parser.addoption("--long", action="store_true",
                     help="besides, what takes long: guest tests with that mark, ten minutes of stress")
    parser.addoption("--share", metavar="K/N", help="of the guest tests only the K-th of N equal parts")
    parser.addoption("--icount", action="store_true",
                     help="guests with virtual time and one CPU: the host's load does not show")


def pytest_configure(config):
    """What is slow is to be seen although pytest captures what is written during a test."""
    progress.stream = os.fdopen(os.dup(2), "w")
    config.stash[START] = stages.begin()
    config.stash[DURATIONS] = {}
    config.pluginmanager.register(Durations(config.stash[DURATIONS]))


class Durations:
    def __init__(self, found):
        self.found = found

    def pytest_runtest_logreport(self, report):
        self.found[report.nodeid] = self.found.get(report.nodeid, 0) + report.duration


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config):
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or config.option.collectonly:
        return

    def count(*outcomes):
        return sum(len(reporter.stats.get(outcome, [])) for outcome in outcomes)

    for line in stages.finish(config.stash[START], config.stash[DURATIONS]):
        reporter.write_line(line)
    passed, failed = count("passed", "xpassed"), count("failed", "error")
    reporter.write_line(f"{passed} passed, {failed} failed, {count('skipped', 'xfailed')} skipped")


@pytest.fixture
def said(capsys, monkeypatch):
    """capsys, with what say() tells."""
    monkeypatch.setattr(progress, "stream", None)
    return capsys
