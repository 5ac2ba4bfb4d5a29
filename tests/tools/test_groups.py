"""dm-lw stat --by port and --by hba: a row of totals for each port of the storage, or of this host."""
import json
import sys

import pytest

from dm_lw import counts

from . import trees
from .conftest import Tool
from .fake_host import FakeHost
from .test_topology import Storage

OWN = ("0x21000024ff000001", "0x21000024ff000002")
FAR = ("0x50060e8010203040", "0x50060e8010203041")
DISKS = {"sda": "8:0", "sdb": "8:16", "sdc": "8:32", "sdd": "8:48", "sdx": "8:64"}


@pytest.fixture
def site(tmp_path, clock, capsys):
    """Two maps with a path through each of two HBAs and ports, and a path whose port is unknown."""
    storage = Storage(tmp_path)
    for host, (one, other) in enumerate((("sda", "sdb"), ("sdc", "sdd"))):
        for disk in (one, other):
            storage.fibre_channel(DISKS[disk], disk, 7 + host, "rport-%d:0-%d" % (7 + host, host), (OWN[host], FAR[host]))
    maps = {"dm-0": ("mpatha", "sda", "sdc", "sdx"), "dm-1": ("mpathb", "sdb", "sdd")}
    storage.write(trees.module_text())

    def work(seconds):
        """Each second a path of the second port does a tenth of the first one's I/O, its reads in 8 ms, not in 1."""
        for dm, (name, *disks) in maps.items():
            storage.write(trees.map_text(dm, name, "3600" + name, {disk: trees.path_files(
                DISKS[disk], done=1000 + seconds * (100 if disk in ("sdc", "sdd") else 1000),
                state={"sdc": "probing", "sdd": "failed"}.get(disk, "active")) for disk in disks}))
        for disk in ("sda", "sdb"):
            storage.write(trees.disk_text(DISKS[disk], 1000 * seconds, 1000, 500 * seconds, 500))
        storage.write(trees.disk_text(DISKS["sdc"], 100 * seconds, 8000)
                      + trees.disk_text(DISKS["sdd"], 300 * seconds, 2000))

    work(1)
    clock.later[:] = [lambda n=n: work(n) for n in range(2, 9)]
    return Tool(storage.sys, capsys)


def table(text):
    head, *lines = [line.split() for line in text.splitlines()]
    return [dict(zip(head, line)) for line in lines]


def lines_of(site, monkeypatch, width, *words):
    """On a terminal of that width."""
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    return site(*words).splitlines()


def test_names_of_maps_become_headings_where_they_do_not_fit(site, monkeypatch):
    """Not in a pipe, whose reader goes by the columns."""
    for dm in ("dm-0", "dm-1"):
        wwid = "3600a0980383036347a5d4f4d64%s" % dm.replace("dm-", "aabbcc")
        site.root.joinpath("kernel/dm-latency-weighted", dm, "name").write_text(wwid + "\n")
    assert site("stat").splitlines()[0].startswith("map ")
    wide = lines_of(site, monkeypatch, 150, "stat", "--color=never")
    assert wide[0].startswith("map ") and len(wide) == 6
    narrow = lines_of(site, monkeypatch, 80, "stat", "--color=never")
    assert narrow[0] == "3600a0980383036347a5d4f4d64aabbcc0  dm-0" and narrow[1].startswith("path  state ")
    assert max(map(len, narrow)) <= 80
    assert [line.split()[0] for line in narrow if line] == [
        narrow[0].split()[0], "path", "all", "sda", "sdc", "sdx", "3600a0980383036347a5d4f4d64aabbcc1", "path", "all",
        "sdb", "sdd"]


def test_long_names_of_ports_have_lines_of_their_own(monkeypatch, tmp_path, capsys, clock):
    storage = Storage(tmp_path)
    address = "2001:db8:1234:5678:9abc:def0:1234:5678"
    storage.scsi("8:0", "sda", "platform/host2/session1/target2:0:0")
    for name, value in (("address", address), ("port", "3260")):
        storage.write("class/iscsi_connection/connection1:0/persistent_%s %s\n" % (name, value))
    storage.write(trees.module_text() + trees.map_text("dm-0", "mpatha", "3600a", {"sda": trees.path_files("8:0")}))
    site = Tool(storage.sys, capsys)
    assert site("stat", "--by", "port").splitlines()[1].split()[:2] == ["[%s]:3260" % address, "1"]
    head, name, values = lines_of(site, monkeypatch, 80, "stat", "--by", "port", "--color=never")
    assert name == "[%s]:3260" % address and len(head) <= 80 and len(values) <= 80
    assert dict(zip(head.split()[1:], values.split()))["paths"] == "1"


def test_extended_is_like_iostat(site, monkeypatch):
    """Each path's reads and writes, below a line of their map's totals, in 80 columns."""
    heading, *lines = lines_of(site, monkeypatch, 80, "stat", "-x", "mpatha", "--color=never")
    rows = table("\n".join(lines))
    assert heading == "mpatha  dm-0" and max(map(len, lines)) <= 80
    assert list(rows[0]) == ["path", "state", "share%", "r/s", "w/s", "r_await", "w_await", "size-KiB", "inflight"]
    whole, fast, slow, _ = rows
    assert (fast["r/s"], fast["w/s"], fast["r_await"], fast["w_await"]) == ("1000.0", "500.0", "1.000", "0.500")
    assert (slow["r/s"], slow["r_await"], slow["size-KiB"]) == ("100.0", "8.000", "4.0")
    assert (whole["path"], whole["r/s"], whole["w/s"]) == ("all", "1100.0", "500.0")
    assert "-x has columns of its own" in site.fails("stat", "-x", "-j", status=2)


@pytest.fixture
def told(monkeypatch, tmp_path):
    """multipathd tells of two paths; of the third it knows nothing."""
    host = FakeHost(tmp_path)
    host.write("proc/77/comm", "multipathd\n")
    host.answer("multipathd show paths raw format %D|%p|%T", "8:0  |50  |ready\n 8:32|  10| ghost \n8:99|x|undef\n")
    monkeypatch.setattr(counts, "Host", lambda sysfs: host)
    return host


def test_priority_and_checker(site, told):
    rows = table(site("stat", "-o", "path,prio,checker", "mpatha"))
    assert [tuple(row.values()) for row in rows] == [("sda", "50", "ready"), ("sdc", "10", "ghost"), ("sdx", "-", "-")]
    (found,) = json.loads(site("stat", "-j", "-o", "prio,checker", "mpatha"))["maps"]
    assert found["paths"][0] == {"prio": 50, "checker": "ready"}
    told.root_user = False
    assert "to root only" in site.fails("stat", "-o", "prio")


def test_priority_needs_multipathd(site, told):
    told.write("proc/77/comm", "bash\n")
    assert "multipathd is not running" in site.fails("stat", "-o", "+checker")


@pytest.mark.parametrize("by, names", [("port", FAR), ("hba", OWN)])
def test_a_row_for_each(site, by, names):
    """Sums, and means in which a path weighs as much as it does; what is not known is the last."""
    text = site("stat", "--by", by)
    first, second, unknown = table(text)
    assert first == {by: names[0], "paths": "2", "slow": "0", "failed": "0", "io/s": "2000.0", "MB/s": "12.29",
                     "r_await": "1.000", "w_await": "0.500"}
    assert second == {by: names[1], "paths": "2", "slow": "1", "failed": "1", "io/s": "200.0", "MB/s": "1.64",
                      "r_await": "3.500", "w_await": "-"}
    assert unknown == {by: "-", "paths": "1", "slow": "0", "failed": "0", "io/s": "1000.0", "MB/s": "-",
                       "r_await": "-", "w_await": "-"}
    assert max(map(len, text.splitlines())) <= 80


def test_the_widest_fits_a_terminal(site):
    """With the longest IPv4 address in place of a WWPN."""
    assert len(FAR[0]) < len("255.255.255.255:65535") == 21
    text = site("stat", "--by", "port").splitlines()[0]
    assert len(text) + 21 - len(FAR[0]) <= 80


def test_totals_of_a_map_have_the_same(site):
    both, *paths = table(site("stat", "-m", "-o", "path,paths,slow,bytes,r_await", "mpatha", "1", "2").split("\n\n")[1]
                         .partition("\n")[2])
    assert list(both.values()) == ["all", "3", "1", "6.55", "1.636"] and len(paths) == 3


def test_chosen_columns_and_order(site):
    words = ["stat", "--by", "port", "-o", "port,r/s,w/s,read,write,size,inflight,latency", "--sort", "r/s", "-r"]
    slow, fast, unknown = table(site(*words))
    assert list(slow.values()) == [FAR[1], "400.0", "0.0", "1.64", "0.00", "4.0", "4", "1.200"]
    assert list(fast.values()) == [FAR[0], "2000.0", "1000.0", "8.19", "4.10", "4.0", "4", "1.200"]
    assert unknown["port"] == "-"
    assert len(site("stat", "--by", "port", "mpatha", "-o", "+inflight").splitlines()) == 4


def test_json(site):
    document = json.loads(site("stat", "-j", "--by", "port"))
    assert [port["target_port"] for port in document["ports"]] == [*FAR, None]
    assert "maps" not in document and document["interval_s"] == 1
    second = document["ports"][1]
    assert (second["paths"], second["slow"], second["failed"], second["inflight"]) == (2, 1, 1, 4)
    assert (second["disk_reads_per_s"], second["read_latency_us"], second["bytes_per_s"]) == (400, 3500, 1638400)
    (first, *_) = json.loads(site("stat", "-j", "--by", "hba", "-o", "hba,paths"))["hbas"]
    assert first == {"host_port": OWN[0], "paths": 2}


def test_each_interval(site):
    parts = site("stat", "--by", "hba", "2", "3").split("\n\n")
    assert [table(part)[0]["r_await"] for part in parts] == ["-", "1.000", "1.000"]


def test_another_selector(site):
    """Which of its paths are slow is not known, and without root nor which have failed."""
    trees.write(trees.other_map_text("dm-3", "mpatho", "3600other", {"sda": "8:0"}), site.root)
    (row,) = table(site("stat", "--by", "port", "mpatho"))
    assert (row["paths"], row["slow"], row["failed"], row["io/s"]) == ("1", "-", "-", "1500.0")


def test_hba_of_each_path(site):
    lines = site("stat", "-o", "path,hba", "mpatha").splitlines()[1:]
    assert [line.split() for line in lines] == [["sda", OWN[0]], ["sdc", OWN[1]], ["sdx", "-"]]


@pytest.mark.parametrize("words, told", [
    (["--by", "port", "-o", "path"], "--by port has no column \"path\"; there are: port, paths"),
    (["--by", "port", "--sort", "p99"], "--by port has no column \"p99\""),
    (["--by", "hba", "--prometheus"], "--by hba is about tables"), (["--by", "hba", "--watch"], "--by hba is about tables"),
    (["--by", "port", "-c"], "without -c and --state"), (["--by", "port", "--state", "slow"], "without -c and --state"),
    (["--by", "disk"], "invalid choice: 'disk'")])
def test_what_does_not_go_together(site, words, told):
    assert told in site.fails("stat", *words, status=2)


def test_ports_are_not_recorded(site):
    assert "invalid choice: 'port'" in site.fails("report", "file", "--by", "port", status=2)
