"""Guests run beside tests of the host that stop the clock, and end with the session; none is booted."""
import os
import signal
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.lib import stages
from tests.lib.command import wait_until
from tests.vm.guest_runs import REAL, WITHIN, GuestRuns, TooLate, boot
from tests.vm.progress import CommandFailed

TRIXIE, SID = (REAL, "trixie"), (REAL, "sid")
PATIENCE = 120      # seconds; a hundred times what anything here takes


def go_on_when_told(_kind, _kernel, tests, _patience):
    """In place of a guest; the test's name is a file's."""
    file = Path(tests[0])
    file.write_text(str(os.getpid()))
    wait_until(lambda: not file.exists(), "it shall go on", PATIENCE)
    return "done"


def fail(_kind, kernel, _tests, _patience):
    raise CommandFailed(f"no tree of {kernel}")


def item(guest, name):
    return SimpleNamespace(callspec=SimpleNamespace(params={"guest": guest, "test": SimpleNamespace(id=name)}))


@pytest.fixture
def begun(tmp_path):
    sessions = []

    def begin(job, *guests):
        runs = GuestRuns([item(guest, str(tmp_path / guest[1])) for guest in guests], job)
        sessions.append(runs)
        runs.begin()
        return runs
    yield begin
    for runs in sessions:
        runs.end()


def test_clock_that_stands_still_for_a_while(begun, tmp_path, monkeypatch):
    runs = begun(go_on_when_told, TRIXIE, SID)
    files = [tmp_path / name for _, name in (TRIXIE, SID)]
    wait_until(lambda: all(file.exists() and file.read_text() for file in files), "both run", PATIENCE)
    with monkeypatch.context() as patch:
        patch.setattr(time, "monotonic", lambda: 2e9)
        files[0].unlink()
        time.sleep(1)           # for whoever looks at that clock while the first run ends
    files[1].unlink()
    assert [runs.result(key) for key in (TRIXIE, SID)] == ["done"] * 2


def test_error_of_a_guest_is_that_of_its_tests(begun):
    runs = begun(fail, SID)
    for _ in range(2):
        with pytest.raises(CommandFailed, match="no tree of sid"):
            runs.result(SID)


def test_no_guest_begins_too_late(begun, monkeypatch):
    """On a host so slow that CI would end all before the last guest does."""
    monkeypatch.setenv(WITHIN, "100")
    monkeypatch.setenv(stages.STARTED, str(time.time() - 101))
    runs = begun(boot, SID)
    with pytest.raises(TooLate, match=r"10\d s had passed, LW_BEGIN_WITHIN is 100"):
        runs.result(SID)


def test_nobody_waits_for_a_process_that_is_gone(begun, tmp_path):
    runs = begun(go_on_when_told, SID)
    wait_until((tmp_path / "sid").exists, "it runs", PATIENCE)
    os.kill(runs.server.pid, signal.SIGTERM)        # SIGKILL would leave its semaphores
    for _ in range(2):
        with pytest.raises(CommandFailed, match=r"ended before the tests \(status 0\)"):
            runs.result(SID)


def test_what_still_runs_ends_with_the_session(begun, tmp_path):
    runs = begun(go_on_when_told, SID)
    file = tmp_path / "sid"
    wait_until(lambda: file.exists() and file.read_text(), "it runs", PATIENCE)
    runs.end()
    wait_until(lambda: not Path("/proc", file.read_text()).exists(), "it has ended", PATIENCE)
