"""dm-lw topology on maps of a real transport: where paths lead, and a port that is slow for several maps."""
# promise output/topology

import contextlib
import json

import pytest

from tests.lib import iscsi, nvmet
from tests.lib.array import array
from tests.lib.command import sh, unload_module, wait_until
from tests.lib.dm_lw import NOBODY, dm_lw
from tests.lib.lio import ram_disk
from tests.lib.multipath import Multipath, TwoGroups
from tests.lib.scenario import SELECTOR, SELECTOR_MODULE, Load

pytestmark = [pytest.mark.observe, pytest.mark.time_limit(240)]


def topology(*words):
    return json.loads(dm_lw("topology", "-j", *words).success())


def paths_of(found):
    return [path for group in found["groups"] for path in group["paths"]]


@pytest.fixture
def storage():
    with array(luns=2) as found:
        yield found


@contextlib.contextmanager
def maps_under_load(storage, names):
    """A map of each logical unit, with I/O on it."""
    with contextlib.ExitStack() as stack:
        maps = [stack.enter_context(Multipath(storage.paths(lun), SELECTOR, name=name))
                for lun, name in enumerate(names)]
        for mapped in maps:
            stack.enter_context(Load(mapped, iodepth=2))
        yield maps


@pytest.mark.programs       # a kernel that checks itself is as slow as the port
def test_array(storage):
    """One after the other, as an array takes its time to be made."""
    with maps_under_load(storage, ["lwa", "lwb"]):
        check_paths(topology(), storage)
        check_slow_port(storage.links[1])
    check_groups(*storage.paths(0))
    unload_module(SELECTOR_MODULE)
    check_without_the_module(storage)


def check_slow_port(link):
    """It is told as soon as both maps see it; a probe or two may make a path look fast, so each look is repeated."""
    link.impair(delay_ms=60)
    told = "target port %s:%d is slow for 2 maps" % (link.address, iscsi.PORT)
    wait_until(lambda: told in topology()["findings"], told, timeout=60)
    wait_until(lambda: told in dm_lw("topology").success().splitlines(), told, timeout=60)
    wait_until(lambda: told in by_nobody(), told, timeout=60)
    link.impair()


def by_nobody():
    """What others than root see; what they do not is told."""
    unprivileged = dm_lw("topology", prefix=NOBODY)
    assert "shown to root only" in unprivileged.complaint(0)
    return unprivileged.out.splitlines()


def check_paths(found, storage):
    assert [each["map"] for each in found["maps"]] == ["lwa", "lwb"]
    assert found["notes"] == []
    for lun, each in enumerate(found["maps"]):
        (group,) = each["groups"]
        assert (group["number"], group["in_use"], group["selector"]) == (1, True, SELECTOR + " 0")
        for path, disk, link in zip(group["paths"], storage.paths(lun), storage.links):
            assert (path["path"], path["device"]) == (disk.name, disk.number)
            assert path["protocol"] == "scsi:iscsi" and path["link"] == "LOGGED_IN"
            assert path["target_port"] == "%s:%d" % (link.address, iscsi.PORT)
            assert path["host_port"] == link.own_address
            assert path["target"] == iscsi.IQN
    ports = {(each["kind"], each["name"]): each["maps"] for each in found["ports"]}
    for link in storage.links:
        assert ports["target port", "%s:%d" % (link.address, iscsi.PORT)] == ["lwa", "lwb"]
        assert ports["host port", link.own_address] == ["lwa", "lwb"]


def check_groups(first, second):
    """Also of a map of another selector, of which dm alone tells that a path failed."""
    with TwoGroups([first, second], "round-robin", name="lwother") as mapped:
        sh("dmsetup", "message", mapped.name, 0, "fail_path", second.number)
        (found,) = topology(mapped.name)["maps"]
        assert [group["number"] for group in found["groups"]] == [1, 2]
        assert [group["in_use"] for group in found["groups"]] == [True, False]
        assert [path["state"] for path in paths_of(found)] == ["active", "failed"]


def check_without_the_module(storage):
    with Multipath(storage.paths(0), "round-robin", name="lwother"):
        found = dm_lw("topology")
    assert "lwother" in found.success() and iscsi.IQN in found.out


@pytest.fixture
def nvme():
    if not nvmet.leaves_paths_to_dm():
        pytest.skip("nvme_core is loaded with its own multipathing")
    with ram_disk() as disk, nvmet.nvme_paths(disk, ports=[4420, 4421]) as found:
        yield found


@pytest.mark.virtual_time
def test_nvme(nvme):
    with Multipath(nvme, SELECTOR, "bio", name="lwnvme"):
        (found,) = topology()["maps"]
    for path, port in zip(paths_of(found), (4420, 4421)):
        assert path["protocol"] == "nvme:tcp" and path["link"] == "live"
        assert path["target_port"] == "%s:%d" % (nvmet.LOOPBACK, port)
        assert path["target"] == nvmet.NQN


@pytest.mark.virtual_time
def test_no_map():
    assert "there is no multipath map" in dm_lw("topology").complaint()
