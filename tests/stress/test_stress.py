"""The parts of the stress that need no guest: what a seed decides, how a run is judged."""
import collections
import contextlib
import itertools
import json
import os
import re
import threading
import types

import pytest

from tests.lib.command import CommandError, write_script
from tests.lib.kernel_log import complaints
from tests.lib.options import DEFAULTS, OPTIONS, WORDS
from tests.vm.progress import CommandFailed

from . import __main__ as stress
from . import actors, leaks, loads, on_disks, on_files, on_machine, on_maps, on_policies, on_san, sequence
from . import stress_in_guest as guest
from . import tables
from .__main__ import FEWER, TABLES, parse
from .verdict import FAILED, PASSED, SKIPPED, Figures, Verdict, report, summary

MODULES = [on_maps, on_disks, on_san, on_machine, on_files, on_policies]
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
    """By its weight. In ten minutes the actors take some 300 steps together, and many kinds once or twice."""
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
        values = {**DEFAULTS, **dict(zip(words[::2], (int(word) if word.isdigit() else word for word in words[1::2])))}
        assert all(values[key] in words for key, words in WORDS.items())
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
        write_script(tmp_path / "fio", "#!/bin/sh\n" + script)
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


def pattern_bytes(number):
    """Without the block's offset, which follows."""
    text = loads.pattern(number)
    assert text.startswith("0x") and text.endswith("%o")
    return bytes.fromhex(text[2:-2])


def test_pattern_is_that_of_its_round():
    """As long as fio takes it, as the oldest of the kernels' suites has it."""
    assert pattern_bytes(7) == pattern_bytes(7) != pattern_bytes(8)
    assert len(pattern_bytes(7)) + 8 <= 512


def test_sectors_of_a_block_differ():
    """But for those 511 sectors apart."""
    block = (pattern_bytes(7) + bytes(8)) * 600
    assert len({block[at:at + 512] for at in range(0, 511 * 512, 512)}) == 511


@pytest.mark.parametrize("script, told", [
    ("echo pattern: verify failed at file /dev/dm-0 offset 4096 >&2\nexit 84", []),
    ("echo out of memory >&2\nexit 1", ["out of memory"]),
    ("echo '%s'" % json.dumps({"jobs": [{"read": {"total_ios": 5, "io_bytes": 8192}}]}), ["something else"]),
])
def test_fio_is_believed_if_it_notices(fake_fio, script, told):
    fake_fio(script)
    figures = Figures()
    found = loads.Load("/dev/null", 0, figures, None).mistaken()
    assert len(found) == len(told)
    assert all(words in line for words, line in zip(told, found))


@pytest.mark.parametrize("script, seconds, said", [
    ("echo verify: bad header >&2\nexit 84", 60, "(?s)exit status 84.*verify: bad header"),
    ("exec sleep 60", 0.1, "timed out"),
    ("sleep 60 &\nwait", 0.1, "timed out"),        # its jobs are processes
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
    actor = actors.Actor("actor", None, actions, 1, run.journal, None, None)
    for action, reason in ((now_and_then, None), (now_and_then, "no path"), (never, "no second CPU")):
        actor.step(action, reason)
    guest.Run.tell_of_actions(run, [actor])
    assert dict(run.verdict.cases) == {
        "now-and-then": (PASSED, "1 times"), "never": (SKIPPED, "no second CPU"),
        "not-drawn": (SKIPPED, "not among the steps of so short a run")}


@pytest.mark.parametrize("idle_from, waits", [(15, None), (50, (22, 50)), (10 ** 9, (22, 124))], ids=["soon", "late", "never"])
def test_actors_wait_while_udev_is_behind(monkeypatch, idle_from, waits):
    """From its queue's 21st second until it is empty, but not for ever."""
    monkeypatch.setattr(actors.Pace, "LONGEST", 100)
    journal, go, now = actors.Journal(Figures()), threading.Event(), 0
    go.set()
    pace = actors.Pace(journal, go, idle=lambda: now >= idle_from, clock=lambda: now)
    waited = []
    for now in range(0, 130, 2):
        pace.look()
        if not go.is_set():
            waited.append(now)
    assert (waited[0], waited[-1] + 2) == waits if waits else not waited


def test_waiting_actor_looks_after_its_map_and_ends():
    done = []
    action = sequence.Action("step", sequence.FAULT, 1, lambda _where, _chance: done.append(1))
    stop, go = threading.Event(), threading.Event()
    tended = threading.Event()
    actor = actors.Keeper("actor", types.SimpleNamespace(tend=tended.set), [action], 1, actors.Journal(Figures()), stop, go)
    actor.start()
    assert tended.wait(10)
    stop.set()
    go.set()
    actor.join(10)
    assert not actor.is_alive() and not done


def test_trace_is_judged_when_it_is_whole(monkeypatch):
    """The log is read while the kernel prints a trace that is not about us."""
    monkeypatch.setattr(guest, "PRINTED", 0)
    parts = [["---[ cut here ]---", "Dying CPU not properly vacated!"],
             ["WARNING: sched_cpu_dying", "---[ end trace 0 ]---"], ["WARNING: ours"], []]
    log = types.SimpleNamespace(new_records=lambda: [(4, text) for text in parts.pop(0)])
    run = types.SimpleNamespace(log=log, complaints=[], expected=[])
    guest.Run.read_log(run)
    assert run.complaints == []
    guest.Run.read_log(run)
    assert run.complaints == ["WARNING: ours"]


@pytest.mark.parametrize("level, text, expected", [
    (4, "device-mapper: multipath latency-weighted: dm-0: no directory in sysfs", False),
    (4, "device-mapper: multipath latency-weighted: dm-0: no directory in sysfs for path 8:0", False),
    (3, "device-mapper: multipath latency-weighted: max_penalty: \"0\" is not a number from 1 to 1000", True),
    (3, "device-mapper: table: 254:0: multipath: error getting device", True),
])
def test_map_without_files_is_expected_only_where_allocations_fail(level, text, expected):
    assert complaints([(level, text)], [guest.ALL_OF_DM]) == []
    assert complaints([(level, text)], [guest.BUT_MISSING_FILES]) == ([] if expected else [text])


def grown(spare, **more):
    """The names of the caches that are accused, of those that have so many objects more."""
    before = {"kmalloc-512": (1000, 16), "kmalloc-128": (1000, 32), "kmalloc-96": (1000, 42),
              "kmalloc-64": (1000, 64), "kmalloc-32": (1000, 128),
              "inode_cache": (10, 20), "percpu KiB": (1000, 0)}
    after = {name: (count + more.get(re.sub("[ -]", "_", name), 0), per_slab)
             for name, (count, per_slab) in before.items()}
    return [line.split(":")[0] for line in leaks.grown(before, after, spare, cpus=4)]


@pytest.mark.parametrize("name", ["kmalloc-512", "kmalloc-64", "kmalloc-32"])
@pytest.mark.parametrize("tables", [TABLES, 10 * TABLES])
def test_object_of_each_table_is_a_leak(name, tables):
    assert grown(leaks.spare_of_loads(tables), **{name.replace("-", "_"): tables}) == [name]


@pytest.mark.parametrize("tables", [TABLES, TABLES // FEWER])
def test_cpu_memory_of_each_path_is_a_leak(tables):
    """2.7 KiB a CPU."""
    assert grown(leaks.spare_of_loads(tables), percpu_KiB=tables * 4 * 2.7) == ["percpu KiB"]


def test_slower_kernels_see_leaks_of_128_bytes():
    tables = TABLES // FEWER
    assert grown(leaks.spare_of_loads(tables), kmalloc_128=tables) == ["kmalloc-128"]


def test_what_grows_besides_is_no_leak():
    """As 6.12 did by 300 tables; then as a whole run may."""
    assert grown(leaks.spare_of_loads(TABLES), kmalloc_96=84, kmalloc_64=256, percpu_KiB=20, inode_cache=900) == []
    assert grown(leaks.spare_of(46), kmalloc_64=600, percpu_KiB=100, inode_cache=9000) == []
    assert grown(leaks.spare_of(46), kmalloc_64=8000, percpu_KiB=8000) == ["kmalloc-64", "percpu KiB"]


def test_policies_are_known_by_what_maps_tell(monkeypatch, tmp_path):
    monkeypatch.setattr(on_policies, "read_text", lambda _file: "50")
    policies, file = on_policies.Policies(), tmp_path / "policy"
    assert policies.look(str(file)) is None         # the map is gone
    file.write_text("none\n")
    assert policies.look(str(file)) == {}
    words = {"name": "p", "id": 7, "version": 1, "chose": 1, "own": 2, "bad_index": 0, "bad_state": 0, "nested": 0,
             "too_many_paths": 0, "mean_ns": 90}
    file.write_text(" ".join("%s=%s" % pair for pair in words.items()) + "\n")
    assert on_policies.told(policies.look(str(file))) == "id=7 chose=1 own=2 bad_index=0 bad_state=0"
    monkeypatch.setattr(on_policies.bpf, "exists", lambda program: program == 7)
    assert policies.left() == [7]
    for wrong in ["", "none", "id=7\n", file.read_text() * 2]:
        file.write_text(wrong)
        with pytest.raises(on_files.WrongText):
            policies.look(str(file))


class Chance:
    """Wants 150 MiB left, at once."""

    @staticmethod
    def choice(values):
        return values[0]

    @staticmethod
    def uniform(least, _most):
        return least


@pytest.mark.parametrize("left_mib, short", [(149, True), (300, True), (301, False), (2900, False)])
def test_memory_was_short_if_little_was_left(monkeypatch, left_mib, short):
    monkeypatch.setattr(on_machine, "EATER", "print(%d)" % (left_mib << 10))
    with contextlib.nullcontext() if short else pytest.raises(sequence.NotDone, match="%d MiB" % left_mib):
        assert on_machine.eat_memory.do(None, Chance).startswith("%d MiB left" % left_mib)


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


def test_counts_are_last_if_no_guest_comes_up(monkeypatch, said):
    def fail(_options):
        raise CommandFailed("layer trixie: exit status 2")
    monkeypatch.setattr(stress, "stress", fail)
    assert stress.counted(parse(["--seed", "7"])) == 1
    told = said.readouterr()
    assert told.out == "SEED=7\n0 passed, 1 failed, 0 skipped\n"
    assert told.err == "lw: error: layer trixie: exit status 2\n"
