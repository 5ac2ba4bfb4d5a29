"""dm-lw stat on trees of files: what it prints, to the letter."""
import json
import os
import shutil

import pytest

from dm_lw import columns, intervals


def test_default(tool, golden):
    golden("stat.txt", tool("stat"))


def test_intervals(tool, golden):
    golden("stat-2-2.txt", tool("stat", "2", "2"))


def test_intervals_are_kept_though_a_look_takes_time(tool, clock):
    """Three reports, the first at once: two intervals, wherever the time went."""
    start = clock.now
    tool("stat", "5", "3")
    assert clock.now == start + 10


def test_json(tool, golden):
    golden("stat.json", tool("stat", "-j", "2", "2"))


def test_json_of_some_columns(tool):
    document = json.loads(tool("stat", "-j", "-o", "path,latency", "mpatha"))
    assert document["version"] == 3
    (found,) = document["maps"]
    assert found["paths"] == [{"path": "sda", "latency_us": 1200},
                              {"path": "sdc", "latency_us": 31040}]


def test_json_of_one_report_and_of_many(tool):
    """A document is spread over lines if it is the only one, otherwise it is a line."""
    assert tool("stat", "-j").count("\n") > 20
    assert [json.loads(line)["interval_s"] for line in tool("stat", "-j", "1", "2").splitlines()
            ] == [None, 1.0]


def test_classes(tool, golden):
    golden("stat-classes.txt", tool("stat", "-c", "2", "2"))


def test_chosen_columns(tool, golden):
    golden("stat-columns.txt",
           tool("stat", "-o", "path,weight,source,knee,probes,failures", "2", "2"))


def test_more_columns_than_the_default(tool):
    header = tool("stat", "-o", "+knee").splitlines()[0].split()
    assert header[:2] == ["map", "dm"] and header[-1] == "knee"


@pytest.mark.parametrize("name", [name for name in columns.COLUMNS if not columns.need_multipathd([columns.COLUMNS[name]])])
def test_every_column_is_a_value_in_rows(tool, name):
    lines = tool("stat", "-c", "-o", name, "mpatha").splitlines()
    assert len(lines) == 3
    assert lines[0].strip() == columns.COLUMNS[name].header


def test_unknown_column(tool):
    assert "no column is called \"speed\"" in tool.fails("stat", "-o", "path,speed", status=2)


@pytest.mark.parametrize("name", ["mpathb", "dm-10", "/dev/mapper/mpathb", "/dev/dm-10",
                                  "36001405bbbb"])
def test_map_by_any_name(tool, name):
    lines = tool("stat", name).splitlines()
    assert [line.split()[2] for line in lines[1:]] == ["sdb", "sdd"]


def test_several_maps_and_interval(tool):
    assert len(tool("stat", "mpathb", "dm-0", "1", "1").splitlines()) == 5


@pytest.mark.parametrize("words", [["0"], ["0.01"], ["1", "0"], ["1", "1.5"]])
def test_impossible_intervals(tool, words):
    tool.fails("stat", *words, status=2)


@pytest.mark.parametrize("word", ["nan", "NaN", "-1", "inf", "-0.5", "1e3", "1e-3", "+1", "1.2.3",
                                  "12345678901"])
def test_what_is_no_interval(tool, word):
    for words in ([word], [word, "1"], ["mpatha", "1", word]):
        assert tool.fails("stat", *words, status=2) == (
            "dm-lw: \"%s\" is neither a map nor an interval, which is seconds, like 1 or 0.5\n"
            % word)


def test_file_that_is_an_interval(tool):
    assert "is it a file?" in tool.fails("stat", "--prometheus", "10", status=2)


def test_file_that_is_a_map(tool, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "that is a map" in tool.fails("stat", "--prometheus", "mpatha", status=2)
    assert not os.path.exists("mpatha")


def test_no_rate_without_a_beginning(tool):
    """A module that does not say since when a path is known."""
    for file in tool.root.glob("kernel/dm-latency-weighted/*/paths/*/known_since"):
        file.unlink()
    assert all(line.split()[-1] == "-" for line in tool("stat", "-o", "ios").splitlines()[1:])


def test_what_the_module_does_not_have(tool):
    tool.file("dm-0/paths/sda/knee").unlink()
    assert tool("stat", "-o", "path,knee", "mpatha").splitlines()[1].split() == ["sda", "-"]


def test_path_that_comes_again_begins_again(tool, clock):
    """Unplugged and plugged in between two looks: its totals are lower than before."""
    def another():
        for name, value in (("done", 40), ("starts", 42), ("known_since", clock.now - 1)):
            tool.file("dm-0/paths/sda", name).write_text("%s\n" % value)

    clock.later[:] = [another]
    assert tool("stat", "-o", "ios", "mpatha", "4", "2").splitlines()[5].split() == ["10.0"]


def test_another_map_with_the_same_number(tool, clock):
    """A map that was named is not taken for another; it may come back with another number."""
    def another():
        tool.file("dm-0/name").write_text("oracle\n")
        (tool.root / "block/dm-0/dm/uuid").write_text("mpath-oracle\n")

    def comes_back():
        shutil.copytree(tool.file("dm-0"), tool.file("dm-77"))
        shutil.copytree(tool.root / "block/dm-0", tool.root / "block/dm-77")
        tool.file("dm-77/name").write_text("mpatha\n")
        (tool.root / "block/dm-77/dm/uuid").write_text(uuid)

    uuid = (tool.root / "block/dm-0/dm/uuid").read_text()
    clock.later[:] = [another, comes_back]
    first, gone, back = tool("stat", "-o", "dm,path", "mpatha", "1", "3").split("\n\n")
    assert "dm-0 " in first and len(gone.splitlines()) == 1
    assert "dm-77" in back and "dm-0 " not in back


def test_rate_of_a_path_that_was_not_seen_before(tool, clock):
    """What its totals say is of the time since it is known, not of the interval."""
    path, away = tool.file("dm-0/paths/sda"), tool.root / "away"
    known = int(float(tool.file("dm-0/paths/sda/known_since").read_text()))
    path.rename(away)
    clock.later[:] = [lambda: away.rename(path)]
    done = int((away / "done").read_text())
    _, back = tool("stat", "-o", "path,ios", "mpatha", "1", "2").split("\n\n")
    (rate,) = [line.split()[1] for line in back.splitlines() if line.split()[0] == "sda"]
    assert float(rate) == pytest.approx(done / (clock.now - known), abs=0.06)


def test_map_that_goes_meanwhile(tool, clock):
    clock.later[:] = [lambda: tool.file("dm-0").rename(tool.root / "gone")]
    reports = tool("stat", "1", "2").split("\n\n")
    assert "mpatha" in reports[0] and "mpatha" not in reports[1]


@pytest.mark.parametrize("words, paths", [
    (["--sort", "latency"], ["sdc", "sda", "sdb", "sdd"]),
    (["--sort", "latency", "-r"], ["sdb", "sda", "sdc", "sdd"]),
    (["--sort", "p99"], ["sdc", "sda", "sdb", "sdd"]),
    (["--sort", "state"], ["sdd", "sdc", "sda", "sdb"]),
    (["--sort", "path"], ["sda", "sdb", "sdc", "sdd"]),
    (["--sort", "map", "-r"], ["sdb", "sdd", "sda", "sdc"]),
    (["-r"], ["sdd", "sdb", "sdc", "sda"]),
    (["--state", "active"], ["sda", "sdb"]),
    (["--state", "failed, probing", "mpatha"], ["sdc"]),
    (["-z"], ["sda", "sdc", "sdb", "sdd"]),
    (["-zy", "2", "1"], ["sda", "sdc", "sdb"]),
])
def test_order_and_filters(tool, words, paths):
    """What is not known comes last; sdd did I/O before it failed, so only an interval tells that it is idle."""
    assert tool("stat", "-o", "path", *words).split()[1:] == paths


def test_order_of_paths_with_many_digits(tool):
    tool.file("dm-0/paths/sdc").rename(tool.file("dm-0/paths/sdaa"))
    assert tool("stat", "-o", "path", "--sort", "path").split()[1:] == ["sda", "sdb", "sdd", "sdaa"]


@pytest.mark.parametrize("words", [["--sort", "p99", "mpatha"], ["-o", "p50,p90,p99,p99.9", "mpatha"],
                                   ["-c", "-o", "class,p99", "mpatha"]], ids=" ".join)
def test_percentiles(tool, words):
    """Of all that was counted at first, then of the interval, whose 2000 I/Os took 1.2 ms."""
    first, second = tool("stat", "-j", *words, "2", "2").splitlines()
    (sda,) = [path for path in json.loads(second)["maps"][0]["paths"] if path.get("path", "sda") == "sda"
              and path.get("p99_us", 1216) == 1216]
    before = [path["p99_us"] for path in json.loads(first)["maps"][0]["paths"]]
    assert sorted(before) == [2176, 30720]
    assert sda["p99_us"] == 1216
    if "-c" in words:
        assert sda["classes"]["32k"]["p99_us"] == 1216


def test_operations(tool):
    """Of the path as a whole, each with what was done in the interval."""
    _, second = tool("stat", "-j", "mpatha", "2", "2").splitlines()
    sda, sdc = json.loads(second)["maps"][0]["paths"]
    assert sda["operations"] == {"read": {"base_latency_us": 1000, "done": 2400, "done_per_s": 800},
                                 "write": {"base_latency_us": 2000, "done": 600, "done_per_s": 200},
                                 "other": {"base_latency_us": 90, "done": 3, "done_per_s": 0}}
    assert sdc["operations"]["read"] == {"base_latency_us": None, "done": 0, "done_per_s": 0}


def test_percentiles_that_are_not_counted(tool):
    """Unknown if another map has them; it is said what to do if none has."""
    assert tool("stat", "-o", "path,p99", "1", "1").split()[-4:] == ["sdb", "-", "sdd", "-"]
    for words in (["--sort", "p99"], ["-o", "p50"], ["-j", "-o", "p90"], ["--watch", "--sort", "p99.9"]):
        assert tool.fails("stat", *words, "mpathb").endswith(
            "I/Os are not counted by latency: dm-lw set mpathb histogram=1\n")


def test_without_the_first_report(tool, golden):
    """Two reports all the same, as iostat counts."""
    golden("stat-y.txt", tool("stat", "-y", "2", "1"))
    assert tool("stat", "-y", "1", "2").count("lat-ms") == 2


def test_order_and_filters_of_json(tool):
    maps = json.loads(tool("stat", "-j", "--sort", "state"))["maps"]
    assert [[path["path"] for path in found["paths"]] for found in maps] == [
        ["sdd", "sdb"], ["sdc", "sda"]]
    for state in ("slow", "probing"):       # the module's word, too
        (found,) = json.loads(tool("stat", "-j", "--state", state))["maps"]
        assert [found["map"], *(found["paths"][0][key] for key in ("path", "state", "latency_source"))] == [
            "mpatha", "sdc", "slow", "timestamps"]


def test_path_that_stalls(tool):
    """The module has the same word for it; but its latency is how long nothing has been done."""
    tool.file("dm-0/paths/sdc/latency_us").write_text("8000000\n")
    for state in ("stalled", "probing"):
        assert tool("stat", "--state", state, "-o", "path,state").split() == ["path", "state", "sdc", "stalled"]
    tool.file("dm-0/paths/sdc/inflight").write_text("0\n")
    assert tool("stat", "--state", "slow,stalled", "-o", "path,state").split()[2:] == ["sdc", "slow"]


def test_columns_by_header_and_by_key(tool):
    """As the table and JSON have them."""
    wanted = tool("stat", "-o", "path,latency,share,ios", "--sort", "latency", "mpatha")
    for words, sort in (("path,lat-ms,share%,io/s", "lat-ms"), ("path,latency_us,share_percent,ios_per_s", "latency_us")):
        assert tool("stat", "-o", words, "--sort", sort, "mpatha") == wanted


def test_every_header_is_a_column(tool):
    for column in columns.COLUMNS.values():
        assert columns.choose(column.header, ()) == columns.choose(column.name, ()) == columns.choose(column.key, ()) == [column]


def test_idle_size_classes_are_left_out(tool):
    for name, value in (("done", 7), ("inflight", 0)):
        tool.file("dm-0/paths/sda/64k", name).write_text("%d\n" % value)
    reports = tool("stat", "-cz", "-o", "path,class", "mpatha", "2", "2").split("\n\n")
    assert "64k" in reports[0] and "64k" not in reports[1]


@pytest.mark.parametrize("words, told", [
    (["--sort", "speed"], "--sort: no column is called \"speed\"; there are: map, dm, "),
    (["--state", "odd"], "--state odd: \"odd\" is none of: new, active, slow, stalled, ramping, failed"),
    (["--state", ""], "\"\" is none of: "),
    (["--sort", ""], "--sort: no column is called \"\""),
    (["-y"], "-y leaves out the first of several reports: give an INTERVAL"),
    (["-y", "--watch", "1"], "give an INTERVAL, and no --watch"),
    (["--prometheus", "-", "-z"], "--prometheus writes all paths of latency-weighted, in its own order"),
    (["--prometheus", "-", "-a"], "--prometheus writes all paths of latency-weighted"),
    (["--prometheus", "-", "--sort", "latency"], "--prometheus writes all paths"),
    (["--prometheus", "-", "-y", "1"], "--prometheus writes all paths"),
    (["--prometheus-all"], "--prometheus-all is about --prometheus"),
])
def test_order_and_filters_that_are_wrong(tool, words, told):
    complaint = tool.fails("stat", *words, status=2)
    assert told in complaint and complaint.count("\n") == 1


def test_bytes_come_from_the_disk(tool, clock):
    stat = tool.root / "dev/block/8:0/stat"
    stat.parent.mkdir(parents=True)
    stat.write_text("10 0 2000 5 1 0 4000 0 0 0 0\n")
    clock.later[:] = [lambda: stat.write_text("20 0 6000 5 1 0 4000 0 0 0 0\n")]
    lines = tool("stat", "-o", "path,read,write", "mpatha", "1", "2").splitlines()
    assert lines[1].split() == ["sda", "-", "-"]
    assert lines[5].split() == ["sda", "2.05", "0.00"]


def test_colour(tool, monkeypatch):
    assert "\033" not in tool("stat")
    lines = tool("stat", "--color", "always").splitlines()
    assert lines[1].startswith("mpatha")
    assert lines[2].startswith("\033[33;1mmpatha") and lines[2].endswith("\033[0m")
    assert "\033" not in tool("stat", "--color", "never")


def test_time(tool):
    assert tool("stat", "-t").startswith("2025-11-21 13:00:00\n")


def test_names_cannot_steer_the_terminal(tool):
    tool.file("dm-0/name").write_bytes(b"mp\033[2J\xff\n")
    assert "mp\\x1b[2J\\xff" in tool("stat")


def test_times_that_passed_are_left_out(clock):
    """As after hours in a pager: the next report is about what is left of its interval."""
    times = []

    def report(now, _before):
        times.append(now - start)
        clock.now += 7.5 if len(times) == 1 else 0

    start = clock.now
    intervals.repeat(report, lambda: clock.now, 2, 4)
    assert times == [0, 8, 10, 12]


@pytest.mark.parametrize("words", [["-c"], ["-t"], ["-o", "latency"]])
def test_metrics_are_complete(tool, words):
    assert "--prometheus writes all paths" in tool.fails("stat", "--prometheus", "-", *words, status=2)


def test_metrics_replace_no_recording(tool, tmp_path):
    file = tmp_path / "recording"
    tool("record", str(file), "1", "1")
    assert "is a recording of dm-lw" in tool.fails("stat", "--prometheus", str(file))


def test_empty_columns(tool):
    assert "no column is called \"\"" in tool.fails("stat", "-o", "", status=2)
