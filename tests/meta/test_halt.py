"""How the harness stops a guest that asks for it; the guest is a process that sleeps."""
import subprocess
from pathlib import Path

import pytest

from tests.vm import halt


@pytest.fixture
def process():
    with subprocess.Popen(["sleep", "60"]) as sleeps:
        yield sleeps.pid
        sleeps.kill()


def state(pid):
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]


def test_stopped_for_as_long_as_asked(tmp_path, process, monkeypatch):
    seen = []

    def sleep(seconds):
        while state(process) != "T":
            pass
        seen.append(seconds)
    monkeypatch.setattr(halt.time, "sleep", sleep)
    halt.halt_if_asked(tmp_path, process)
    assert not seen
    (tmp_path / halt.ASKED).write_text("1.5\n")
    halt.halt_if_asked(tmp_path, process)
    assert seen == [1.5] and state(process) != "T" and not list(tmp_path.iterdir())
