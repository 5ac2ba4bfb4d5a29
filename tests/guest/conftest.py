"""What every test in a guest gets, without asking for it.

- a time limit: 120 s, or @pytest.mark.time_limit(seconds), see lib/time_limit.py
- afterwards, the kernel log is searched: a warning of any kind fails the test,
  so does a device-mapper error line, or what the module warns of, unless the
  test announced it with @pytest.mark.expect_dm_error(regex)
- maps left behind fail the test; test modules left behind are unloaded
- what a test measures (virtual_time, numa, real_time) is the median of three, what it asserts as a fact
  (facts) must hold at once: see lib/repeat.py
- its outcome goes to /lw/out/results.jsonl at once, where the host finds it even
  if the guest dies in the next test
- if it fails, what the kernel said since its beginning goes to a file in /lw/out

Compatible with pytest 6.0 and Python 3.9 (bullseye).
"""
import os

import pytest

from tests.guest.lib.host import OUT, tell_host
from tests.guest.lib.leftovers import State
from tests.guest.lib.repeat import pytest_runtest_makereport, pytest_runtest_protocol  # noqa: F401
from tests.guest.lib.time_limit import TimeLimit
from tests.lib import checkers
from tests.lib.kernel_log import KernelLog, LogOfTest, complaints

log_of_test = LogOfTest()


def pytest_configure(config):
    config.addinivalue_line("markers", "time_limit(seconds): for setup, test and teardown together")
    config.addinivalue_line("markers", "virtual_time: exact figures, on QEMU's virtual clock")
    config.addinivalue_line("markers", "real_time: figures that the host's load changes, so not in make check either")
    config.addinivalue_line("markers", "facts: asserts no figure, so nothing is outvoted, nor skipped where "
                            "the kernel is too slow for figures")
    config.addinivalue_line("markers", "upstream: needs no more than what the kernel's tree would have")
    config.addinivalue_line("markers", "programs: what programs do, and not how soon")
    config.addinivalue_line("markers", "tracers: with bpftrace, perf and trace-cmd, on one kernel")
    config.addinivalue_line("markers", "observe: what users see, and can change")
    config.addinivalue_line("markers", "long: minutes of it, so not in make check")
    config.addinivalue_line("markers", "in_full: takes long, and faster tests mostly cover it, so not in make check")
    config.addinivalue_line("markers", "numa: needs two nodes of a CPU each, for it alone")
    config.addinivalue_line("markers", "many_cpus: needs sixteen CPUs, which take turns")
    config.addinivalue_line("markers", "checkers: needs the kernel's own checkers, or its fault injection")
    config.addinivalue_line("markers", "last: looks back, or changes the kernel for good")
    config.addinivalue_line("markers", "expect_dm_error(regex): a device-mapper error to ignore")


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: item.get_closest_marker("last") is not None)


def pytest_runtestloop(session):
    if session.config.option.collectonly:
        return
    if "LW_GUEST" not in os.environ:
        pytest.exit("these tests load modules: they run in a guest only, see tests/vm/README.md",
                    returncode=2)
    TimeLimit.watchdog.start()


def pytest_runtest_logstart(nodeid):
    log_of_test.begin(nodeid)


def pytest_runtest_logreport(report):
    outcome, text = report.outcome, report.longreprtext
    if report.skipped and isinstance(report.longrepr, tuple):
        text = report.longrepr[2]
    if hasattr(report, "wasxfail"):
        text = "expected failure: %s" % report.wasxfail
    if report.failed:
        log_of_test.failed = True
        text += "".join("\n--- %s ---\n%s" % section for section in report.sections)
    tell_host(id=report.nodeid, when=report.when, outcome=outcome, text=text,
              duration=report.duration, outvoted=getattr(report, "outvoted", ""))


def pytest_runtest_logfinish():
    log_of_test.end(OUT)


def pytest_collectreport(report):
    if report.failed:
        tell_host(id=report.nodeid, when="collect", outcome="failed", text=report.longreprtext,
                  duration=0)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_setup(item):
    item.lw_limit = TimeLimit(item)
    with item.lw_limit.applies():
        yield


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item):
    with item.lw_limit.applies():
        yield


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_teardown(item):
    item.lw_limit.leave_time_to_clean_up()
    with item.lw_limit.applies():
        yield


@pytest.fixture(scope="session")
def kernel_log():
    checkers.start()
    return KernelLog()


@pytest.fixture(autouse=True)
def clean_kernel(request, kernel_log):
    """Set up first and torn down last: sees what the test's own clean-up leaves and logs."""
    before = State()
    yield
    faults = before.clean_up()
    expected = [marker.args[0] for marker in request.node.iter_markers("expect_dm_error")]
    faults += ["kernel log: " + line for line in complaints(kernel_log.new_records(), expected)]
    if faults:
        pytest.fail("after the test:\n" + "\n".join(faults), pytrace=False)
