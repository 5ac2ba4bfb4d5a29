"""What `make scale` makes of the program's records."""
import json

import pytest

from tests.bench.scale import __main__ as command
from tests.bench.scale import scale_program as program
from tests.bench.scale import scale_results as results
from tests.bench.scale.scale_plan import CORNERS, FEW, IDLE, LOAD, MANY, MARKED, ROWS


def record(name, **more):
    return {"row": name, "cpus": 8, "nodes": 1, "paths": 8, "wanted_maps": 1, "maps": 1, "busy": 1, "bytes": 6400,
            "windows": 50, "window_ns": 50_000, "spans_ns": 1_000_000_000, "queued": 1, "ios": 1000, "spread_ns": 110_000,
            "spread_null_ns": 10_000,
            "load_ns": 2_000_000, "rcu_waits": 0, "restless": 0, "used_bytes": 0, **more}


def deep(name, picoseconds):
    return record(name, io_ps=picoseconds, null_ps=4_000, clock_ps=20_000, flags_ps=6_000)


def test_what_the_program_itself_takes_is_taken_off():
    assert results.io_ns(deep(FEW, 64_000)) == 60
    assert results.spread_ns(record("any")) == 100


@pytest.mark.parametrize("maps, busy, percent", [(1000, 1000, 50), (500, 500, 50), (1000, 10, 0.5)])
def test_windows_are_reckoned_for_all_busy_maps(maps, busy, percent):
    """10 us each, 50 times a second."""
    row = record(MARKED, wanted_maps=1000, maps=maps, busy=busy, windows=100, window_ns=1_000_000,
                 spans_ns=100 * 20_000_000 / busy)
    assert results.window_percent(row) == pytest.approx(percent)


def test_memory_is_what_grows_with_cpus_and_with_paths():
    def used(corner):
        return 1_000_000 + 5000 * corner.cpus + 777 * corner.paths + 256 * corner.cpus * corner.paths
    assert results.bytes_each([record(corner.name, used_bytes=used(corner)) for corner in CORNERS]) == 256
    assert results.bytes_each([record(CORNERS[0].name)]) is None


def test_marks_of_what_was_measured():
    rows = [deep(FEW, 64_000), deep(MANY, 184_000), record(LOAD, load_ns=101_000_000),
            record(IDLE, wanted_maps=1000, maps=1000, busy=10, windows=250, queued=10)]
    assert [(mark.name, mark.met) for mark in results.marks(rows, 25)] == [
        ("io64", True), ("idle", True), ("load", False)]
    assert results.verdict(results.marks(rows, 25)) == "scale: io64=3.00"


@pytest.mark.parametrize("more", [dict(windows=251), dict(queued=11), dict(restless=1)],
                         ids=["during", "queued", "after"])
def test_idle_map_with_a_window_is_seen(more):
    row = {**record(IDLE, busy=10, windows=250, queued=10), **more}
    (mark,) = results.marks([row], 25)
    assert (mark.value, mark.met) == (1, False)


def test_report_says_what_was_left_out():
    text = results.report([record(MARKED, wanted_maps=1000, maps=700, rcu_waits=3)], 25)
    assert "memory was enough for 700 of 1000 maps" in text
    assert "synchronize_rcu() was called 3 times for 700 tables" in text
    assert text.splitlines()[-1].startswith("scale: window_percent=")


def test_rows_have_names_of_their_own():
    names = [row.name for row in ROWS + CORNERS]
    assert len(set(names)) == len(names)


def test_whole_run(monkeypatch, tmp_path, capsys):
    commits = ["when it began"]
    monkeypatch.setattr(command, "commit", lambda: commits[-1])
    monkeypatch.setattr(program, "build", lambda directory: commits.append("later") or directory)
    monkeypatch.setattr(program, "once", lambda built, row, limit: deep(row.name, 64_000))
    assert command.run(command.parse(["--row", FEW, "--row", MANY, "--out", str(tmp_path)])) == 0
    kept = json.loads((tmp_path / "results.json").read_text())
    assert [each["row"] for each in kept["records"]] == [FEW, MANY]
    assert kept["commit"] == "when it began"
    assert capsys.readouterr().out.splitlines()[-1] == "scale: io64=1.00"
