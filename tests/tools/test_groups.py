"""dm-lw stat --by port and --by hba: a row of totals for each port of the storage, or of this host."""
import json

import pytest

from . import trees
from .conftest import Tool
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
