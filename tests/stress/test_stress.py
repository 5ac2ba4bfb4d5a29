"""The parts of the stress that need no guest: what a seed decides, how a run is judged."""
import collections
import itertools
import json
import os
import types

import pytest

from tests.dm.lib.command import CommandError
from tests.dm.lib.options import OPTIONS

from . import (actors, guest, leaks, loads, on_disks, on_files, on_machine, on_maps, on_san, sequence,
               tables)
from .__main__ import parse
from .verdict import FAILED, PASSED, SKIPPED, Figures, Verdict, report, summary

MODULES = [on_maps, on_disks, on_san, on_machine, on_files]
ALL = [action for module in MODULES for action in sequence.actions_of(module)]


def first(count, seed, actor="disks", actions=None):
    steps = sequence.steps(seed, actor, actions or sequence.actions_of(on_maps))
    return [(action.name, chance.random(), pause)
            for action, chance, pause in itertools.islice(steps, count)]


def test_seed_decides_all():
    assert first(50, seed=7) == first(50, seed=7)
    assert first(50, seed=7) != first(50, seed=8)
    assert first(50, seed=7) != first(50, seed=7, actor="san")


def test_step_does_not_depend_on_those_before():
    """However many random numbers they took."""
    greedy = sequence.steps(7, "disks", sequence.actions_of(on_maps))
    for expected in first(20, seed=7):
        action, chance, pause = next(greedy)
        assert (action.name, chance.random(), pause) == expected
        for _ in range(chance.randrange(5)):
            chance.random()


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__.split(".")[-1])
def test_each_action_has_its_turn(module):
    """By its weight; a run of ten minutes has some 300 steps of each actor."""
    actions = sequence.actions_of(module)
    counts = collections.Counter(name for name, _, _ in first(4000, 1, actions=actions))
    weights = sum(action.weight for action in actions)
    for action in actions:
        assert counts[action.name] == pytest.approx(4000 * action.weight / weights, rel=0.25)


def test_names_are_unique():
    names = [action.name for action in ALL]
    assert len(names) == len(set(names))


def test_tables_are_good():
    """Within the limits, and the shortest probe period is not above the longest."""
    for seed in range(500):
        _, words = tables.ours(sequence.chance_of(seed, "tables", 0))
        values = {key: default for key, (_, _, default) in OPTIONS.items()}
        values.update(zip(words[::2], map(int, words[1::2])))
        assert all(least <= values[key] <= most for key, (least, most, _) in OPTIONS.items())
        assert values["probe_min_ms"] <= values["probe_max_ms"]


def test_groups_have_the_steady_path_and_no_path_twice():
    places, counts = list("abcd"), set()
    for seed in range(200):
        groups = tables.groups(places, ["a"], sequence.chance_of(seed, "groups", 0))
        paths = [path for group in groups for path in group]
        counts.add((len(groups), len(paths)))
        assert all(groups) and "a" in paths and len(paths) == len(set(paths))
    assert {groups for groups, _ in counts} == {1, 2}
    assert {paths for _, paths in counts} == {1, 2, 3, 4}


def test_what_failed_once_has_failed():
    verdict = Verdict()
    verdict.check("data", ["a byte is wrong"])
    verdict.add("data", PASSED)
    verdict.add("kmemleak", SKIPPED, "the kernel has none")
    verdict.check("log", [])
    assert not verdict.good
    assert verdict.last_line() == "1 passed, 1 failed, 1 skipped"
    assert "failed  data: a byte is wrong" in list(verdict.lines())


def test_report_has_the_figures():
    figures = Figures()
    figures.did(on_disks.hang)
    figures.did(on_maps.change_paths)
    figures.did(on_maps.change_paths)
    figures.loads.update(ios=3, written_bytes=4096, verified_bytes=8192)
    verdict = Verdict()
    verdict.add("data", FAILED, "wrong")
    found = json.loads(report(verdict, figures, seed=7))
    assert (found["seed"], found["faults"], found["reloads"]) == (7, 1, 2)
    assert found["actions"] == {"change-paths": 2, "hang": 1}
    assert found["cases"]["data"] == {"outcome": "failed", "text": "wrong"}
    assert "3 I/Os" in summary(figures) and "1 faults, 2 reloads" in summary(figures)


@pytest.fixture
def fake_fio(monkeypatch, tmp_path):
    """A program of that name, which runs the given shell script."""
    def make(script):
        program = tmp_path / "fio"
        program.write_text("#!/bin/sh\n" + script)
        program.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    return make


def test_rounds_are_counted(fake_fio):
    job = {"read": {"total_ios": 5, "io_bytes": 8192}, "write": {"total_ios": 2, "io_bytes": 4096}}
    fake_fio("echo note: slow\necho '%s'" % json.dumps({"jobs": [job]}))
    figures = Figures()
    loads.Load("/dev/null", 0, figures, None).round(1)
    assert figures.loads == {"rounds": 1, "ios": 7, "written_bytes": 4096, "verified_bytes": 8192}


def test_writes_of_a_round_that_only_reads_do_not_count(fake_fio):
    job = {"read": {"total_ios": 5, "io_bytes": 8192}, "write": {"total_ios": 5, "io_bytes": 8192}}
    fake_fio("echo '%s'" % json.dumps({"jobs": [job]}))
    figures = Figures()
    loads.Load("/dev/null", 0, figures, None).read_again()
    assert figures.loads == {"rounds": 1, "ios": 5, "verified_bytes": 8192}


def test_round_that_read_nothing_is_none(fake_fio):
    job = {"read": {"total_ios": 0, "io_bytes": 0}, "write": {"total_ios": 0, "io_bytes": 0}}
    fake_fio("echo '%s'" % json.dumps({"jobs": [job]}))
    figures = Figures()
    with pytest.raises(loads.NothingRead, match="round 0 of /dev/null read nothing"):
        loads.Load("/dev/null", 0, figures, None).read_again()
    assert not figures.loads


@pytest.mark.parametrize("script, seconds, said", [
    ("echo verify: bad header >&2\nexit 84", 60, "(?s)exit status 84.*verify: bad header"),
    ("exec sleep 60", 0.1, "timed out"),
])
def test_round_that_fails_says_why(fake_fio, monkeypatch, script, seconds, said):
    fake_fio(script)
    monkeypatch.setattr(loads.Round, "LIMIT", seconds)
    with pytest.raises(CommandError, match=said):
        loads.Load("/dev/null", 0, Figures(), None).round(1)


def test_what_was_not_done_says_why():
    """If it was done at another time, that it was."""
    def act(_where, reason):
        if reason:
            raise sequence.NotDone(reason)
    now_and_then, never, not_drawn = actions = [
        sequence.Action(name, sequence.FAULT, 1, act) for name in ("now-and-then", "never", "not-drawn")]
    run = types.SimpleNamespace(figures=Figures(), verdict=Verdict())
    run.journal = actors.Journal(run.figures)
    actor = actors.Actor("actor", None, actions, 1, run.journal, None)
    for action, reason in ((now_and_then, None), (now_and_then, "no path"), (never, "no second CPU")):
        actor.step(action, reason)
    guest.Run.tell_of_actions(run, [actor])
    assert dict(run.verdict.cases) == {
        "now-and-then": (PASSED, "1 times"), "never": (SKIPPED, "no second CPU"),
        "not-drawn": (SKIPPED, "not among the steps of so short a run")}


def test_trace_is_judged_when_it_is_whole(monkeypatch):
    """The log is read while the kernel prints a trace that is not about us."""
    monkeypatch.setattr(guest, "PRINTED", 0)
    parts = [["---[ cut here ]---", "Dying CPU not properly vacated!"],
             ["WARNING: sched_cpu_dying", "---[ end trace 0 ]---"], ["WARNING: ours"], []]
    log = types.SimpleNamespace(new_records=lambda: [(4, text) for text in parts.pop(0)])
    run = types.SimpleNamespace(log=log, complaints=[])
    guest.Run.read_log(run)
    assert run.complaints == []
    guest.Run.read_log(run)
    assert run.complaints == ["WARNING: ours"]


def test_leaks_are_those_of_each_table():
    before = {"kmalloc-64": (1000, 64), "inode_cache": (10, 20), "percpu KiB": (1000, 0)}
    few = {"kmalloc-64": (1300, 64), "inode_cache": (9000, 20), "percpu KiB": (1100, 0)}
    many = {"kmalloc-64": (9000, 64), "inode_cache": (10, 20), "percpu KiB": (9000, 0)}
    assert list(leaks.grown(before, few, tables=400, cpus=4)) == []
    assert [line.split(":")[0] for line in leaks.grown(before, many, tables=400, cpus=4)] == [
        "kmalloc-64", "percpu KiB"]


@pytest.mark.parametrize("words", [["--minutes", "0"], ["--minutes", "-1"], ["--seed", "x"],
                                   ["--kernel", "none"], ["--minutes", "nan"]])
def test_arguments_that_are_refused(words, capsys):
    with pytest.raises(SystemExit) as ended:
        parse(words)
    assert ended.value.code == 2
    assert "error: argument" in capsys.readouterr().err


def test_arguments():
    options = parse(["--minutes", "2.5", "--seed", "7"])
    assert (options.minutes, options.seed, options.kernel) == (2.5, 7, "trixie")
    assert parse([]).seed > 0 and parse([]).minutes == 10
