"""A map's table exchanged and put back; and the process that does it if dm-lw cannot."""
# promise output/dm-lw-bench

import copy
import os
import signal
import time

import pytest

from dm_lw import live_tables, signals
from dm_lw.bench import guardian
from dm_lw.bench.borrowed import AS_BEFORE, Borrowed, Taken
from dm_lw.errors import Interrupted, LwError

from .fake_map import DM, FOUND, NAME, device, host  # noqa: F401 (a fixture)

TRIED = ["service-time", "round-robin", "latency-weighted"]
RR = FOUND.replace("service-time 0 2 2 8:0 1 1 8:16 1 1", "round-robin 0 2 1 8:0 1 8:16 1").replace(
    "service-time 0 1 2 8:32 1 1", "round-robin 0 1 1 8:32 1")


@pytest.fixture
def borrowed(host):  # noqa: F811
    return Borrowed(device(host), DM, TRIED)


@pytest.mark.parametrize("text", [
    FOUND, RR,
    "0 8 multipath 0 0 1 1 round-robin 0 1 1 8:0 1",
    "0 8 multipath 2 queue_mode bio 0 1 1 latency-weighted 2 window_ms 50 2 1 8:0 1 8:16 1",
    "0 8 multipath 3 pg_init_retries 50 queue_if_no_path 1 rdac 1 1"
    " historical-service-time 2 2 50 1 1 8:0 1",
    "0 8 multipath 1 queue_if_no_path 0 0 0",
])
def test_text_of_a_table_is_what_was_read(text):
    assert live_tables.parse(text).text() == text


def test_another_selector(borrowed, host):  # noqa: F811
    borrowed.use("round-robin")
    assert host.live == RR
    borrowed.use("latency-weighted", ("window_ms", "50"))
    assert host.live == RR.replace("round-robin 0", "latency-weighted 2 window_ms 50")
    borrowed.use_its_own()
    assert host.live == FOUND


def test_given_back(borrowed, host):  # noqa: F811
    borrowed.use("round-robin")
    assert borrowed.give_back() == AS_BEFORE
    assert host.live == FOUND
    done = list(host.trace)
    assert borrowed.give_back() == AS_BEFORE and host.trace == done


def test_given_back_by_who_knows_the_beginning_only(borrowed, host):  # noqa: F811
    guardians = copy.deepcopy(borrowed)
    guardians.device.host = host
    borrowed.use("round-robin")
    borrowed.use("latency-weighted")
    assert guardians.give_back() == AS_BEFORE
    assert host.live == FOUND


def test_killed_between_load_and_resume(borrowed, host):  # noqa: F811
    host.inactive = RR
    assert borrowed.give_back() == AS_BEFORE
    assert (host.live, host.inactive) == (FOUND, "")


OTHERS = FOUND.replace("8:32", "8:48"), FOUND.replace("service-time", "queue-length")


@pytest.mark.parametrize("theirs", OTHERS)
def test_table_of_somebody_else(borrowed, host, theirs):  # noqa: F811
    borrowed.use("round-robin")
    host.live = theirs
    with pytest.raises(Taken, match="mpatha: somebody else .* left as it is"):
        borrowed.check()
    assert "somebody else" in borrowed.give_back()
    assert host.live == theirs


def test_somebody_else_wants_what_we_try(borrowed, host):  # noqa: F811
    borrowed.use("round-robin")
    host.live = RR.replace("round-robin", "latency-weighted")
    with pytest.raises(Taken):
        borrowed.use_its_own()
    borrowed.give_back()
    assert "latency-weighted" in host.live


def test_what_changes_by_messages(borrowed, host):  # noqa: F811
    """multipathd stops queueing, the kernel goes to another group: no table of somebody else."""
    borrowed.use("round-robin")
    host.live = host.live.replace("1 queue_if_no_path 1 alua 2 1", "0 1 alua 2 2")
    borrowed.check()
    borrowed.use("latency-weighted")
    assert host.live == RR.replace("1 queue_if_no_path", "0").replace("round-robin",
                                                                      "latency-weighted")
    assert borrowed.give_back() == AS_BEFORE
    assert host.live == FOUND.replace("1 queue_if_no_path", "0")


def test_resume_fails(borrowed, host):  # noqa: F811
    def fail():
        raise LwError("no")
    host.on_resume = fail
    with pytest.raises(LwError, match="no"):
        borrowed.use("round-robin")
    assert (host.live, host.inactive) == (FOUND, "")


def test_kernel_makes_something_else_of_it(borrowed, host):  # noqa: F811
    def change():
        host.inactive = host.inactive.replace("8:32", "8:48")
    host.on_resume = change
    with pytest.raises(LwError, match="something else"):
        borrowed.use("round-robin")


def test_tunables(host):  # noqa: F811
    """They go with the last table of latency-weighted, and come back with it."""
    host.live = RR.replace("round-robin", "latency-weighted")
    directory = "sys/kernel/dm-latency-weighted/%s" % DM
    set_by_user = {"window_ms": "50", "probe_min_ms": "7000", "probe_max_ms": "9000",
                   "paths/sda/prefer": "1"}
    plain = {"window_ms": "20", "probe_min_ms": "100", "probe_max_ms": "5000",
             "paths/sda/prefer": "0"}

    def say(values):
        for name, value in values.items():
            host.write("%s/%s" % (directory, name), value + "\n")

    say(set_by_user)
    borrowed = Borrowed(device(host), DM, TRIED)
    borrowed.use("round-robin")
    say(plain)
    borrowed.give_back()
    assert {name: host.read("%s/%s" % (directory, name)).strip()
            for name in plain} == set_by_user


@pytest.fixture
def log(tmp_path, monkeypatch):
    """What restore() was called by, a line each; a guardian that does not wait long."""
    monkeypatch.setattr(guardian, "PAUSE", 0.01)
    monkeypatch.setattr(guardian.syslog, "syslog", lambda *_: None)
    file = tmp_path / "log"
    file.write_text("")

    def restore():
        with open(str(file), "a") as opened:
            opened.write("%d\n" % os.getpid())
        return AS_BEFORE

    restore.calls = lambda: file.read_text().split()
    with signals.interruptible():         # which takes back that signals are ignored
        yield restore


def test_guardian_has_nothing_to_do(log):
    with guardian.guarded(NAME, log):
        pass
    assert log.calls() == [str(os.getpid())]


def test_guardian_and_an_error(log):
    with pytest.raises(ValueError), guardian.guarded(NAME, log):
        raise ValueError
    assert log.calls() == [str(os.getpid())]


def test_guardian_and_a_signal_at_the_end(log, signal_at_the_end):
    with pytest.raises(Interrupted), guardian.guarded(NAME, log):
        pass
    assert log.calls() == [str(os.getpid())]


def test_guardian_of_a_process_that_is_killed(log):
    pid = os.fork()
    if not pid:
        with guardian.guarded(NAME, log):
            os.kill(os.getpid(), signal.SIGKILL)
            time.sleep(60)
    os.waitpid(pid, 0)
    wait_for(lambda: log.calls())
    assert str(pid) not in log.calls()


def test_guardian_tries_again(log):
    """dm-lw itself cannot put it back; the guardian can, the third time."""
    pid = os.fork()
    if not pid:
        try:
            with guardian.guarded(NAME, lambda: not_yet(log)):
                pass
        finally:
            os._exit(0)
    os.waitpid(pid, 0)
    wait_for(lambda: len(log.calls()) == 4)


def not_yet(log):
    log()
    if len(log.calls()) < 4:
        raise LwError("not yet")
    return AS_BEFORE


def test_guardian_that_was_killed(log, monkeypatch):
    fork = os.fork
    children = []

    def remembered():
        children.append(fork())
        return children[-1]

    monkeypatch.setattr(os, "fork", remembered)
    with guardian.guarded(NAME, log):
        os.kill(children[0], signal.SIGKILL)
    assert log.calls() == [str(os.getpid())]


def wait_for(condition):
    for _ in range(3000):
        if condition():
            return
        time.sleep(0.01)
    assert condition()
