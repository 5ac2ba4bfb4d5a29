"""No test leaves its multipathd to the next one, however it fails; a process that sleeps stands for it."""
import subprocess

import pytest

from tests.lib import multipathd
from tests.lib.command import CommandError


@pytest.fixture
def started(tmp_path, monkeypatch):
    """What running() starts: a list, with the daemon once it is there."""
    def start(daemon):
        daemon.process = subprocess.Popen(["sleep", "600"])
        found.append(daemon)

    found = []
    monkeypatch.setattr(multipathd, "DROP_IN", str(tmp_path / "conf.d/drop-in"))
    monkeypatch.setattr(multipathd, "MAIN_CONFIG", str(tmp_path / "main"))
    monkeypatch.setattr(multipathd.Multipathd, "start", start)
    yield found
    for daemon in found:
        daemon.process.kill()
        daemon.process.wait()


def refuse(*_words):
    raise CommandError(["multipathd"], 1, "timeout", "")


def assert_nothing_is_left(started, tmp_path):
    assert started[0].process.poll() is not None
    assert [file for file in tmp_path.rglob("*") if file.is_file()] == []


def test_that_does_not_answer(started, tmp_path, monkeypatch):
    monkeypatch.setattr(multipathd.Multipathd, "ask", refuse)
    with pytest.raises(CommandError), multipathd.running():
        assert (tmp_path / "main").exists()
    assert_nothing_is_left(started, tmp_path)


def test_that_does_not_start_well(started, tmp_path, monkeypatch):
    start = multipathd.Multipathd.start

    def too_late(daemon):
        start(daemon)
        raise TimeoutError("not within 60 s")

    monkeypatch.setattr(multipathd.Multipathd, "start", too_late)
    with pytest.raises(TimeoutError), multipathd.running():
        pass
    assert_nothing_is_left(started, tmp_path)
