"""The units of contrib/, started by systemd: what they may do is enough for what they are for."""
# promise output/services

import glob
import json
import os
import re
import shutil
import signal
import stat

import pytest

from tests.guest.lib import systemd
from tests.guest.lib.reports import SLOW_US, known_paths
from tests.lib.command import CHECKOUT, CommandError, load_module, read_text, sh, unload_module, wait_until
from tests.lib.disks import path_disks
from tests.lib.dm_lw import dm_lw
from tests.lib.multipath import Multipath
from tests.lib.scenario import SELECTOR, SELECTOR_MODULE

pytestmark = [
    pytest.mark.programs, pytest.mark.observe, pytest.mark.time_limit(240),
    pytest.mark.skipif(not systemd.is_there(), reason="the packages of this suite's tree brought no systemd"),
]

METRICS, TIMER, RECORDER = "dm-lw-prometheus.service", "dm-lw-prometheus.timer", "dm-lw-record.service"
DIRECTORY = "/var/lib/prometheus/node-exporter"
FILE = DIRECTORY + "/dm_lw.prom"
LOGS = "/var/log/private/dm-latency-weighted"
RECORDING = LOGS + "/recording"


def soon(condition, what):
    """Within a minute and two intervals."""
    wait_until(condition, what, timeout=100, interval=0.5)


@pytest.fixture(scope="module")
def installed():
    sh("make", "-C", CHECKOUT, "tools-install")
    yield
    sh("make", "-C", CHECKOUT, "tools-uninstall")


@pytest.fixture
def manager(installed):
    os.makedirs(DIRECTORY)
    try:
        with systemd.systemd(sorted(glob.glob(CHECKOUT + "/contrib/dm-lw-*"))) as found:
            yield found
    finally:
        for directory in (os.path.dirname(DIRECTORY), LOGS):
            shutil.rmtree(directory, ignore_errors=True)


@pytest.fixture
def mapped():
    with path_disks(2) as paths, Multipath(paths, SELECTOR, name="lwsvc") as found:
        yield found


def end_of(manager, unit):
    """How its program ended, as systemd sees it."""
    return manager.shows(unit, "Result"), int(manager.shows(unit, "ExecMainStatus"))


def written(file):
    return os.stat(file).st_mtime_ns if os.path.exists(file) else 0


def test_metrics(manager, mapped):
    manager.ctl("start", METRICS)
    assert end_of(manager, METRICS) == ("success", 0)
    assert stat.S_IMODE(os.stat(FILE).st_mode) == 0o644
    assert set(re.findall(r'^dm_lw_path_latency_seconds\{.*device="lwsvc".*path="(\w+)".*\}', read_text(FILE), re.M)) \
        == {path.name for path in mapped.paths}


@pytest.mark.in_full
def test_metrics_twice_a_minute(manager):
    load_module(SELECTOR_MODULE)
    manager.ctl("start", TIMER)
    for _ in range(3):
        before = written(FILE)
        soon(lambda: written(FILE) > before, "the timer starts the service")
    unload_module(SELECTOR_MODULE)
    soon(lambda: "dm_lw_module_loaded 0" in read_text(FILE), "the module is missed")
    # It ends a moment after it has written; until then its status is 0.
    soon(lambda: manager.shows(METRICS, "ActiveState") != "activating", "the service has ended")
    assert end_of(manager, METRICS) == ("success", 3)
    assert manager.shows(TIMER, "ActiveState") == "active"


@pytest.mark.in_full
def test_metrics_that_cannot_be_written_fail(manager):
    os.rmdir(DIRECTORY)
    with pytest.raises(CommandError):
        manager.ctl("start", METRICS)
    assert manager.shows(METRICS, "ActiveState") == "failed"


def samples():
    return [json.loads(line) for line in dm_lw("report", "-j", RECORDING).success().splitlines()]


@pytest.mark.in_full
def test_recorder(manager):
    """From before the module is loaded, over a kill, to its end; with what the kernel log says of a slow path."""
    manager.ctl("start", RECORDER)
    soon(lambda: os.path.exists(RECORDING), "the recorder begins")
    with known_paths("lwsvc") as (_, paths, load, reports):
        paths[1].set(delay_us=SLOW_US)
        reports.wait(load, 1)
        soon(lambda: '"events":' in read_text(RECORDING), "the report is recorded")
        last = samples()[-1]["maps"][0]
        assert last["map"] == "lwsvc"
        assert {path["device"] for path in last["paths"]} == {path.number for path in paths}
    for path, mode in ((LOGS, 0o750), (RECORDING, 0o640)):
        assert os.stat(path).st_uid != 0 and stat.S_IMODE(os.stat(path).st_mode) == mode

    os.kill(manager.main_pid(RECORDER), signal.SIGKILL)
    soon(lambda: manager.shows(RECORDER, "NRestarts") == "1" and manager.shows(RECORDER, "ActiveState") == "active",
         "the recorder is started again")
    before = written(RECORDING)
    soon(lambda: written(RECORDING) > before, "the recording goes on")
    manager.ctl("stop", RECORDER)
    assert end_of(manager, RECORDER)[0] == "success"
