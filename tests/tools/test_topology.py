"""dm-lw topology: where paths lead, by transport, and what several maps see at once."""
# promise output/topology: `dm-lw topology` shows the ports behind paths, and a port that is slow for several maps |
#   by: captures, and iSCSI and NVMe/TCP | full: `guests-*`

import json
import os
import re
import shutil

import pytest

from dm_lw import dm_ioctl, topology
from dm_lw.host import Host
from dm_lw.links import Link, link
from dm_lw.survey import findings, survey
from dm_lw.sysfs import Sysfs

from . import trees
from .fake_host import FakeHost
from .test_captures import CAPTURES

SELECTED = "1 1 latency-weighted 0 2 1 %s 1 %s 1"


class Storage:
    """A host whose /sys has disks behind ports, as their drivers show them."""

    def __init__(self, root):
        self.host = FakeHost(root)
        self.sys = root / "sys"
        self.tables, self.statuses = [], []

    def write(self, text):
        trees.write(text, self.sys)

    def disk(self, number, name, device):
        """A disk of a device, whose files are below `device`."""
        self.write("""%(device)s/block/%(name)s/dev %(number)s
%(device)s/block/%(name)s/device@ ../..
dev/block/%(number)s@ ../../%(device)s/block/%(name)s
""" % dict(device=device, name=name, number=number))

    def scsi(self, number, name, way, lun="0"):
        device = "devices/%s/%s" % (way, lun)
        self.disk(number, name, device)
        self.write("%s/scsi_device/%s/uevent \n%s/state running\n" % (device, lun, device))

    def fibre_channel(self, number, name, host, remote, ports=("0x2100", "0x5006")):
        self.scsi(number, name, "pci0000:00/0000:05:00.0/host%d/%s/target7:0:1" % (host, remote))
        self.write("""class/fc_host/host%(host)d/port_name %(own)s
class/fc_remote_ports/%(remote)s/port_name %(port)s
class/fc_remote_ports/%(remote)s/node_name 0x50060e8000000000
class/fc_remote_ports/%(remote)s/port_state Online
""" % dict(host=host, remote=remote, own=ports[0], port=ports[1]))

    def map(self, name, *paths, failed=(), **states):
        """A map of these paths with the selector; `states` by name of the disk."""
        dm = "dm-%d" % len(self.tables)
        self.host.add_map(dm, name, "mpath-3600%s" % name)
        self.tables.append("%s: 0 2048 multipath 0 0 1 1 latency-weighted 0 %d 1 %s\n" % (
            name, len(paths), " ".join("%s 1" % number for number, _ in paths)))
        self.statuses.append("%s: 0 2048 multipath 2 0 0 0 1 1 A 0 %d 1 %s\n" % (
            name, len(paths), " ".join("%s %s 0 1" % (number, "F" if disk in failed else "A")
                                       for number, disk in paths)))
        self.write(trees.map_text(dm, name, "3600" + name, {
            disk: trees.path_files(number, state=states.get(disk, "active"))
            for number, disk in paths}))
        self.host.set_tables(*self.tables)
        self.host.set_tables(*self.statuses, flags=dm_ioctl.STATUS)

    def link(self, number):
        return link(self.host.sysfs, number)

    def document(self, *names):
        found = survey(self.host)
        return json.loads(topology.as_json(found, topology.choose(found.maps, names)))

    def text(self):
        found = survey(self.host)
        return topology.as_text(found, found.maps)


@pytest.fixture
def storage(tmp_path):
    return Storage(tmp_path)


def test_fibre_channel(storage):
    storage.fibre_channel("8:0", "sda", 7, "rport-7:0-2", ("0x21000024ff000001", "0x50060e8010203040"))
    assert storage.link("8:0") == Link("scsi:fcp", "0x21000024ff000001", "0x50060e8010203040",
                                       "0x50060e8000000000", "Online")


def test_iscsi(storage):
    storage.scsi("8:0", "sda", "platform/host2/session1/target2:0:0")
    storage.write("""class/iscsi_session/session1/targetname iqn.2026-11.example:disk
class/iscsi_session/session1/state LOGGED_IN
class/iscsi_connection/connection1:0/address 192.0.2.5
class/iscsi_connection/connection1:0/persistent_address 192.0.2.4
class/iscsi_connection/connection1:0/persistent_port 3260
class/iscsi_host/host2/ipaddress 192.0.2.9
""")
    assert storage.link("8:0") == Link("scsi:iscsi", "192.0.2.9", "192.0.2.4:3260",
                                       "iqn.2026-11.example:disk", "LOGGED_IN")
    storage.write("class/iscsi_connection/connection1:0/persistent_address fd00::4\n"
                  "class/iscsi_host/host2/ipaddress <NULL>\n")
    found = storage.link("8:0")
    assert (found.target_port, found.host_port) == ("[fd00::4]:3260", "host2")


def test_copy_in_a_directory_with_a_telling_name(storage, tmp_path):
    """It is no part of the way to the device."""
    storage.fibre_channel("8:0", "sda", 7, "rport-7:0-2")
    before = storage.link("8:0")
    copy = tmp_path / "session-1/host9/sys"
    shutil.copytree(storage.sys, copy, symlinks=True)
    assert link(Sysfs(str(copy)), "8:0") == before


def test_sas(storage):
    storage.scsi("8:0", "sda", "pci0000:00/host1/port-1:0/end_device-1:0/target1:0:0")
    storage.write("class/sas_device/end_device-1:0/sas_address 0x5000c500a0000001\n")
    assert storage.link("8:0") == Link("scsi:sas", "host1", "0x5000c500a0000001", None, "running")


@pytest.mark.parametrize("transport, address, host_port, target_port", [
    ("tcp", "traddr=192.0.2.1,trsvcid=4420,src_addr=192.0.2.9", "192.0.2.9", "192.0.2.1:4420"),
    ("tcp", "traddr=fd00::1,trsvcid=4420,host_iface=eth1", "eth1", "[fd00::1]:4420"),
    ("fc", "traddr=nn-0x200140a0b0c0d0e0:pn-0x210140a0b0c0d0e0,host_traddr=nn-0x1:pn-0x2", "0x2",
     "0x210140a0b0c0d0e0"),
    ("pcie", "0000:01:00.0", None, "0000:01:00.0"),
    ("loop", "", None, None),
])
def test_nvme(storage, transport, address, host_port, target_port):
    storage.disk("259:0", "nvme0n1", "devices/virtual/nvme-fabrics/ctl/nvme0")
    # The disk is in its controller's directory, without one called block.
    storage.write("devices/virtual/nvme-fabrics/ctl/nvme0/transport %s\n"
                  "devices/virtual/nvme-fabrics/ctl/nvme0/address %s\n"
                  "devices/virtual/nvme-fabrics/ctl/nvme0/subsysnqn nqn.2026-11.example:disk\n"
                  "devices/virtual/nvme-fabrics/ctl/nvme0/state live\n" % (transport, address))
    assert storage.link("259:0") == Link("nvme:" + transport, host_port, target_port,
                                         "nqn.2026-11.example:disk", "live")


def test_what_is_not_there(storage):
    """No such disk; a disk of no transport; a session that just ended."""
    assert storage.link("8:0") == Link("undef")
    storage.scsi("8:0", "sda", "pci0000:00/host1/target1:0:0")
    assert storage.link("8:0") == Link("scsi:unspec", "host1", state="running")
    storage.scsi("8:16", "sdb", "platform/host2/session1/target2:0:0")
    assert storage.link("8:16") == Link("scsi:iscsi", "host2")


def san(storage, maps, states=()):
    """Maps over two ports of the host and two of the array: sd*a and sd*b by the first target port."""
    for number in range(maps):
        paths = []
        for path in range(4):
            disk, device = "sd%d%s" % (number, "abcd"[path]), "%d:%d" % (8 + number, 16 * path)
            host, target = path % 2, path // 2
            storage.fibre_channel(device, disk, host, "rport-%d:0-%d%d" % (host, target, number),
                                  ("0x21%02d" % host, "0x50%02d" % target))
            paths.append((device, disk))
        storage.map("map%d" % number, *paths, **{
            disk: state for each, end, state in states if each == number
            for _, disk in paths if disk.endswith(tuple(end))})


def found_in(storage):
    return findings(survey(storage.host))


def test_a_target_port_is_slow_for_all_maps(storage):
    san(storage, 14, [(number, "ab", "probing") for number in range(14)])
    assert found_in(storage) == ["target port 0x5000 is slow for 14 maps"]
    assert storage.text().endswith("\n\ntarget port 0x5000 is slow for 14 maps")


def test_a_target_port_is_slow_for_some_maps(storage):
    """One that is slow by one port of the host only is not what is slow."""
    san(storage, 4, [(0, "ab", "probing"), (1, "ab", "probing"), (2, "a", "probing")])
    assert found_in(storage) == ["target port 0x5000 is slow for 2 of 4 maps"]


def test_a_host_port_is_slow(storage):
    """It is to blame if it is slow to several target ports; those are not."""
    san(storage, 3, [(number, "ac", "probing") for number in range(3)])
    assert found_in(storage) == ["host port 0x2100 is slow for 3 maps"]


def test_a_port_that_failed(storage):
    san(storage, 2, [(number, "cd", "failed") for number in range(2)])
    assert found_in(storage) == ["target port 0x5001 has failed for 2 maps"]


def test_one_map_tells_nothing_of_ports(storage):
    san(storage, 2, [(0, "ab", "probing"), (1, "c", "failed")])
    assert found_in(storage) == []


def test_golden(storage, golden):
    san(storage, 2, [(0, "ab", "probing"), (1, "ab", "probing"), (1, "d", "failed")])
    golden("topology.txt", storage.text() + "\n")


def test_captured(storage, golden, clock):
    """Of an array in a guest, one of whose networks was slow; capture_san.py tells how it was had."""
    first, text = (CAPTURES / "san.tree").read_text().split("\n", 1)
    clock.now = float(first.split()[1])
    storage.write(text + "class/misc/device-mapper/dev 10:236\n")
    for dm in storage.host.list("sys/block"):
        storage.host.write("sys/block/%s/dev" % dm, "254:%s\n" % dm[len("dm-"):])
    for verb, flags in (("table", dm_ioctl.LIVE_TABLE), ("status", dm_ioctl.STATUS)):
        storage.host.set_tables(*(CAPTURES / ("san." + verb)).read_text().splitlines(), flags=flags)
    golden("san-topology.txt", storage.text() + "\n")
    found = survey(storage.host)
    golden("san-topology.json", topology.as_json(found, found.maps) + "\n")


def test_json(storage):
    san(storage, 2, [(0, "a", "probing")])
    document = storage.document("map0")
    assert document["version"] == topology.JSON_VERSION and document["notes"] == []
    (found,) = document["maps"]
    assert (found["map"], found["dm"], found["wwid"]) == ("map0", "dm-0", "3600map0")
    (group,) = found["groups"]
    assert (group["number"], group["selector"], group["in_use"]) == (1, "latency-weighted 0", True)
    assert group["paths"][0] == {
        "path": "sd0a", "device": "8:0", "state": "slow", "latency_us": 1200, "protocol": "scsi:fcp",
        "link": "Online", "host_port": "0x2100", "target_port": "0x5000", "target": "0x50060e8000000000"}
    assert {(each["kind"], each["name"]): each["maps"] for each in document["ports"]}[
        "target port", "0x5000"] == ["map0", "map1"]


def test_what_dm_says_of_other_selectors(storage):
    """Whether a path failed."""
    san(storage, 1)
    storage.host.set_tables("map0: 0 8 multipath 0 0 2 2 round-robin 0 1 1 8:0 1 round-robin 0 1 1 8:16 1")
    storage.host.set_tables("map0: 0 8 multipath 2 0 0 0 2 2 E 0 1 0 8:0 F 1 A 0 1 0 8:16 A 0", flags=dm_ioctl.STATUS)
    os.rename(str(storage.sys / "kernel/dm-latency-weighted"), str(storage.sys / "gone"))
    found = storage.document()
    assert [(group["in_use"], group["paths"][0]["state"]) for group in found["maps"][0]["groups"]] == [
        (False, "failed"), (True, None)]
    assert found["notes"] == []


def test_who_is_not_root_sees_all_but_groups(storage):
    san(storage, 1)
    storage.host.root_user = False
    for number, name in (("8:0", "sd0a"), ("8:16", "sd0b")):
        storage.write("block/dm-0/slaves/%s/dev %s\n" % (name, number))
    found = storage.document()
    assert found["notes"] == ["priority groups and selectors are shown to root only"]
    (group,) = found["maps"][0]["groups"]
    assert (group["number"], group["selector"], group["in_use"]) == (None, None, None)
    assert [path["path"] for path in group["paths"]] == ["sd0a", "sd0b"]
    assert re.search("^map0 +- +- +sd0a +8:0 +active ", storage.text(), re.M)


def test_kernel_that_says_nothing(storage, monkeypatch):
    def refuse(*_):
        raise OSError(5, "Input/output error")

    san(storage, 1)
    storage.host.map_text = lambda *words: Host.map_text(storage.host, *words)
    monkeypatch.setattr(dm_ioctl, "text", refuse)
    assert storage.document()["notes"] == [
        "priority groups and selectors are not known: device-mapper does not tell of 253:0: Input/output error"]


def test_copy_of_another_host(tool):
    """The kernel of this one is not asked. Without slaves, the module's paths are shown."""
    status, out, err = tool.run("topology")
    assert status == 0 and "mpatha" in out and "sda" in out
    assert err == "dm-lw: priority groups and selectors are not known of a copy of /sys\n"


def test_without_the_module(tool):
    trees.write("block/dm-0/slaves/sda/dev 8:0\n", tool.root)
    tool.file().rename(tool.root / "gone")
    status, out, err = tool.run("topology", "mpatha")
    assert status == 0 and "8:0" in out and "mpathb" not in out
    assert err == "dm-lw: priority groups and selectors are not known of a copy of /sys\n"


def test_no_such_map(tool):
    assert "no multipath map is called x; there are: mpatha, mpathb" in tool.fails("topology", "x")


def test_no_map(tool):
    for name in ("block", "kernel/dm-latency-weighted"):
        (tool.root / name).rename(tool.root / "gone" if name == "block" else tool.root / "kernel/gone")
    assert "there is no multipath map" in tool.fails("topology")
