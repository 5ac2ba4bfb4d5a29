"""The median of three for tests that measure: a failed one is made twice more, and must hold both times.

Only what such a test asserts is repeated. A lost I/O, a command that fails, a time limit, a line
in the kernel log or something left behind fails the test at once, however often it would pass.
So does an assertion of a test that is marked facts, too: it has the clock for its speed, or for a
neighbour's figures, and measures nothing itself. What is wrong once in three times is wrong.

Where LW_UNJUDGED is set, such an assertion counts as skipped: the kernel checks itself, and is too
slow for figures. The rest of the test is judged as ever.

The hooks are for a conftest.py to import. What was outvoted stands in the last report, to be told.
"""

import os

import pytest
from _pytest.runner import runtestprotocol

MEASURE = "virtual_time", "numa", "real_time"   # marks
FACTS = "facts"                         # a mark, too: none of these is a figure
MORE = 2
UNJUDGED = "LW_UNJUDGED" in os.environ


def measures(item):
    return not item.get_closest_marker(FACTS) and any(item.get_closest_marker(mark) for mark in MEASURE)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    report.is_assertion = call.when == "call" and report.failed and \
        call.excinfo.errisinstance(AssertionError)


def may_be_chance(reports):
    return [report.is_assertion for report in reports if report.failed] == [True]


def text_of(reports):
    return "\n".join(report.longreprtext + "".join("\n%s" % text for _, text in report.sections)
                     for report in reports if report.failed)


def attempts(item, nextitem):
    """The reports of each attempt; more than one if the first failed by what it measured."""
    first = runtestprotocol(item, log=False, nextitem=nextitem)
    yield first
    if measures(item) and may_be_chance(first) and not UNJUDGED:
        for _ in range(MORE):
            yield runtestprotocol(item, log=False, nextitem=nextitem)


def verdict(first, others):
    """Whose reports count: a failure that no chance explains, else the median."""
    failed = [reports for reports in others if any(report.failed for report in reports)]
    serious = [reports for reports in failed if not may_be_chance(reports)]
    if serious:
        return serious[0]
    if failed or not others:
        return first
    others[-1][-1].outvoted = text_of(first)
    return others[-1]


def unjudged(reports):
    """The same with the failed assertion as a skip."""
    for report in reports:
        if report.failed:
            said = report.longrepr.reprcrash
            report.outcome = "skipped"
            report.longrepr = (said.path, said.lineno, "measured in a kernel that is too slow for it: "
                               + said.message.split("\n")[0])
    return reports


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    first, *others = attempts(item, nextitem)
    if UNJUDGED and measures(item) and may_be_chance(first):
        first = unjudged(first)
    for report in verdict(first, others):
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True
