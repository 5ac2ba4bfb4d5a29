"""dm-lw latency: percentiles, pictures, and a tunable that is given back."""
# promise output/dm-lw-latency: `dm-lw latency` shows true percentiles, within 10 %, and restores the map's tunable
#   however it ends | check: some | full: `guests-*`

import errno
import json
import os
import random
import signal

import pytest

from dm_lw import latency, sysfs
from dm_lw.histogram import Histogram, border, part_of

from . import trees
from .conftest import start_tool

# As the kernel has them: eight of equal width for each power of two.
BUCKETS = [(border(part), border(part + 1)) for part in range(8, 208)]


def counted(latencies):
    """The histogram of latencies in us, as the kernel counts them."""
    counts = {}
    for us in latencies:
        borders = border(part_of(us)), border(part_of(us) + 1)
        counts[borders] = counts.get(borders, 0) + 1
    return Histogram(counts)


@pytest.fixture
def kernel(monkeypatch, tool):
    """The files of debugfs have a histogram where the map's tunable is 1, as the module does it."""
    content = sysfs.Sysfs.content

    def as_the_module_has_it(tree, *names, **options):
        found = content(tree, *names, **options)
        if names[-1] == "latency_stat" and found and tree.number(
                "kernel/dm-latency-weighted", names[1], "histogram") == 0:
            return found.split(b"\n\n")[0]
        return found

    monkeypatch.setattr(sysfs.Sysfs, "content", as_the_module_has_it)
    tool.file("dm-0/histogram").write_text("0\n")
    return tool


def test_counted_so_far(tool, golden):
    golden("latency.txt", tool("latency", "mpatha"))


def test_interval(tool, golden):
    """What was counted in it: 2000 of sda, and none of it above 1.28 ms."""
    out = tool("latency", "mpatha", "2", "1")
    golden("latency-2-1.txt", out)
    assert "in 2 s" in out and "       2000     1.216     1.216     1.216     1.216\n" in out


def test_each_interval(tool):
    """The first report comes when the first interval is over."""
    assert [line.split(", ")[1] for line in tool("latency", "mpatha", "2", "3").splitlines()
            if line.startswith("mpatha")] == ["in 2 s"] * 3


def test_json(tool):
    document = json.loads(tool("latency", "-j", "mpatha"))
    assert document["interval_s"] is None
    assert [document[name] for name in ("version", "map", "dm", "wwid")] == [
        2, "mpatha", "dm-0", "36001405aaaa"]
    assert document["paths"][1] == {
        "path": "sdc", "device": "8:32", "state": "slow", "classes": dict.fromkeys(["32k", "data"], {
            "ios": 905, "unstamped": 5, "p50_us": 30720, "p90_us": 30720, "p99_us": 30720,
            "p999_us": 30720, "buckets": [{"from_us": 28672, "below_us": 32768, "ios": 900}]}), "operations": {}}
    lines = tool("latency", "-j", "mpatha", "1", "2").splitlines()
    assert [json.loads(line)["interval_s"] for line in lines] == [1, 1]


def test_data_of_all_sizes_together(tool):
    """A row more, where there is more than one size; flushes are none of it."""
    text = trees.latency_stat({("1.000", "2.000"): 5}).replace("\\n", "\n")
    head, *rows = [line.split() for line in text.split("\n\n")[1].splitlines()]
    rows[0][head.index("64k")] = rows[0][head.index("zero")] = "3"
    tool.file("../debug/dm-latency-weighted/dm-0/paths/sda/latency_stat").write_text(
        "x\n\n" + "\n".join(" ".join(row) for row in [head, *rows]))
    lines = [line.split() for line in tool("latency", "mpatha").splitlines()]
    assert [line[2:4] for line in lines if line[:1] == ["sda"]] == [
        ["zero", "3"], ["32k", "5"], ["64k", "3"], ["data", "8"]]
    assert [line for line in lines if line[:1] == ["sda,"]] == [
        ["sda,", "without", "data"], ["sda,", "up", "to", "32", "KiB"],
        ["sda,", "up", "to", "64", "KiB"]]


def test_operations(tool, golden):
    """Columns behind those of the classes: rows of their own, and no part of data."""
    file = tool.file("../debug/dm-latency-weighted/dm-0/paths/sda/latency_stat")
    head, *rows = [line.split() for line in file.read_text().split("\n\n")[1].splitlines()]
    told = [("800", "100"), ("0", "90"), ("0", "10"), ("0", "0")]
    file.write_text("x\n\n" + "\n".join(" ".join([*row, *more]) for row, more in zip(
        [head, *rows], [("read", "write"), *told])))
    golden("latency-operations.txt", tool("latency", "mpatha"))
    sda, sdc = json.loads(tool("latency", "-j", "mpatha"))["paths"]
    assert list(sda["classes"]) == ["32k", "data"] and sda["classes"]["data"]["ios"] == 1000
    assert {name: (each["ios"], each["p50_us"], each["p99_us"]) for name, each in sda["operations"].items()} == {
        "read": (800, 1216, 1216), "write": (200, 1216, 4352)}
    assert sda["operations"]["write"]["buckets"][2] == {"from_us": 4096, "below_us": 4608, "ios": 10}
    assert sdc["operations"] == {}
    stat = json.loads(tool("stat", "-j", "-o", "p99", "-c", "mpatha"))
    assert stat["maps"][0]["paths"][0]["p99_us"] == 2176


def test_tunable_is_given_back(kernel):
    status, out, err = kernel.run("latency", "mpatha")
    assert status == 0
    assert err == "dm-lw: mpatha: histogram 0 -> 1\ndm-lw: mpatha: histogram 1 -> 0\n"
    assert "in 1 s" in out and "2000" in out
    assert kernel.file("dm-0/histogram").read_text() == "0\n"


def test_tunable_that_is_set_stays(tool):
    assert tool.run("latency", "mpatha", "1", "1")[2] == ""
    assert tool.file("dm-0/histogram").read_text() == "1\n"


def test_histogram_that_somebody_takes_away(kernel, clock):
    clock.later[:] = [lambda: kernel.file("dm-0/histogram").write_text("0\n")]
    status, out, err = kernel.run("latency", "mpatha", "1")
    assert (status, out) == (1, "")
    assert "dm-lw: mpatha is not counted by latency: somebody set its histogram to 0, or" in err


def test_map_that_goes_meanwhile(kernel, clock, monkeypatch):
    """Its tunable is not given back: another map may have its number by now."""
    class Gone(latency.Switch):
        def turn(self, value):
            if value == 0:
                monkeypatch.setattr(os, "pwrite", refuse)
            return super().turn(value)

    def refuse(*_):
        raise OSError(errno.ENODEV, os.strerror(errno.ENODEV))

    monkeypatch.setattr(latency, "Switch", Gone)
    clock.later[:] = [lambda: kernel.remove_map("dm-0")]
    status, out, err = kernel.run("latency", "mpatha", "1")
    assert (status, out) == (1, "")
    assert err == "dm-lw: mpatha: histogram 0 -> 1\ndm-lw: mpatha is gone\n"


def test_another_map_of_the_same_number(kernel, clock):
    """It is not shown, and its tunable stays: the one that was set is the one that is given back."""
    def another():
        kernel.file("dm-0").rename(kernel.root / "gone")
        trees.write(trees.map_text("dm-0", "mpathc", "3600b", {}, histogram=1), kernel.root)

    clock.later[:] = [another]
    assert kernel.run("latency", "mpatha", "1", "1")[2].endswith("dm-lw: mpatha is gone\n")
    assert kernel.file("dm-0/histogram").read_text() == "1\n"
    assert (kernel.root / "gone/histogram").read_text() == "0\n"


def test_map_that_is_renamed(kernel, clock):
    clock.later[:] = [lambda: kernel.file("dm-0/name").write_text("prod_db\n")]
    status, out, _ = kernel.run("latency", "mpatha", "1", "2")
    assert status == 0 and out.count("prod_db  dm-0") == 2


@pytest.fixture
def process_on(sys_tree):
    """Starts it for a map whose tunable is 0: the process, and the tunable's file.

    The tree is no kernel, so it has histograms all the time.
    """
    histogram = sys_tree / "kernel/dm-latency-weighted/dm-0/histogram"
    histogram.write_text("0\n")

    def start(interval):
        return start_tool(sys_tree, "latency", "mpatha", interval, text=True), histogram

    return start


@pytest.mark.parametrize("number, status", [(signal.SIGINT, 130), (signal.SIGTERM, 143),
                                            (signal.SIGHUP, 129)])
def test_interrupted(process_on, number, status):
    process, histogram = process_on("60")
    assert process.stderr.readline() == "dm-lw: mpatha: histogram 0 -> 1\n"
    assert histogram.read_text() == "1\n"
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (
        status, "", "dm-lw: mpatha: histogram 1 -> 0\ndm-lw: interrupted by %s\n"
        % signal.Signals(number).name)
    assert histogram.read_text() == "0\n"


def test_signal_when_it_ends_by_itself(kernel, signal_at_the_end):
    assert kernel.run("latency", "mpatha", "1", "1")[0] == 143
    assert kernel.file("dm-0/histogram").read_text() == "0\n"


def test_reader_that_goes_away(process_on):
    process, histogram = process_on("0.1")
    process.stdout.readline()
    process.stdout.close()
    assert process.wait(timeout=60) == 141
    assert process.stderr.read().endswith("histogram 1 -> 0\n")
    process.stderr.close()
    assert histogram.read_text() == "0\n"


def test_message_that_nobody_takes(process_on):
    """It is about what was done, and to be undone."""
    process, histogram = process_on("0.1")
    process.stderr.close()
    process.stdout.close()
    process.wait(timeout=60)
    assert histogram.read_text() == "0\n"


@pytest.mark.parametrize("words, told", [
    ([], "MAP"), (["1"], "one MAP is wanted, here are: none"),
    (["mpatha", "mpathb"], "one MAP is wanted, here are: mpatha, mpathb"),
    (["mpatha", "0"], "an interval of 0 s is too short"),
    (["mpatha", "1", "x"], "one MAP is wanted, here are: mpatha, 1, x"),
    (["mpatha", "1", "-1"], "\"-1\" is neither a map nor an interval"),
])
def test_wrong_usage(tool, words, told):
    assert told in tool.fails("latency", *words, status=2)


def test_no_debugfs(tool):
    (tool.root / "kernel/debug/dm-latency-weighted").rename(tool.root / "gone")
    assert "debugfs is not mounted" in tool.fails("latency", "mpatha")
    assert "debugfs is not mounted" in tool.fails("stat", "-o", "p99")


def test_older_module(tool):
    tool.file("dm-0/histogram").unlink()
    assert "the loaded module has no" in tool.fails("latency", "mpatha")


def test_unwritable(tool, monkeypatch):
    def refuse(*_):
        raise OSError(errno.EACCES, os.strerror(errno.EACCES))

    tool.file("dm-0/histogram").write_text("0\n")
    monkeypatch.setattr(latency.os, "open", refuse)
    assert "dm-0/histogram: Permission denied" in tool.fails("latency", "mpatha")


@pytest.mark.parametrize("row", ["1.000 1.125 1", "1.000 1.125 -1 0 0 0 0 0 0 0 0", "- 2.000" + " 0" * 9,
                                 "2.000 1.000" + " 0" * 9, "nan 2.000" + " 0" * 9,
                                 "unstamped 2.000" + " 0" * 9, "1.0000 2.000" + " 0" * 9])
def test_what_is_no_bucket(tool, row):
    file = tool.file("../debug/dm-latency-weighted/dm-0/paths/sda/latency_stat")
    head = file.read_text().split("\n\n")[1].splitlines()[0]
    file.write_text("x\n\n%s\n%s\n" % (head, row))
    assert "latency_stat: \"%s\" is no row of a histogram" % row in tool.fails("latency", "mpatha")


@pytest.mark.parametrize("seed", range(20))
def test_percentiles_are_right(seed):
    """Within 6.25 %, whatever the latencies, and as an exact count has them."""
    chance = random.Random(seed)
    spread = chance.choice([lambda: chance.uniform(1, 30e6), lambda: chance.lognormvariate(7, 1.5),
                            lambda: chance.choice([85, 1200, 31000]),
                            lambda: 1 + chance.expovariate(1 / 500)])
    latencies = sorted(min(max(spread(), 1), 33e6) for _ in range(chance.choice([1, 10, 5000])))
    histogram = counted(latencies)
    for permille in (1, 500, 900, 990, 999, 1000):
        exact = latencies[-(-len(latencies) * permille // 1000) - 1]
        assert abs(histogram.percentile(permille) - exact) <= exact / 16


def test_what_grew():
    before = Histogram({(1, 2): 3, (4, 8): 1}, 2)
    now = Histogram({(1, 2): 5, (4, 8): 1, (8, None): 1}, 2)
    assert now.since(before) == Histogram({(1, 2): 2, (4, 8): 0, (8, None): 1}, 0)
    assert now.since(None) is now
    # restarted by dm-lw reset: what is there came since then
    assert before.since(now) is before
    assert Histogram({(1, 2): 9, (4, 8): 9}, 1).since(before).unstamped == 1


def test_last_bucket_has_no_end():
    histogram = Histogram({(1024, 1152): 1, (33554432, None): 99})
    assert histogram.percentiles()["p99_us"] == 33554432
    assert histogram.picture(24)[-1] == ((33554432, None), 99)


def test_nothing_counted():
    assert set(Histogram().percentiles().values()) == {None}
    assert Histogram().picture(24) == []


@pytest.mark.parametrize("buckets", [BUCKETS, [(1 << bit, 2 << bit) for bit in range(25)]],
                         ids=["eighths of powers of two", "powers of two"])
@pytest.mark.parametrize("seed", range(10))
def test_pictures(buckets, seed):
    """Rows follow each other; each I/O is in the row of its bucket; no more rows than allowed."""
    chance = random.Random(seed)
    histogram = Histogram({borders: chance.randrange(1, 9)
                           for borders in chance.sample(buckets, chance.choice([1, 3, 20]))})
    rows = histogram.picture(24)
    assert 1 <= len(rows) <= 24
    assert all(one[0][1] == other[0][0] for one, other in zip(rows, rows[1:]))
    for (start, end), count in rows:
        assert count == sum(number for (low, high), number in histogram.buckets()
                            if start <= low and high <= end)
    assert rows[0][1] and rows[-1][1]


@pytest.mark.parametrize("count, line", [(0, ""), (1, "▏"), (500, "█" * 20), (1000, "█" * 40)])
def test_bars(count, line):
    assert latency.bar(count, 1000, latency.BLOCKS) == line
    assert latency.bar(count, 1000, latency.ASCII) == "#" * len(line)
