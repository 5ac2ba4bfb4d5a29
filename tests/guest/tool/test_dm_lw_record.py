"""dm-lw record on live maps, and what dm-lw report makes of it: also after a kill, and without the module."""
# promise output/record, output/bundle

import json
import os
import re
import signal
import tarfile

import pytest

from tests.lib import dm_lw as tool
from tests.lib.command import unload_module, wait_until
from tests.lib.disks import path_disks
from tests.lib.dm_lw import dm_lw
from tests.lib.multipath import Multipath
from tests.lib.scenario import SELECTOR, SELECTOR_MODULE, Load

pytestmark = [pytest.mark.observe, pytest.mark.virtual_time, pytest.mark.time_limit(240)]


@pytest.fixture
def mapped():
    with path_disks(2) as paths:
        for path in paths:
            path.set(delay_us=5000)
        with Multipath(paths, SELECTOR, name="lwrec") as found:
            yield found


def state(mapped, path):
    """What the selector says of the path."""
    (found,) = json.loads(dm_lw("stat", "-j", mapped.name).success())["maps"]
    return next(each["state"] for each in found["paths"] if each["device"] == path.number)


def samples(file):
    return [json.loads(line) for line in dm_lw("report", "-j", file).success().splitlines()]


def path_values(sample, path):
    return next(each for each in sample["maps"][0]["paths"] if each["device"] == path.number)


def last_state(file, path):
    return path_values(samples(file)[-1], path)["state"]


def grows(file, recorder):
    """Until the recorder has written once more."""
    size = os.path.getsize(str(file)) if file.exists() else 0
    wait_until(lambda: recorder.poll() is None and file.exists() and os.path.getsize(str(file)) > size,
               "the recorder writes")


@pytest.mark.facts
def test_a_path_that_turns_slow_and_a_recorder_that_is_killed(mapped, tmp_path):
    file = tmp_path / "recording"
    fast, slow = mapped.paths
    with Load(mapped, iodepth=4) as load:
        load.begin()
        recorder = tool.start("record", file, "0.2")
        grows(file, recorder)
        # At once, but in a kernel that is slow itself.
        wait_until(lambda: last_state(file, slow) == "active", "that it is used is recorded", timeout=60)
        so_far = len(samples(file))
        slow.set(delay_us=60000)
        wait_until(lambda: state(mapped, slow) == "slow", "it is avoided", timeout=60)
        grows(file, recorder)
        recorder.send_signal(signal.SIGKILL)
        assert tool.end(recorder).status == -signal.SIGKILL
        with open(str(file), "ab") as torn:         # as if it had been in the middle of a line
            torn.write(b'{"time":12')
        recorder = tool.start("record", file, "0.2")
        grows(file, recorder)
        assert "another dm-lw record writes to" in dm_lw("record", file, "1", "1").complaint()
        wait_until(lambda: last_state(file, slow) == "slow", "that it is avoided is recorded")
        recorder.send_signal(signal.SIGTERM)
        tool.end(recorder)

    found = samples(file)
    assert "active" in [path_values(each, slow)["state"] for each in found[:so_far]]
    intervals = [each["interval_s"] for each in found]
    second = len(intervals) - 1 - intervals[::-1].index(None)
    assert intervals.count(None) == 2 and "slow" in [path_values(each, slow)["state"] for each in found[second:]]
    assert sum(each["ios_per_s"] for each in (path_values(found[1], path) for path in mapped.paths)) > 0
    text = dm_lw("report", file, mapped.name).success()
    assert re.search(r"^lwrec .* %s +slow " % slow.name, text, re.M)


def test_report_needs_no_module_and_no_map(tmp_path):
    file, archive = tmp_path / "recording", tmp_path / "bundle.tar.gz"
    with path_disks(2) as paths, Multipath(paths, SELECTOR, name="lwrec"):
        dm_lw("record", file, "0.2", "2").success()
    unload_module(SELECTOR_MODULE)
    assert "lwrec" in dm_lw("report", file).success()
    dm_lw("report", "--bundle", archive, file).success()
    with tarfile.open(str(archive)) as tar:
        texts = {name.partition("/")[2]: tar.extractfile(name).read().decode()
                 for name in tar.getnames()}
    assert os.uname().release in texts["versions.txt"]
    assert '"begin":1' in texts["recording"]
    assert '"maps": []' in texts["topology.json"]
    recorded = dm_lw("record", file, "0.2", "2")
    assert "the module dm-latency-weighted is not loaded" in recorded.complaint(0)
    assert len(samples(file)) == 4


def test_bundle_of_a_live_map(mapped, tmp_path):
    """What it has of /sys stands for /sys; what tells whose host it is has stand-ins, unless it was asked for."""
    archive = tmp_path / "bundle.tar.gz"
    for options, names in ((["--with-identities"], {"lwrec"}), ([], set())):
        dm_lw("report", "--bundle", archive, *options).success()
        with tarfile.open(str(archive)) as tar:
            tar.extractall(str(tmp_path))
            (top,) = {name.partition("/")[0] for name in tar.getnames()}
        shown = dm_lw("--sysfs", tmp_path / top / "sysfs", "stat").success()
        assert {line.split()[0] for line in shown.splitlines()[1:]} & {"lwrec"} == names
        assert all(path.name in shown for path in mapped.paths)
        assert "latency-weighted 0 2 1" in (tmp_path / top / "table.txt").read_text()
        assert mapped.paths[0].number in (tmp_path / top / "status.txt").read_text()
