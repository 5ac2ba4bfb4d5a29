"""What dm-lw enable and disable rest on: waiting, signals, locks; and the trial table."""
# promise output/dm-lw-enable: `dm-lw enable` and `disable` put everything back after any failure or ctrl-C, within
#   their time; they name the setting that wins | check: yes; half of the guest tests | full: `guests-*`

import argparse
import contextlib
import errno
import io
import os
import resource
import signal
import sys
import time

import pytest
from dm_lw import disable, enable, signals, switching, trial
from dm_lw.dropin import DropIn
from dm_lw.errors import Interrupted, LwError
from dm_lw.host import search_path
from dm_lw.live_tables import Table
from dm_lw.patience import Patience
from dm_lw.scope import AllMaps
from dm_lw.sysfs import Sysfs

from .fake_host import OTHER, RUNNING, FakeHost

TRIAL = "0 8 multipath 2 queue_mode bio 0 1 1 latency-weighted 0 1 1 253:9 1"


@pytest.fixture
def host(tmp_path):
    host = FakeHost(tmp_path)
    host.make("run")
    host.answer("multipathd show daemon", "pid 12 idle\n")
    host.patience = Patience(600)
    return host


@pytest.fixture
def clock(monkeypatch):
    """Time goes by sleeping only."""
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(time, "sleep", lambda seconds: now.__setitem__(0, now[0] + seconds))
    return now


def test_settle_waits_until_all_is_well(host, clock):
    faults = [["b", "a"], ["a"], []]
    host.patience = Patience(60)
    switching.settle(host, lambda: faults.pop(0))
    assert clock[0] - 1000 == 2 * switching.POLL


def test_settle_gives_up_when_multipathd_rests(host, clock):
    host.patience = Patience(600)
    with pytest.raises(LwError, match="^mpatha uses that; mpathb too$"):
        switching.settle(host, lambda: ["mpatha uses that", "mpathb too"])
    assert switching.REST <= clock[0] - 1000 <= switching.REST + 2 * switching.POLL


@pytest.mark.parametrize("state", ["pid 12 configure\n", "pid 12 idle (pending reconfigure)\n",
                                   "fail\n"])
def test_settle_waits_as_long_as_multipathd_works(host, clock, state):
    host.answer("multipathd show daemon", state)
    host.patience = Patience(60, back=0)
    with pytest.raises(LwError):
        switching.settle(host, lambda: ["not yet"])
    assert 60 <= clock[0] - 1000 <= 60 + switching.POLL


def test_signal_interrupts_once():
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(Interrupted) as interrupted:
        with signals.interruptible():
            try:
                signal.raise_signal(signal.SIGTERM)
            finally:
                signal.raise_signal(signal.SIGTERM)     # during the clean-up: ignored
                signal.raise_signal(signal.SIGINT)
    assert (str(interrupted.value), interrupted.value.status) == ("interrupted by SIGTERM", 143)
    assert signal.getsignal(signal.SIGTERM) == before


def test_signal_that_is_ignored_stays_ignored():
    """As nohup has it."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with signals.interruptible():
            signal.raise_signal(signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_signal_ends_the_wait_for_multipathd(host, clock, monkeypatch):
    """Also while multipathd is asked, whose complaints are only something to wait for."""
    def ask(*_words):
        signal.raise_signal(signal.SIGINT)
        raise AssertionError("the signal was lost")
    host.patience = Patience(60)
    monkeypatch.setattr(switching.multipathd, "ask", ask)
    with pytest.raises(Interrupted), signals.interruptible():
        switching.settle(host, lambda: ["not yet"])


def test_no_request_while_multipathd_reconfigures(host, clock, monkeypatch):
    """Up to 0.8 it would be forgotten."""
    states = ["configure", "configure", "idle"]
    asked = []

    def ask(_host, *words):
        asked.append(" ".join(words))
        if words == ("reconfigure",):
            return "ok\n"
        return "pid 12 %s\n" % (states.pop(0) if len(states) > 1 else states[0])
    monkeypatch.setattr(switching.multipathd, "ask", ask)
    host.patience = Patience(60)
    switching.ask_to_reconfigure(host)
    assert (asked[-1], states) == ("reconfigure", ["idle"])


@pytest.mark.parametrize("needed", [1, 2, 3])
def test_request_that_is_forgotten_is_repeated(host, clock, monkeypatch, needed):
    """Once: up to 0.8 it is forgotten while udev does not know a new map."""
    asked = []
    monkeypatch.setattr(switching.multipathd, "ask",
                        lambda _host, *words: asked.append(words) or "pid 12 idle\n")

    def faults():
        return ["not yet"] if asked.count(("reconfigure",)) < needed else []
    host.patience = Patience(60)
    with pytest.raises(LwError, match="not yet") if needed > 2 else contextlib.nullcontext():
        switching.reconfigure(host, faults)
    assert asked.count(("reconfigure",)) == min(needed, 2)
    assert clock[0] - 1000 < 2 * switching.REST


def test_name_with_blocked_in_it_is_no_refusal(host):
    host.answer("multipathd show config", 'multipaths {\n\talias "sanblocked01"\n}\n')
    assert "sanblocked01" in switching.multipathd.ask(host, "show", "config")
    host.answer("multipathd reconfigure", "blocked\n")
    with pytest.raises(LwError, match="does not reconfigure: blocked"):
        switching.multipathd.ask(host, "reconfigure")


def test_programs_are_not_sought_in_the_current_directory(monkeypatch):
    for path in ("", ":/x:", None):
        monkeypatch.delenv("PATH") if path is None else monkeypatch.setenv("PATH", path)
        assert "" not in search_path().split(":")


def test_other_kernels_need_signed_modules_where_unsigned_ones_are_refused(host):
    host.add_kernel(RUNNING, signer="us")
    host.add_kernel(OTHER)
    assert enable.unsigned(host, {}) == []
    host.write("sys/kernel/security/lockdown", "none [integrity] confidentiality\n")
    (warning,) = enable.unsigned(host, {})
    assert warning.startswith(OTHER + " has an unsigned module, and the kernel is locked down")
    assert enable.unsigned(host, {OTHER: "has none"}) == []


def test_undivided_work_is_ended_first():
    done = []
    with pytest.raises(Interrupted):
        with signals.interruptible(), signals.undivided():
            signal.raise_signal(signal.SIGINT)  # for this thread, pytest may have others
            done.append("all of it")
    assert done == ["all of it"]


def test_only_one(host):
    with switching.only_one(host):
        with pytest.raises(LwError, match="another dm-lw"):
            with switching.only_one(host):
                pass
    with switching.only_one(host):
        pass


def test_nobody_but_root_may_hold_the_lock(host):
    """Also a file of an earlier version, for all to read, becomes root's; a link is not followed."""
    file = host.path(switching.LOCK)
    for _ in range(2):
        with switching.only_one(host):
            assert os.stat(file).st_mode & 0o777 == 0o600
        os.chmod(file, 0o644)
    os.unlink(file)
    os.symlink(host.path("run/other"), file)
    with pytest.raises(LwError, match="dm-lw.lock: "):
        with switching.only_one(host):
            pass
    assert not host.exists("run/other")


def test_copy_of_sys_changes_nothing_here(host, tmp_path):
    """Another host's dm-7 is not this one's."""
    host.sysfs = Sysfs(str(tmp_path / "copy"))
    with pytest.raises(LwError, match="--sysfs is for looking"):
        with switching.only_one(host):
            pass


def test_maps_are_open_within(host):
    host.write("dev/dm-0", "")
    with switching.held_open(host, [Table("mpatha", dm="dm-0")]):
        held = [os.readlink("/proc/self/fd/" + name) for name in os.listdir("/proc/self/fd")
                if os.path.exists("/proc/self/fd/" + name)]
        assert host.path("dev/dm-0") in held
    with pytest.raises(LwError, match="mpathb cannot be opened: No such file"):
        with switching.held_open(host, [Table("mpathb", dm="dm-1")]):
            pass


def test_more_maps_than_files_may_be_open(host):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 300:
        pytest.skip("no more than %d files may be open here" % hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (128, hard))
    try:
        names = ["dm-%d" % number for number in range(200)]
        for name in names:
            host.write("dev/" + name, "")
        with switching.held_open(host, [Table(name, dm=name) for name in names]):
            pass
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


class TrialHost(FakeHost):
    """Remembers what was asked of dmsetup."""

    def __init__(self, root):
        super().__init__(root)
        self.asked = []
        self.answer("dmsetup")
        self.answer("dmsetup info", status=1)
        self.answer("dmsetup info --columns", "253:9\n")
        self.answer("dmsetup table --inactive", TRIAL + "\n")

    def run(self, *argv, timeout=None):
        names = [word for word in argv if word.startswith("dm-lw")]
        self.asked.append(" ".join([argv[1]] + names))
        return super().run(*argv, timeout=timeout)


def test_trial(tmp_path):
    host = TrialHost(tmp_path)
    trial.load_trial_table(host)
    assert [each for each in host.asked if not each.startswith("info")] == [
        "create dm-lw-trial-path", "load dm-lw-trial-path", "create dm-lw-trial",
        "load dm-lw-trial", "table dm-lw-trial"]


def test_trial_refused(tmp_path):
    host = TrialHost(tmp_path)
    host.answer("dmsetup load dm-lw-trial", status=1,
                err="device-mapper: reload ioctl on dm-lw-trial  failed: Invalid argument\n"
                    "Command failed.\n")
    host.answer("dmsetup info dm-lw-trial")
    with pytest.raises(LwError, match="refuses a test table .*Invalid argument.*dmesg"):
        trial.load_trial_table(host)
    assert host.asked[-3:] == ["info dm-lw-trial", "remove dm-lw-trial", "info dm-lw-trial-path"]


def test_trial_taken_as_something_else(tmp_path):
    host = TrialHost(tmp_path)
    host.answer("dmsetup table --inactive", TRIAL.replace("latency-weighted", "round-robin"))
    with pytest.raises(LwError, match="something else"):
        trial.load_trial_table(host)


def test_disable_goes_on_when_nobody_hears_it(host, monkeypatch):
    """A terminal that hung up: the drop-in is gone by then, so multipathd is to know."""
    class HungUp(io.StringIO):
        def write(self, _text):
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    asked = []
    drop_in = DropIn(host, "etc/multipath/conf.d")
    drop_in.write(AllMaps())
    host.answer("dmsetup")
    host.set_tables()
    monkeypatch.setattr(disable, "take_effect", lambda *_: asked.append(drop_in.text()))
    monkeypatch.setattr(sys, "stdout", HungUp())
    disable.disable(host, drop_in, True, argparse.Namespace(
        map=None, wwid=None, device=None, force=False, dry_run=False, timeout=1))
    assert asked == [None]
