"""Maps that multipathd made with service-time: what the tool tells of them, and of what the switch changed."""
# promise output/any-selector

import json

import pytest

from tests.lib import fio
from tests.lib.array import array
from tests.lib.command import is_loaded, sh, unload_module, wait_until
from tests.lib.dm_lw import NOBODY, dm_lw, only_this_kernel
from tests.lib.multipathd import running
from tests.lib.scenario import SELECTOR_MODULE

pytestmark = [pytest.mark.observe, pytest.mark.programs, pytest.mark.time_limit(300)]

DELAY_MS = 60


@pytest.fixture
def site():
    """A map of two paths under load, the second path slow; the module is not loaded."""
    if is_loaded(SELECTOR_MODULE):
        unload_module(SELECTOR_MODULE)
    with only_this_kernel(), array(luns=1) as storage, running(selector="service-time 0") as daemon:
        paths = storage.paths(0)
        name = daemon.wait_for_map(paths)
        storage.links[1].impair(delay_ms=DELAY_MS)
        with fio.Fio("/dev/mapper/" + name, 200, iodepth=8):
            wait_until(lambda: all(path.used() > 20 for path in paths), "both paths have done something", timeout=60)
            yield name, paths
        storage.links[1].impair()


def rows(document, name):
    (found,) = [each for each in document["maps"] if each["map"] == name]
    return found, {each["device"]: each for each in found["paths"]}


def test_before_and_after(site, tmp_path):
    name, paths = site
    check_stat(name, paths)
    check_other_views(name, paths)
    before, after = str(tmp_path / "before"), str(tmp_path / "after")
    assert "recording goes on" in dm_lw("record", before, 1, 6).complaint(0)
    dm_lw("enable").success()
    assert " latency-weighted 0 " in sh("dmsetup", "table", name)
    dm_lw("stat", name, 5, 2).success()         # until it knows the paths
    dm_lw("record", after, 1, 6).success()
    dm_lw("disable").success()
    check_comparison(before, after, name, paths)


def check_stat(name, paths):
    fast, slow = (path.number for path in paths)
    found, by_number = rows(json.loads(dm_lw("stat", "--all", "-j").success()), name)
    assert found["selector"] == "service-time"
    assert by_number[slow]["latency_us"] > DELAY_MS * 1000 > by_number[fast]["latency_us"]
    assert {each["state"] for each in by_number.values()} == {"active"}
    assert by_number[fast]["ios_per_s"] > 0 and by_number[fast]["read_bytes_per_s"] > 0
    assert 99.9 < sum(each["share_percent"] for each in by_number.values()) < 100.1
    told = dm_lw("stat", prefix=NOBODY)
    assert "no map has latency-weighted; these are all multipath maps" in told.complaint(0)
    assert all(path.name in told.out for path in paths)


def check_other_views(name, paths):
    slow = paths[1]
    (found,) = json.loads(dm_lw("topology", "-j", name).success())["maps"]
    (seen,) = [path for group in found["groups"] for path in group["paths"] if path["device"] == slow.number]
    assert seen["latency_us"] > DELAY_MS * 1000 and seen["state"] == "active"
    means = json.loads(dm_lw("latency", "-j", name, 2, 1).success())["paths"]
    (mean,) = [path["operations"]["read"]["mean_us"] for path in means if path["device"] == slow.number]
    assert mean > DELAY_MS * 1000


def check_comparison(before, after, name, paths):
    (found,) = json.loads(dm_lw("report", before, name, "-j", "--against", after).success())["maps"]
    assert found["selectors"] == {"before": "service-time", "after": "latency-weighted"}
    assert found["change"]["ios_per_s"] > 1.2 and found["change"]["latency_us"] < 0.8
    slow = found["paths"][paths[1].name]
    assert slow["before"]["share_percent"] > 2 * slow["after"]["share_percent"]
    text = dm_lw("report", before, "--against", after).success()
    assert "%s: service-time before, latency-weighted after" % name in text
    assert "They may be compared: the load was alike" in text, text
