"""The host's side of the tests: which kernels, and one line at the end for machines to read."""
import os

import pytest

from tests.vm import progress
from tests.vm.kernels import ALL_KERNELS, ARM64_KERNELS

# These run in guests; tests/vm and tests/meta show them as items of their own.
collect_ignore = ["dm", "meta/guest"]


def pytest_addoption(parser):
    parser.addoption("--suite", action="append", default=[],
                     choices=[*{**ALL_KERNELS, **ARM64_KERNELS}, "all", "arm64"],
                     help="kernel(s) to test on; default all of Debian's for amd64")
    parser.addoption("--group", help="of the guest tests only those with this mark, e.g. observe")
    parser.addoption("--long", action="store_true",
                     help="besides, what takes long: guest tests with that mark, ten minutes of stress")
    parser.addoption("--icount", action="store_true",
                     help="guests with virtual time and one CPU: the host's load does not show")


def pytest_configure():
    """What is slow is to be seen although pytest captures what is written during a test."""
    progress.stream = os.fdopen(os.dup(2), "w")


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config):
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or config.option.collectonly:
        return

    def count(*outcomes):
        return sum(len(reporter.stats.get(outcome, [])) for outcome in outcomes)

    passed, failed = count("passed", "xpassed"), count("failed", "error")
    reporter.write_line(f"{passed} passed, {failed} failed, {count('skipped', 'xfailed')} skipped")


@pytest.fixture
def said(capsys, monkeypatch):
    """capsys, with what say() tells."""
    monkeypatch.setattr(progress, "stream", None)
    return capsys
