"""Each test misbehaves in one way; test_runner.py says what must become of it."""
import os
import signal
import subprocess
import time

import pytest

from tests.lib.command import sh


def sysrq(key):
    with open("/proc/sysrq-trigger", "w") as trigger:
        trigger.write(key)


def test_passes():
    assert os.environ["LW_GUEST"] == "1"


def test_fails():
    assert 1 + 1 == 3


def test_skips():
    pytest.skip("for a reason of its own")


def test_warns():
    """A real warning, with its call trace, in a test which is content itself."""
    sh("modprobe", "lw_meta_warn")


def test_provokes_dm_error():
    refused_table()


@pytest.mark.expect_dm_error("No arguments required|error adding target")
def test_expects_dm_error():
    refused_table()


def refused_table():
    done = subprocess.run(["dmsetup", "create", "lwmeta", "--table", "0 8 zero argument"],
                          stderr=subprocess.DEVNULL)
    assert done.returncode != 0


def test_leaves_map():
    sh("dmsetup", "create", "lwmeta", "--table", "0 8 zero")


@pytest.mark.time_limit(2)
def test_takes_too_long():
    time.sleep(60)


def test_passes_after_all_that():
    pass


def test_passes_after_a_death():
    pass


def has_run(so_often, counts={}):
    """How often the test has begun, with this time."""
    counts[so_often] = counts.get(so_often, 0) + 1
    return counts[so_often]


@pytest.mark.virtual_time
def test_measures_badly_once():
    assert has_run("once") != 1


@pytest.mark.virtual_time
def test_measures_badly_twice():
    assert has_run("twice") == 2


@pytest.mark.virtual_time
def test_loses_an_io_once():
    """No measurement: it must not be repeated."""
    if has_run("loses") == 1:
        sh("false")


@pytest.mark.virtual_time
def test_warns_when_repeated():
    attempt = has_run("warns")
    if attempt == 2:
        sh("modprobe", "lw_meta_warn")
    assert attempt > 1


@pytest.mark.virtual_time
@pytest.mark.facts
def test_states_what_is_wrong_once():
    """On the same clock, but no measurement either: once is enough."""
    assert has_run("states") != 1


def test_is_no_measurement():
    assert has_run("none") != 1


@pytest.fixture
def first_guest(request):
    """A second one is only asked for what is unfinished."""
    return any(item.name == "test_passes" for item in request.session.items)


def test_panics_in_the_first_guest(first_guest):
    if first_guest:
        sysrq("c")


def test_oopses_in_the_first_guest(first_guest):
    if first_guest:
        sh("modprobe", "lw_meta_bug", "bug=oops")


@pytest.mark.time_limit(15)
def test_hangs():
    """The time limit is no help, as the whole process stops, but the watchdog is."""
    os.kill(os.getpid(), signal.SIGSTOP)


@pytest.mark.time_limit(15)     # its set-up may take a while on a busy host
def test_takes_too_long_and_then_all_stops(request):
    """The time limit is noticed; what cleans up after it stops all processes, and the watchdog."""
    def stop_all():
        os.kill(-1, signal.SIGSTOP)
        os.kill(os.getpid(), signal.SIGSTOP)
    request.addfinalizer(stop_all)
    time.sleep(60)
