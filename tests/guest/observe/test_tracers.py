"""The tracepoints as people use them: the scripts for bpftrace, and the commands of docs/tracing.md."""
# promise output/tracers: bpftrace, perf and trace-cmd read the tracepoints as documented | check: 6.12 | full:
#   `guests-trixie`

import contextlib
import os
import re
import signal
import subprocess
import threading
from pathlib import Path

import pytest

from tests.guest.lib import tracefs
from tests.lib.command import limit, read_text, sh
from tests.lib.disks import path_disks
from tests.lib.multipath import Multipath
from tests.lib.scenario import SELECTOR, Load

pytestmark = [
    pytest.mark.tracers,
    pytest.mark.observe,
]

DOCS = Path(__file__).parents[3] / "docs"
COMMANDS = re.findall(r"^    ((?:perf|trace-cmd) .*)$", (DOCS / "tracing.md").read_text(), re.MULTILINE)
SLOW_US = 100000


@pytest.fixture
def paths():
    """Of a map under load: the fast one, the slow one, which is probed often, and the map."""
    tracefs.mount()
    with path_disks(2) as (fast, slow):
        # before udev reads the map, by which the slow one would be known as fast
        fast.set(delay_us=5000)
        slow.set(delay_us=SLOW_US)
        with Multipath([fast, slow], SELECTOR, selector_args=("probe_max_ms", 200)) as mapped, Load(mapped) as load:
            load.warm_up(fast, slow, ios=1)
            yield fast, slow, mapped


class Script:
    """A script for bpftrace at work; leaving it interrupts it, as ctrl-C does."""

    def __init__(self, name):
        self.process = subprocess.Popen([str(DOCS / "examples" / name)], text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.lines = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        rest, _ = self.process.communicate(timeout=limit(60))
        self.lines += rest.splitlines()
        assert self.process.returncode == 0, "\n".join(self.lines)

    def line(self, wanted):
        """The match of the next line that has this."""
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))
            if re.search(wanted, line):
                return re.search(wanted, line)
        raise AssertionError("no line has %s:\n%s" % (wanted, "\n".join(self.lines)))


def key(path):
    """Of a map in bpftrace: the path's major and minor number."""
    return re.escape("[%s" % path.number.replace(":", ", "))


def test_window_script(paths):
    fast, slow, _ = paths
    with Script("window.bt") as script:
        script.line(r"^\d\d:\d\d:\d\d$")
        measured = script.line(r"^@latency_us%s\]: (\d+)$" % key(slow))
        assert int(measured.group(1)) > 0.97 * SLOW_US
        assert int(script.line(r"^@ios%s\]: (\d+)$" % key(fast)).group(1)) > 0


def test_choose_script(paths):
    fast, *_ = paths
    with Script("choose.bt") as script:
        assert int(script.line(r"^@chosen%s, cost\]: (\d+)$" % key(fast)).group(1)) > 0
    end = "\n".join(script.lines)
    assert re.search(r"^@bytes%s\]: *\n\[4K, 8K\) +\d+ \|@" % key(fast), end, re.MULTILINE), end
    assert "@why" not in end


@contextlib.contextmanager
def flapping(mapped, path):
    """The path fails and comes back, again and again, within."""
    stop = threading.Event()

    def flap():
        while not stop.wait(0.1):
            mapped.fail_path(path)
            mapped.reinstate_path(path)

    thread = threading.Thread(target=flap)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def test_state_script(paths):
    """More than once, for it says that it attaches before it does."""
    _, slow, mapped = paths
    number = read_text("/sys/block/%s/dev" % os.path.basename(mapped.path))
    with Script("state.bt") as script, flapping(mapped, slow):
        script.line(r"^\d\d:\d\d:\d\d map %s path %s: \w+ -> failed$" % (number, slow.number))


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: "-".join(command.split()[:2]))
def test_command(paths, command, tmp_path):
    """In a directory of its own, for what it records; two seconds are enough."""
    shortened = command.replace("sleep 10", "sleep 2")
    done = tmp_path / "printed"
    sh("sh", "-c", "cd %s && (%s) >printed 2>&1" % (tmp_path, shortened), timeout=90)
    events = [line for line in done.read_text().splitlines() if re.search(r"\blw_\w+\b", line)]
    assert events, done.read_text()
    if "--filter" in command:
        assert all("reason=probe" in line for line in events)


def test_there_are_commands():
    assert {command.split()[0] for command in COMMANDS} == {"perf", "trace-cmd"}
