"""Scenarios from TOML files: what becomes of them, and what is refused, in a line that says what would be right."""
import pathlib

import pytest

from . import engine, lists
from .scenario_file import ScenarioError, load, parse, size_of
from .simulate import config_of

EXAMPLES = sorted((pathlib.Path(__file__).parent / "examples").glob("*.toml"))
ACCEPTANCE = pathlib.Path(engine.ROOT / "tests" / "bench" / "acceptance" / "scenarios")
GOOD = dict(title="two", paths=[dict(delay_us=100), dict(delay_us=200, tail_every=100, tail_us=5000)],
            jobs=[dict(rw="randrw", bssplit="4k/60:1m/40", depths=[1, 8], seconds=2, warm=0.5, numjobs=2)])


def test_a_row_for_each_job_and_depth():
    rows = parse("a.toml", "a", GOOD)
    assert list(rows) == ["a depth 1", "a depth 8"]
    row = rows["a depth 8"]
    assert row["paths"][1] == dict(delay_us=200, tail=0.01, tail_us=5000)
    assert row["sizes"] == [[4096, 60], [1 << 20, 40]] and row["writes"] == 0.5
    assert row["jobs"] == [dict(cpu=0, depth=8), dict(cpu=1, depth=8)]
    assert (row["warmup_ms"], row["runtime_ms"]) == (500, 2000)


def test_jobs_beside_have_names():
    row, = parse("a.toml", "a", {**GOOD, "jobs": [dict(label="reads", depths=[4])],
                                 "beside": [dict(label="log", rw="write", depth=2)]}).values()
    assert [(job["name"], job["depth"], job["writes"]) for job in row["jobs"]] == [("reads", 4, 0), ("log", 2, 1)]


def test_changes_count_from_the_first_io():
    row = parse("a.toml", "a", {**GOOD, "changes": [dict(at=1.5, path=1, set=dict(hang=True))]})["a depth 1"]
    assert row["changes"] == [dict(at_ms=1500, path=1, hang=True)] and row["warmup_ms"] == 0


def test_halts_count_from_the_first_io():
    row = parse("a.toml", "a", {**GOOD, "halts": [dict(at=1.5, seconds=0.3)]})["a depth 1"]
    assert row["halts"] == [dict(at_ms=1500, ms=300)] and row["warmup_ms"] == 0


def test_arguments_are_ours_alone():
    (name, row), = parse("a.toml", "a", {**GOOD, "jobs": [dict(depths=[4])],
                                         "arguments": dict(by_operation=1, window_ms=50)}).items()
    runs = {selector: config_of(name, row, selector, 1, [("by_operation", "0")])
            for selector in (engine.OURS, "queue-length")}
    assert runs[engine.OURS]["options"] == dict(by_operation="0", window_ms="50")
    assert "options" not in runs["queue-length"]


@pytest.mark.parametrize("text, size", [("4k", 4096), ("1M", 1 << 20), ("512", 512)])
def test_sizes(text, size):
    assert size_of(text) == size


def test_ranges_of_sizes():
    row = parse("a.toml", "a", {**GOOD, "jobs": [dict(bsrange="4k-16k", depths=[1])]})["a"]
    assert row["sizes"] == [[4096, 1], [8192, 1], [12288, 1], [16384, 1]]


@pytest.mark.parametrize("change, complaint", [
    (dict(speed=1), "unknown key 'speed'; known are title"),
    (dict(paths=[]), "1 to 64 tables are wanted, not 0"),
    (dict(paths=[dict(delay=1)]), "paths[0]: unknown key 'delay'; known are service_us"),
    (dict(paths=[dict(delay_us="far")]), "delay_us = 'far' is not a number from 0 on"),
    (dict(paths=[dict(delay_us=-1)]), "delay_us = -1 is not a number from 0 on"),
    (dict(paths=[dict(miss=1.5)]), "miss = 1.5 is no part of all, from 0 to 1"),
    (dict(paths=[dict(tags=1.5)]), "tags = 1.5 is no whole number"),
    (dict(paths=[dict(wave="saw")]), "wave: 'saw' is none of none, sine, square, walk"),
    (dict(paths=[dict(stamps=3)]), "stamps: 3 is none of False, True"),
    (dict(paths=[dict(backend=0)]), "backend = 0: there are 0, counted from 0"),
    (dict(paths=[dict(remote_us=5)]), "remote_us = 5 is no list"),
    (dict(backends=[dict(delay_us=1)]), "backends[0]: unknown key 'delay_us'"),
    (dict(jobs=[]), "jobs: at least one"),
    (dict(jobs=[dict(depths=[0])]), "depths are a rising list"),
    (dict(jobs=[dict(rw="reed", depths=[1])]), "rw: 'reed' is none of read"),
    (dict(jobs=[dict(bs="4q", depths=[1])]), "'4q' is no size; bs = \"4k\""),
    (dict(jobs=[dict(writes=2.0, depths=[1])]), "writes = 2.0 is no part of all"),
    (dict(jobs=[dict(numjobs=0, depths=[1])]), "numjobs = 0 is less than 1"),
    (dict(jobs=[dict(depths=[1], load=dict(type="flood"))]), "'flood' is none of closed, poisson, burst"),
    (dict(beside=[dict(depths=[1])]), "beside them, depth"),
    (dict(changes=[dict(at=1, path=2, set={})]), "path: 2 is none of 0, 1"),
    (dict(halts=[dict(at=1)]), "halts[0]"),
    (dict(halts=[dict(at=1, seconds=-1)]), "seconds = -1 is not a number from 0 on"),
    (dict(arguments=dict(by_op=1)), "arguments: unknown key 'by_op'; known are ewma_shift"),
    (dict(arguments=dict(by_operation=0.5)), "arguments: by_operation = 0.5 is not a whole number from 0 to 1"),
    (dict(cpus=0), "cpus = 0 is no whole number from 1 to 256"),
    (dict(maps=65), "maps = 65 is no whole number from 1 to 64"),
    (dict(transport="iscsi"), "'iscsi' is none of test disk, tcm_loop"),
    (dict(title=None, bio=5), "bio: 5 is none of False, True"),
])
def test_refused(change, complaint):
    with pytest.raises(ScenarioError) as refusal:
        parse("a.toml", "a", {**GOOD, **change})
    assert complaint in str(refusal.value) and str(refusal.value).startswith("a.toml: ")
    assert "\n" not in str(refusal.value)


def test_no_file(tmp_path):
    with pytest.raises(ScenarioError, match="No such file"):
        load(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_text("title =")
    with pytest.raises(ScenarioError, match="bad.toml"):
        load(tmp_path / "bad.toml")


@pytest.mark.parametrize("name", ["step", "mixed-sizes", "tail", "hang", "paths-16", "tcm-loop-one-path-slow",
                                  "reads-near"])
def test_files_of_the_acceptance_suite(name):
    assert load(ACCEPTANCE / f"{name}.toml")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_run(path):
    program = engine.build()
    for name, scenario in load(path).items():
        result = engine.run(program, {**scenario, "name": name, "selector": engine.OURS, "runtime_ms": 200})
        assert result["iops"] > 0


def test_lists():
    assert len(lists.members(lists.THE_54, 1, 0)) == 54
    assert len(lists.members(lists.NOISY, 1, 0)) >= 40
    assert all(one.get("writes") for one in lists.members(lists.OPERATION, 1, 0).values())
    assert len(lists.SEEDS) == len(set(lists.SEEDS)) >= 4
    assert list(lists.members(lists.RANDOM, 7, 2)) == ["R7-0", "R7-1"]
    with pytest.raises(engine.EngineFailed, match='no scenario "S99"'):
        lists.by_name("S99")


def test_noise_has_a_row_of_each_kind():
    assert {name[0] for name in lists.members(lists.NOISY, 1, 0)} == set("MJVCSDGEBLT")
