"""Maps of other selectors: what the tool tells of them from their disks' counters, with and without the module."""
# promise output/any-selector: `dm-lw` shows maps of other selectors by their disks' counters, with and without the
#   module, and compares recordings from before and after a switch | by: multipathd over iSCSI | full: `guests-*`

import json
import shutil

import pytest

from dm_lw import disks, dm_ioctl, others
from dm_lw.counts import ALL, Looker, rows
from dm_lw.errors import LwError

from . import trees
from .fake_host import FakeHost

PATHS = {"sde": "8:64", "sdf": "8:80"}


def work(root, reads, writes=0, inflight=0):
    """The other map's fast path has done this, and the one of 31 ms a tenth of it."""
    trees.write(trees.disk_text("8:64", reads, 2000, writes, 500, inflight)
                + trees.disk_text("8:80", reads // 10, 31000), root)


@pytest.fixture
def other(tool, clock):
    """Beside the two maps of latency-weighted; each sleep brings 1000 reads and 100 writes."""
    trees.write(trees.other_map_text("dm-3", "mpatho", "3600other", PATHS), tool.root)
    work(tool.root, 5000, 500)
    clock.later[:] = [lambda n=n: work(tool.root, 5000 + 1000 * n, 500 + 100 * n, 3) for n in range(1, 9)]
    return tool


@pytest.fixture
def alone(other):
    """On a machine that never had the module."""
    for name in (other.file(), other.root / "module", other.root / "block/dm-0", other.root / "block/dm-10"):
        shutil.rmtree(str(name))
    return other


def table(text):
    head, *lines = [line.split() for line in text.splitlines()]
    return [dict(zip(head, line)) for line in lines]


def figures(row):
    return [row[name] for name in ("share%", "io/s", "lat-ms", "inflight")]


@pytest.mark.parametrize("words", [["--all"], ["-a", "mpatho"], ["mpatho"], ["-y", "mpatho", "1", "1"], ["3600other"]])
def test_stat_without_the_module(alone, words):
    """It takes a second where no interval is given: what disks count since the boot tells nothing of now."""
    fast, slow = table(alone("stat", *words))
    assert figures(fast) == ["91.69", "1100.0", "1.864", "3"] and figures(slow) == ["8.31", "100.0", "31.000", "0"]
    assert (fast["map"], fast["dm"], fast["path"]) == ("mpatho", "dm-3", "sde")
    assert {fast[name] for name in ("state", "since", "base-ms")} == {"-"}


def test_default(alone):
    status, out, err = alone.run("stat")
    assert (status, len(table(out))) == (0, 2)
    assert err == "dm-lw: no map has latency-weighted; these are all multipath maps\n"


def test_maps_of_both_kinds(other):
    """Without --all those of latency-weighted, and a word on the other one."""
    status, out, err = other.run("stat")
    assert (status, {row["map"] for row in table(out)}) == (0, {"mpatha", "mpathb"})
    assert err == "dm-lw: 1 multipath map with another selector: -a shows it\n"
    assert [row["map"] for row in table(other("stat", "-a"))] == ["mpatha"] * 2 + ["mpathb"] * 2 + ["mpatho"] * 2
    assert len(json.loads(other("stat", "-j"))["maps"]) == 2


def test_first_report_of_several(alone):
    """Nothing is known yet but what is in flight."""
    fast, slow = table(alone("stat", "mpatho", "2", "2").split("\n\n")[0])
    assert figures(fast)[1:] == ["-", "-", "0"]


def test_json(alone):
    (found,) = json.loads(alone("stat", "-aj"))["maps"]
    path = found["paths"][0]
    assert (found["selector"], found["settings"], path["latency_source"]) == (None, {}, "disk")
    assert (path["latency_us"], path["read_latency_us"], path["write_latency_us"]) == (1863.636, 2000, 500)
    assert (path["done"], path["starts"], path["weight"], path["classes"]) == (6600, 6603, None, {})


def test_columns_of_disks(other):
    """Of each selector's maps."""
    trees.write(trees.disk_text("8:0", 100, 1000), other.root)
    other_one = table(other("stat", "-o", "path,r/s,w/s,r_await,w_await,size", "mpatho"))
    assert list(other_one[0].values()) == ["sde", "1000.0", "100.0", "2.000", "0.500", "4.0"]
    assert list(other_one[1].values()) == ["sdf", "100.0", "0.0", "31.000", "-", "4.0"]
    ours = other("stat", "-o", "path,r/s,r_await", "mpatha", "1", "2").split("\n\n")
    assert [table(text)[0]["r_await"] for text in ours] == ["-", "-"]


def test_latency(alone):
    """Means of reads and writes; nothing of another selector is counted by latency."""
    head, _, *lines = alone("latency", "mpatho").splitlines()
    assert head == "mpatho  dm-3  3600other  13:00:01, in 1 s"
    assert [line.split() for line in lines] == [
        ["path", "state", "class", "done/s", "lat-ms"], ["sde", "-", "read", "1000.0", "2.000"],
        ["sde", "-", "write", "100.0", "0.500"], ["sdf", "-", "read", "100.0", "31.000"]]
    document = json.loads(alone("latency", "-j", "mpatho", "1", "1"))
    assert document["paths"][1]["operations"] == {"read": {"done_per_s": 100, "mean_us": 31000}}


@pytest.mark.parametrize("words", [["--sort", "p99"], ["-o", "path,p50"]])
def test_percentiles_are_not_known(alone, words):
    assert "percentiles are known of maps of latency-weighted only" in alone.fails("stat", *words)


def test_recorded_and_shown(alone, tmp_path):
    file = str(tmp_path / "recording")
    status, out, err = alone.run("record", file, "10", "3")
    assert (status, out, err.count("\n")) == (0, "", 1) and "recording goes on" in err
    *_, last = alone("report", file).split("\n\n")
    assert figures(table(last.partition("\n")[2])[1]) == ["8.33", "10.0", "31.000", "0"]
    assert alone("report", "--html", "-", file).count("<polyline") == 10


def test_a_map_that_gets_another_selector_while_it_is_recorded(other, clock, tmp_path):
    """Told as one event; its paths did not go."""
    file = str(tmp_path / "recording")
    clock.later[:] = [lambda: trees.write(trees.map_text("dm-3", "mpatho", "3600other", {
        name: trees.path_files(number) for name, number in PATHS.items()}), other.root)]
    other("record", file, "10", "2")
    page = other("report", "--html", "-", file)
    events = [line for line in page.splitlines() if line.startswith("<tr><td>")]
    assert len(events) == 1 and "<td>mpatho<td><td>selector: latency-weighted, was unknown" in events[0]


def test_milliseconds_that_begin_again(alone):
    """The kernel has 32 bits for them, which are 50 days of I/O."""
    before = dict.fromkeys(disks.TOTALS, 10)
    after = dict(before, disk_reads=20, disk_read_ms=10)
    assert disks.work(after, dict(before, disk_read_ms=2**32 - 10)).read_ms == 20
    assert disks.work(after, dict(before, disk_read_ms=5000)) is None     # another disk, whose I/Os are more
    assert disks.work(dict(before, disk_reads=9), before) is None
    assert disks.work(dict(before, disk_reads=None), before) is None


@pytest.mark.parametrize("text", ["", "1 2 3", "1 2 3 4 5 6 7 x 9", "-1 0 0 0 0 0 0 0 0"])
def test_counters_that_are_none(alone, clock, text):
    clock.later.clear()
    trees.write("dev/block/8:64/stat %s\n" % text, alone.root)
    fast, slow = table(alone("stat", "-ay", "1", "1"))
    assert figures(fast) == ["-", "-", "-", "-"] and fast["path"] == "sde"


def dm_host(tmp_path):
    host = FakeHost(tmp_path)
    host.add_map("dm-3", "mpatho", "mpath-3600other")
    host.add_map("dm-4", "byhand", "")
    host.add_map("dm-5", "part", "part1-mpath-3600other")
    trees.write(trees.other_map_text("dm-3", "mpatho", "3600other", PATHS), tmp_path / "sys")
    host.set_tables("mpatho: 0 8 multipath 0 0 2 1 service-time 0 1 2 8:64 1 1 service-time 0 1 2 8:80 1 1\n",
                    "byhand: 0 8 multipath 0 0 1 1 queue-length 0 1 1 8:96 1\n")
    host.set_tables("mpatho: 0 8 multipath 2 0 0 0 2 1 A 0 1 2 8:64 A 0 0 1 E 0 1 2 8:80 F 1 0 1\n",
                    flags=dm_ioctl.STATUS)
    return host


def test_what_root_is_told_by_dm(tmp_path):
    """Selectors and states, and maps that were made by hand."""
    host = dm_host(tmp_path)
    found = rows(Looker(host.sysfs, scope=ALL, host=host)())
    assert [(row["map"], row["selector"], row["path"], row["state"]) for row in found] == [
        ("mpatho", "service-time", "sde", "active"), ("mpatho", "service-time", "sdf", "failed")]
    assert [each.name for each in others.list_maps(host)] == ["mpatho", "byhand"]


def test_dm_that_refuses(tmp_path, monkeypatch):
    """The counters are known nevertheless."""
    def refuse(*_):
        raise LwError("/dev/mapper/control: Input/output error")
    host = dm_host(tmp_path)
    monkeypatch.setattr(host, "map_text", refuse)
    assert [(each.name, each.selector) for each in others.list_maps(host)] == [("mpatho", "")]


def test_where_paths_lead(alone):
    """As multipath -ll and topology tell it; read only if somebody wants to see it."""
    way = "devices/pci0/host7/session3/target7:0:1/7:0:1:4"
    shutil.rmtree(str(alone.root / "dev/block/8:64"))
    trees.write("%s/block/sde/dev 8:64\n%s/block/sde/device@ ../..\ndev/block/8:64@ ../../%s/block/sde\n"
                "%s/scsi_device/7:0:1:4/uevent \nclass/iscsi_connection/connection3:0/persistent_address 192.0.2.4\n"
                "class/iscsi_connection/connection3:0/persistent_port 3260\n" % ((way,) * 4), alone.root)
    lines = alone("stat", "-a", "-o", "path,hctl,port").splitlines()[1:]
    assert [line.split() for line in lines] == [["sde", "7:0:1:4", "192.0.2.4:3260"], ["sdf", "-", "-"]]
    assert [line.split() for line in alone("stat", "-a", "-o", "path", "--sort", "hctl").splitlines()[1:]] == [["sde"], ["sdf"]]
    assert "hctl" not in alone("stat", "-aj")


def test_a_heading_for_each_map(other):
    """With totals of its paths; no line is longer than a terminal, whatever the name is."""
    name = "3600140512345678901234567890abcd"
    trees.write(trees.other_map_text("dm-3", name, name, PATHS), other.root)
    parts = other("stat", "-am", "--sort", "latency").split("\n\n")
    assert [part.splitlines()[0] for part in parts] == ["mpatha  dm-0", name + "  dm-3", "mpathb  dm-10"]
    both, *paths = table(parts[1].partition("\n")[2])
    assert figures(both) == ["100.00", "1200.0", "4.292", "3"]
    assert (both["path"], [path["path"] for path in paths]) == ("all", ["sdf", "sde"])
    assert max(len(line) for part in parts for line in part.splitlines()) <= 80
    assert "path" in other("stat", "-m", "-c", "mpatha").splitlines()[1]
    assert other("stat", "--by", "map", "mpatha").splitlines()[0] == "mpatha  dm-0"
    assert "without -m" in other.fails("stat", "-mj", status=2)
