"""dm-lw latency on a live kernel: its percentiles are true, and it leaves the map as it was."""
# promise output/dm-lw-latency

import json
import signal
import time

import pytest

from tests.guest.lib.parametrized import in_full, one_mode, variant
from tests.lib import debugfs
from tests.lib import dm_lw as tool
from tests.lib import fio, sysfs
from tests.lib.command import load_module, settle, unload_module
from tests.lib.disks import path_disks
from tests.lib.multipath import STAMPS, Multipath
from tests.lib.scenario import SELECTOR, SELECTOR_MODULE, Load

pytestmark = pytest.mark.observe
virtual_time = pytest.mark.virtual_time
programs = pytest.mark.programs
facts = pytest.mark.facts

BY_LATENCY = ["histogram", 1]           # arguments of the selector
TURNED_ON = "dm-lw: %s: histogram 0 -> 1\n"
TURNED_OFF = "dm-lw: %s: histogram 1 -> 0\n"


@pytest.fixture(autouse=True)
def mounted():
    debugfs.mount()
    load_module(SELECTOR_MODULE)


@pytest.fixture
def disks():
    with path_disks(2) as disks:
        for disk in disks:
            disk.set(delay_us=1000)
        yield disks


@pytest.fixture
def mapped(disks):
    """A map that does not count by latency."""
    with Multipath(disks, SELECTOR) as mapped:
        yield mapped


def counts_by_latency(mapped):
    """By the tunable; its files in debugfs say the same."""
    value = sysfs.MapFiles(mapped)["histogram"]
    tables = [debugfs.MapFiles(mapped).tables(path) for path in mapped.paths]
    assert {"from_us" in table for table in tables} == {value == "1"}
    return value == "1"


@one_mode
@virtual_time
def test_percentiles_are_true(queue_mode):
    """Against fio's. Two speeds, so that p50 and p99 differ, and two sizes."""
    with path_disks(1) as (disk,), \
            Multipath([disk], SELECTOR, queue_mode, selector_args=BY_LATENCY) as mapped:
        disk.set(delay_us=3000)
        settle()
        mapped.keep_ios_apart()
        tool.dm_lw("reset", mapped.name).success()
        with fio.Fio(mapped.path, runtime=2, iodepth=4, bs=None, bssplit="4k/80:64k/20") as job:
            time.sleep(1)
            disk.set(delay_us=24000)
            true = job.wait()
        if mapped.learned(disk).source != STAMPS:
            pytest.skip("this kernel does not stamp bios with a usable clock")
        (path,) = json.loads(tool.dm_lw("latency", "-j", mapped.name).success())["paths"]
        print("fio", true, "dm-lw", path)
        data, classes = path["classes"]["data"], path["classes"]
        assert path["path"] == disk.name
        assert data["ios"] == classes["32k"]["ios"] + classes["64k"]["ios"] == true.ios
        for shown in (data, classes["32k"], classes["64k"]):
            assert shown["p50_us"] == pytest.approx(true.p50_us, rel=0.1)
            assert shown["p99_us"] == pytest.approx(true.p99_us, rel=0.1)
            assert shown["p50_us"] <= shown["p90_us"] <= shown["p99_us"] <= shown["p999_us"]
        out = tool.dm_lw("latency", mapped.name).success()
        assert "%s, up to 32 KiB\n" % disk.name in out and "█" in out


@programs
@facts
@pytest.mark.parametrize("name", [variant(None), variant("SIGINT"), "SIGTERM"])
def test_tunable_is_given_back(mapped, name):
    """Under load, and although the table is loaded anew: at its end, whatever ends it."""
    with Load(mapped) as load:
        load.begin()
        count = [] if name else [2]
        process = tool.start("latency", "-j", mapped.name, 0.5, *count)
        document = json.loads(process.stdout.readline())
        if name:
            assert counts_by_latency(mapped)
            mapped.reload()
            assert counts_by_latency(mapped)
            process.send_signal(signal.Signals[name])
        run = tool.end(process)
        assert not counts_by_latency(mapped)
    assert all(path["classes"]["32k"]["ios"] > 0 for path in document["paths"])
    end = "dm-lw: interrupted by %s\n" % name if name else ""
    assert run.err == (TURNED_ON + TURNED_OFF) % (mapped.name, mapped.name) + end
    assert run.status == (128 + signal.Signals[name] if name else 0)


@in_full
@programs
@facts
def test_tunable_that_is_set_stays(mapped):
    tool.dm_lw("set", mapped.name, "histogram=1").success()
    for words in ([], [0.2, 1]):
        assert mapped.name in tool.dm_lw("latency", mapped.name, *words).success()
        assert counts_by_latency(mapped)


@programs
def test_map_that_is_removed(disks):
    """Neither the map nor the module stays because of it; the next of that number is left alone."""
    with Multipath(disks, SELECTOR) as mapped:
        process = tool.start("latency", mapped.name, 0.5)
        process.stdout.readline()
    with Multipath(disks, SELECTOR, name="next", selector_args=BY_LATENCY) as another:
        assert another.path == mapped.path
        run = tool.end(process)
        assert counts_by_latency(another)
    assert run.status == 1
    assert run.err == TURNED_ON % mapped.name + "dm-lw: %s is gone\n" % mapped.name
    unload_module(SELECTOR_MODULE)
