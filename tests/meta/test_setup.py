"""What tests/setup does when another apt is at work, as just after a boot: with an apt-get that only tells its words."""
import os
import subprocess

import pytest

from tests.lib.command import write_script
from tests.vm.places import CHECKOUT

LOCK = "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 7 (apt-get)"
APT_GET = """#!/bin/sh
echo "$*" >> "$LOG"
[ "$(grep -c . "$LOG")" -gt "$FAILURES" ] || { echo "$ERROR" >&2; exit 100; }
"""
PROGRAMS = {"apt-get": APT_GET, "dpkg-query": "#!/bin/sh\nexit 1\n", "sleep": "#!/bin/sh\n", "id": "#!/bin/sh\necho 0\n"}


@pytest.fixture
def setup(tmp_path):
    """Runs it; apt-get fails so many times with that error."""
    for name, text in PROGRAMS.items():
        write_script(tmp_path / name, text)
    log = tmp_path / "log"

    def run(failures, error, *words):
        environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "LOG": str(log),
                       "FAILURES": str(failures), "ERROR": error}
        done = subprocess.run([CHECKOUT / "tests/setup", *words], env=environment, capture_output=True, text=True, check=False)
        return done, [line.split()[1] for line in log.read_text().splitlines()]

    return run


def test_all_is_free(setup):
    done, asked = setup(0, "")
    assert (done.returncode, done.stderr, asked) == (0, "", ["update", "install"])


def test_the_simulator_alone_needs_few(setup):
    done, _ = setup(0, "", "simulator")
    installed = [line.split()[0] for line in done.stdout.splitlines() if line.startswith("  ")]
    assert installed == ["build-essential", "clang", "debian-archive-keyring", "nlohmann-json3-dev", "python3",
                         "python3-matplotlib", "xz-utils"]


def test_other_words_install_nothing():
    done = subprocess.run([CHECKOUT / "tests/setup", "sim"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", 'tests/setup: "sim" is not simulator\n')


def test_it_waits_for_a_lock(setup):
    done, asked = setup(3, LOCK)
    assert (done.returncode, done.stderr, asked) == (0, "", ["update"] * 4 + ["install"])
    assert done.stdout.count(f"tests/setup: waiting: {LOCK}\n") == 3


def test_it_does_not_wait_for_ever(setup):
    done, asked = setup(1000, LOCK)
    assert (done.returncode, done.stderr, asked) == (100, LOCK + "\n", ["update"] * 151)


def test_other_errors_end_it(setup):
    done, asked = setup(1, "E: Unable to locate package spin")
    assert (done.returncode, done.stderr, asked) == (100, "E: Unable to locate package spin\n", ["update"])
