"""dm-lw report --bundle: all that a bug report needs, and nothing that tells whose machine it is."""
# promise output/bundle: A bundle for a bug report has no serial number, name or address of the host, unless asked
#   for | full: `guests-*`

import io
import os
import re
import tarfile

import pytest

from dm_lw import dm_ioctl, kernel_log
from dm_lw.history import bundle
from dm_lw.errors import LwError
from dm_lw.history.stand_ins import StandIns
from dm_lw.version import VERSION

from . import trees
from .fake_host import RUNNING, FakeHost
from .trees import NOON

WWID, OTHER_WWID = "36001405aabbccddeeff00112233445566", "3600a0b8000112233445566778899aabb"
HOSTNAME = "db7.berlin.example"
# What must not be in an archive, of the host below.
IDENTITIES = (WWID, OTHER_WWID, HOSTNAME, "db7", "oracle_redo", "iqn.2026-11.example:disk", "192.0.2.4", "192.0.2.9",
              "fd00::4", "52:54:00:12:34:56", "0x50060e8010203040", "6c770001-0000-4000-8000-000000000002")
TABLE = ": 0 8 multipath 0 0 1 1 latency-weighted 0 1 1 %s 1\n"
STATUS = ": 0 8 multipath 2 0 0 0 1 1 A 0 1 5 %s A 0 128 5007 3 1 1\n"
LOG = [(NOON, line) for line in (
    "usb 1-1: new device", "device-mapper: multipath: 254:0: Failing path 8:16.",
    "device-mapper: table: oracle_redo on db7.berlin.example: 0x50060e8010203040 192.0.2.4 [fd00::4]:3260",
    "device-mapper: 52:54:00:12:34:56 6c770001-0000-4000-8000-000000000002 at 10:11:12 sd 2:0:0:0")]


@pytest.fixture
def host(tmp_path, clock, monkeypatch):
    monkeypatch.setattr(kernel_log, "records", lambda: iter(LOG))
    host = FakeHost(tmp_path / "root")
    host.add_kernel(RUNNING)
    sys = tmp_path / "root/sys"
    trees.write(trees.module_text() + "module/dm_latency_weighted/srcversion 533BB7E5866E52F63B9ACCB\n"
                + trees.map_text("dm-0", "mpatha", WWID, {"sda": trees.path_files("8:0")})
                + trees.map_text("dm-1", "oracle_redo", OTHER_WWID, {"sdb": trees.path_files("8:16")}), sys)
    trees.write("""devices/platform/host2/session1/target2:0:0/2:0:0:0/scsi_device/2:0:0:0/uevent
devices/platform/host2/session1/target2:0:0/2:0:0:0/block/sda/stat 1 2 3 4 5 6 7 8 9 10 11
devices/platform/host2/session1/target2:0:0/2:0:0:0/block/sda/device@ ../..
dev/block/8:0@ ../../devices/platform/host2/session1/target2:0:0/2:0:0:0/block/sda
class/iscsi_session/session1/targetname iqn.2026-11.example:disk
class/iscsi_connection/connection1:0/persistent_address 192.0.2.4
class/iscsi_connection/connection1:0/persistent_port 3260
class/iscsi_host/host2/ipaddress 192.0.2.9
class/misc/device-mapper/dev 10:236
block/dm-0/dev 253:0
block/dm-1/dev 253:1
kernel/debug/dm-latency-weighted/dm-0/latency_stat path class
""", sys)
    host.write("proc/sys/kernel/hostname", HOSTNAME + "\n")
    host.write("proc/sys/kernel/tainted", "12288\n")
    host.write("etc/os-release", 'PRETTY_NAME="Debian GNU/Linux 13 (trixie)"\n')
    host.write("etc/machine-id", "0123456789abcdef0123456789abcdef\n")
    for verb, text, flags in (("table", TABLE, dm_ioctl.LIVE_TABLE), ("status", STATUS, dm_ioctl.STATUS)):
        lines = "mpatha" + text % "8:0", "oracle_redo" + text % "8:16"
        host.answer("dmsetup %s --target multipath" % verb, "".join(lines))
        host.set_tables(*lines, flags=flags)
    host.answer("multipath -h", err="multipath-tools v0.9.4 (12/19, 2022)\n", status=1)
    return host


def replaced(host):
    replace = StandIns(host, bundle.names(host)).replace
    return {name: replace(text) for name, text in bundle.gather(host).items()}


def test_what_is_in_it(host):
    files = bundle.gather(host)
    for told in ("dm-lw            %s\n" % VERSION, RUNNING, "Debian GNU/Linux 13 (trixie)", "533BB7E5866E52F63B9ACCB", "12288",
                 "multipath-tools  0.9.4"):
        assert told in files["versions.txt"]
    assert "warn  multipathd" in files["doctor.txt"]
    assert "5007" in files["status.txt"] and "latency-weighted 0 1 1" in files["table.txt"]
    assert '"target_port": "192.0.2.4:3260"' in files["topology.json"]
    assert "Failing path" in files["kernel.txt"] and "usb" not in files["kernel.txt"]
    for name, text in (("kernel/dm-latency-weighted/dm-0/paths/sda/latency_us", "1200\n"),
                       ("block/dm-1/dm/name", "oracle_redo\n"), ("dev/block/8:0/stat", "1 2 3 4 5 6 7 8 9 10 11\n"),
                       ("module/dm_latency_weighted/parameters/window_ms", "20\n"),
                       ("kernel/debug/dm-latency-weighted/dm-0/latency_stat", "path class\n")):
        assert files["sysfs/" + name] == text


def test_nothing_tells_whose_it_is(host):
    before = "".join(bundle.gather(host).values())
    assert [name for name in IDENTITIES if name not in before] == []
    for name, text in replaced(host).items():
        for identity in IDENTITIES:
            assert identity not in text and identity not in name, (name, identity)


def test_stand_ins_are_the_same_everywhere(host):
    files = replaced(host)
    name = files["sysfs/block/dm-1/dm/name"].strip()
    assert re.fullmatch("map-[0-9a-f]{8}", name)
    assert files["sysfs/kernel/dm-latency-weighted/dm-1/name"].strip() == name
    assert "\n%s: 0 8 " % name in files["table.txt"] and name in files["topology.json"]
    assert re.fullmatch("mpath-wwid-[0-9a-f]{8}\n", files["sysfs/block/dm-0/dm/uuid"])
    assert replaced(host) == files                  # and in the next archive
    host.write("etc/machine-id", "f" * 32 + "\n")
    assert replaced(host)["sysfs/block/dm-1/dm/name"].strip() != name


def test_what_stays(host):
    """Names that multipath makes, numbers of devices, times and versions are what the report is about."""
    files = replaced(host)
    assert files["sysfs/block/dm-0/dm/name"] == "mpatha\n"
    assert "10:11:12 sd 2:0:0:0" in files["kernel.txt"] and "254:0: Failing path 8:16." in files["kernel.txt"]
    assert "533BB7E5866E52F63B9ACCB" in files["versions.txt"] and RUNNING in files["versions.txt"]
    assert files["status.txt"].startswith("mpatha" + STATUS % "8:0")
    assert files["status.txt"].endswith(STATUS % "8:16")


@pytest.mark.parametrize("text, kind", [
    ("10.1.2.3", "address"), ("fe80::1", "address"), ("2001:db8:0:1:2:3:4:5", "address"),
    ("00:25:b5:aa:00:1f", "mac"), ("0x21000024ff3c4d5e", "wwn"), ("naa.60014050aabbccdd", "id"),
    ("eui.0025385b71b03b2a", "id"), ("nqn.2014-08.org.nvmexpress:uuid:x", "nqn"),
    ("3600140512345678", "wwid"), ("600A098038303053453F463045727A37", "wwid"), ("500A098000000001", "wwid"),
    ("0x500A098000000001", "wwn"), ("600a098038303053453F463045727A37", "wwid"),
    ("::ffff:192.0.2.1", "address"), ("64:ff9b::203.0.113.9", "address"), ("::192.0.2.1", "address"),
    ("0:0:0:0:0:ffff:192.0.2.1", "address"),
])
def test_what_the_patterns_find(host, text, kind):
    found = StandIns(host).replace("a %s b" % text)
    assert re.fullmatch("a %s-[0-9a-f]{8} b" % kind, found), found


@pytest.mark.parametrize("text", ["12:00:01", "2:0:0:0", "254:0", "6.12.107", "::", "1.2.3", "0x1f", "300.1.1.1", "deadbeef",
                                  "0:0:0:1 1 2 3", "2:0:0:0.1.2.3", "10:11:12.123.4.5", "533BB7E5866E52F63B9ACCB",
                                  "DEADBEEF", "0xFFFFFFFF"])
def test_what_they_leave(host, text):
    assert StandIns(host).replace(text) == text


def test_addresses_with_ports(host):
    """Nothing is left of them but the port."""
    told = StandIns(host).replace("[::ffff:192.0.2.1]:3260 64:ff9b::203.0.113.9:3260 192.0.2.1:3260")
    assert re.fullmatch(r"\[A\]:3260 A:3260 A:3260".replace("A", "address-[0-9a-f]{8}"), told), told


def test_address_that_ends_a_sentence(host):
    assert re.fullmatch(r"lost address-[0-9a-f]{8}\.\n", StandIns(host).replace("lost 192.0.2.1.\n"))


def test_either_case_is_the_same(host):
    replace = StandIns(host, [("host", "San1"), ("map", "Data"), ("map", "data")]).replace
    assert replace("0x500A098000000001") == replace("0x500a098000000001")
    assert replace("Data") != replace("data")


def test_what_cannot_be_told(host, monkeypatch):
    def refused():
        raise LwError("/dev/kmsg: only root may do this")
    monkeypatch.setattr(kernel_log, "records", refused)
    host.answers.clear()
    files = bundle.gather(host)
    assert files["table.txt"] == "not known: dmsetup is not installed\n"
    assert files["kernel.txt"] == "not known: /dev/kmsg: only root may do this\n"
    assert "multipath-tools  not known: multipath is not installed" in files["versions.txt"]


def contents(archive):
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        return {member.name.partition("/")[2]: tar.extractfile(member).read().decode() for member in tar}


def test_command(tool, tmp_path):
    """On a copy of /sys; with a recording."""
    file, archive = tmp_path / "recording", tmp_path / "bundle.tar.gz"
    tool("record", str(file), "1", "2")
    assert "bundle.tar.gz: " in tool("report", "--bundle", str(archive), str(file))
    assert os.stat(str(archive)).st_mode & 0o777 == 0o600
    found = contents(archive.read_bytes())
    assert "replaced by stand-ins" in found["README.txt"] and found["recording"].startswith('{"begin":1')
    for name in ("table.txt", "kernel.txt"):
        assert found[name] == "not known: this is about a copy of another host's /sys\n"
    tool("report", "--bundle", str(archive), "--with-identities")
    found = contents(archive.read_bytes())
    assert "are as they are" in found["README.txt"] and "recording" not in found
    assert found["sysfs/block/dm-0/dm/uuid"] == "mpath-36001405aaaa\n"


def test_archive_is_private_whatever_it_replaces(tool, tmp_path):
    """What only root may read does not become that of who left a file there."""
    archive = tmp_path / "bundle.tar.gz"
    archive.write_text("old")
    archive.chmod(0o644)
    if os.geteuid() == 0:
        os.chown(str(archive), 65534, 65534)
    tool("report", "--bundle", str(archive))
    after = archive.stat()
    assert (after.st_mode & 0o777, after.st_uid, after.st_gid) == (0o600, os.geteuid(), os.getegid())
    assert "README.txt" in contents(archive.read_bytes())


def test_aliases_of_maps_that_are_gone(tool, tmp_path):
    """They are in a recording, and in the kernel log."""
    file, archive = tmp_path / "recording", tmp_path / "bundle.tar.gz"
    tool("record", str(file), "1", "2")
    file.write_text(file.read_text().replace('"name":"', '"name":"oracle_prod_'))
    tool("report", "--bundle", str(archive), str(file))
    assert "oracle_prod" in file.read_text() and "oracle_prod" not in contents(archive.read_bytes())["recording"]
    logged = ("device-mapper: multipath latency-weighted: dm-7 (oracle_prod): path sda became slow 1.000 s ago:"
              " was 1 us, is 9 us\n")
    assert bundle.names_in({"kernel.txt": logged}) == [("map", "oracle_prod")]


def test_the_copy_stands_for_sys(tool, tmp_path):
    archive = tmp_path / "bundle.tar.gz"
    tool("report", "--bundle", str(archive))
    with tarfile.open(str(archive)) as tar:
        (top,) = {name.partition("/")[0] for name in tar.getnames()}
        tar.extractall(str(tmp_path))
    before = tool("stat")
    tool.root = tmp_path / top / "sysfs"
    assert tool("stat") == before


def test_refused(tool, tmp_path):
    (tmp_path / "other").write_text("x\n")
    assert "other is not a recording" in tool.fails("report", "--bundle", str(tmp_path / "a"), str(tmp_path / "other"))
    assert "nosuch: there is no such file" in tool.fails("report", "--bundle", str(tmp_path / "a"), str(tmp_path / "nosuch"))
    assert "--bundle takes one recording at most, not x y" in tool.fails("report", "--bundle", "a", "x", "y", status=2)
    os.mkfifo(str(tmp_path / "fifo"))
    assert "is a FIFO; wanted is a regular file" in tool.fails("report", "--bundle", str(tmp_path / "fifo"))
    assert not (tmp_path / "a").exists()


def test_recording_that_is_too_large(tool, tmp_path, monkeypatch):
    """It is not cut: the newest samples would be missing."""
    file, archive = tmp_path / "recording", tmp_path / "bundle.tar.gz"
    tool("record", str(file), "1", "2")
    size = file.stat().st_size
    monkeypatch.setattr(bundle, "LARGEST", size)
    tool("report", "--bundle", str(archive), str(file), "--with-identities")
    assert contents(archive.read_bytes())["recording"] == file.read_text()
    archive.unlink()
    monkeypatch.setattr(bundle, "LARGEST", size - 1)
    assert "%s has %d bytes; %d is the most that a bundle takes" % (file, size, size - 1) in tool.fails(
        "report", "--bundle", str(archive), str(file))
    assert not archive.exists()


def test_key_without_a_machine_id(host):
    """Within one archive the stand-ins are the same."""
    os.unlink(host.path("etc/machine-id"))
    stand_ins = StandIns(host, [("map", "x1")])
    assert stand_ins.replace("x1") == stand_ins.replace("x1") != "x1"


def test_identities_of_maps_that_are_gone(host):
    """Their WWIDs, which no pattern finds, and aliases as JSON writes them."""
    host.write("etc/dm-latency-weighted/mpath-SVENDOR_Disk_80A4gK.conf", "window_ms=100\n")
    assert ("wwid", "SVENDOR_Disk_80A4gK") in bundle.names(host)
    line = '{"begin":1,"maps":{"dm-0":{"name":"t\\u00e4glich","wwid":"SNETAPP_LUN_80A4gK"}}}'
    names = bundle.names_in({"recording": line, "kernel.txt": ""})
    told = StandIns(host, names).replace(line + '{"map": "t\\u00e4glich"} täglich')
    assert "glich" not in told and "80A4gK" not in told
