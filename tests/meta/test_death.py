"""What becomes of tests whose guest dies, and who is told to have killed it; no guest is booted."""
import json
from contextlib import nullcontext

import pytest

from tests.lib.kernel_log import BEGINS, SHOWN, SHOWN_END
from tests.vm.death import by_emulator, calls_of_ours
from tests.vm.guest import Result
from tests.vm import guest, testrun
from tests.vm.kernels import KERNELS
from tests.vm.testrun import GuestRun, Life, Report

PANIC = "Kernel panic - not syncing: Fatal exception"
BUG = "BUG: kernel NULL pointer dereference, address: 0000000000000000"
FOREIGN = [BUG, "Oops: Oops: 0002 [#1] PREEMPT SMP NOPTI", "CPU: 1 UID: 0 PID: 204 Comm: fio",
           "RIP: 0010:blk_mq_end_request+0x15/0xff0", "Call Trace:", " bio_endio+0x1/0x2",
           "Modules linked in: lw_testdisk(O) dm_latency_weighted(O) [last unloaded: lw_hide(O)]", PANIC]
OURS = [*FOREIGN[:5], " lw_end_io+0x15/0xff0 [dm_latency_weighted]", *FOREIGN[5:]]
PASSED, FAILED = Report("passed"), Report("failed", "assert 1 == 2")
A, B, C, D = (f"f.py::{name}" for name in "abcd")


@pytest.fixture
def life(tmp_path):
    def make(outcome, tests=(A, B), reports=None, running=None, console=(), accelerator="tcg,thread=multi"):
        run_dir = tmp_path / str(len(list(tmp_path.iterdir())))
        run_dir.mkdir()
        (run_dir / "qemu.cmd").write_text(f"-accel\n{accelerator}\n")
        (run_dir / "console.log").write_text("".join(f"[    1.234567] {line}\n" for line in console))
        return Life(list(tests), Result(outcome, "for a reason", None, run_dir), reports or {}, running)
    return make


def test_all_is_well(life):
    run = GuestRun([life("failed", reports={A: PASSED, B: FAILED})])
    assert (run.fault(), run.forgiven()) == ("", "")
    assert [run.report(test).outcome for test in (A, B)] == ["passed", "failed"]


def test_what_killed_a_guest_comes_last_in_the_next_one(life):
    died = life("panic", [A, B, C, D], {A: PASSED}, B)
    assert died.unfinished() == [C, D, B]


def test_one_death_is_forgiven_and_told(life):
    first = life("panic", [A, B, C], {A: FAILED}, B, FOREIGN)
    run = GuestRun([first, life("passed", [C, B], {B: PASSED, C: PASSED})])
    assert [run.report(test).outcome for test in (A, B, C)] == ["failed", "passed", "passed"]
    assert run.fault() == ""
    assert f"ended in {B}" in run.forgiven() and str(first.result.run_dir / "console.log") in run.forgiven()


def test_death_before_the_first_test_is_forgiven(life):
    run = GuestRun([life("lost"), life("passed", reports={A: PASSED, B: PASSED})])
    assert run.fault() == "" and run.forgiven()


def test_two_deaths_are_not_forgiven(life):
    lives = [life("panic", [A, B, C], {A: PASSED}, B), life("hang", [C, B], {C: PASSED}, B)]
    run = GuestRun(lives)
    assert [run.report(test).outcome for test in (A, B, C)] == ["passed", "failed", "passed"]
    assert "the guest ended in this test" in run.report(B).text
    assert run.forgiven() == ""
    assert all(str(each.result.run_dir) in run.fault() for each in lives)


def test_death_by_ours_is_not_forgiven(life):
    run = GuestRun([life("panic", running=A, console=OURS),
                    life("passed", reports={A: PASSED, B: PASSED})])
    assert [run.report(test).outcome for test in (A, B)] == ["passed", "passed"]
    assert "lw_end_io+0x15/0xff0 [dm_latency_weighted]" in run.fault()
    assert run.forgiven() == ""


@pytest.mark.parametrize("outcome", ["panic", "lost", "hang", "failed"])
def test_bad_end_after_all_reports_is_one_failure(life, outcome):
    """A guest that passes all its tests has no other reason to fail either."""
    run = GuestRun([life(outcome, reports={A: PASSED, B: PASSED})])
    assert [run.report(test).outcome for test in (A, B)] == ["passed", "passed"]
    assert "ended after its tests" in run.fault()


def test_failed_test_and_a_guest_that_passed(life):
    assert GuestRun([life("passed", reports={A: FAILED, B: PASSED})]).fault()


def test_missing_test_has_failed(life):
    run = GuestRun([life("passed"), life("passed")])
    assert run.report(A).outcome == "failed" and run.fault()


def test_file_that_cannot_be_read_is_not_tried_again(life):
    """Its tests have failed, and those of other files, which pytest does not run then."""
    tests = ["f.py::a", "g.py::b"]
    first = life("failed", tests, {"f.py": Report("failed", "SyntaxError")})
    assert first.unfinished() == []
    run = GuestRun([first])
    assert [run.report(test).outcome for test in tests] == ["failed", "failed"]
    assert "SyntaxError" in run.report("f.py::a").text
    assert run.fault() == ""


@pytest.mark.parametrize("console, killed", [
    (OURS, True),
    (FOREIGN, False),
    ([BEGINS + "a", *OURS, BEGINS + "b", *FOREIGN], False),     # a was judged, and the guest went on
    ([BEGINS + "a", *OURS], True),
    ([BUG, "RIP: 0010:lw_meta_oops+0x5/0x10 [lw_meta_bug]", PANIC], True),
    ([BUG, "RIP: 0010:0xffffffffc0a3b010", PANIC], True),       # of a module that is gone
    ([BUG, "RIP: 0010:0x0", " dm_submit_bio+0x1/0x2 [dm_mod]", PANIC], False),
    (["watchdog: BUG: soft lockup - CPU#0 stuck for 61s!", "RIP: 0010:lw_x+0x1/0x2 [lw_testdisk]"], True),
    (["WARNING: possible circular locking dependency detected",
      "ffff: (&lw->lock){+.+.}, at: lw_x+0x1/0x2 [dm_latency_weighted]"], True),
    ([SHOWN, "lw_x+0x1/0x2 [dm_latency_weighted]", SHOWN_END, PANIC], False),
    (["lw_x+0x1/0x2 [dm_latency_weighted]"], False),            # no complaint
], ids=range(11))
def test_who_killed_it(life, console, killed):
    assert bool(calls_of_ours(life("panic", console=console).result.run_dir)) == killed


def test_console_of_a_kernel_that_tells_the_task(life):
    run_dir = life("panic").result.run_dir
    (run_dir / "console.log").write_text("".join(f"[    1.234567][  T12] {line}\r\n" for line in OURS))
    assert calls_of_ours(run_dir)


IN_OURS = "lw_end_io+0x47/0x1a0 [dm_latency_weighted]"


@pytest.mark.parametrize("accelerator, first, where, code, failed", [
    ("tcg,thread=multi", "Oops: int3: 0000 [#1] PREEMPT SMP NOPTI", "__alloc_skb+0x47/0x1a0", "", True),
    ("tcg,thread=multi", "int3: 0000 [#1] SMP NOPTI", "__alloc_skb+0x47/0x1a0", "", True),
    ("tcg,thread=multi", "Oops: int3: 0000 [#1] SMP NOPTI", IN_OURS, "Bad RIP value.", False),
    ("tcg,thread=multi", "Oops: int3: 0000 [#1] SMP NOPTI", IN_OURS, "45 31 c9 cc <7a> 48 83", False),
    ("tcg,thread=multi", "Oops: int3: 0000 [#1] SMP NOPTI", IN_OURS, "45 31 c9 eb <7a> 48 83", True),
    ("tcg,thread=multi", "Oops: 0000 [#1] SMP NOPTI", "__alloc_skb+0x47/0x1a0", "", False),
    ("tcg,thread=multi", "Oops: 0000 [#1] SMP NOPTI", IN_OURS, "45 31 c9 eb <7a> 48 83", False),
    ("kvm", "Oops: int3: 0000 [#1] SMP NOPTI", "__alloc_skb+0x47/0x1a0", "", False),
    ("kvm", "Oops: int3: 0000 [#1] SMP NOPTI", IN_OURS, "45 31 c9 eb <7a> 48 83", False)])
def test_faults_of_the_emulator(life, accelerator, first, where, code, failed):
    """Ours may have called what it stumbled over."""
    run_dir = life("panic", accelerator=accelerator, console=[
        first, "CPU: 1", f"RIP: 0010:{where}", f"Code: {code}", " lw_x+0x1/0x2 [dm_latency_weighted]",
        PANIC]).result.run_dir
    assert by_emulator(run_dir) == failed
    assert bool(calls_of_ours(run_dir)) == (not failed)


EMULATED = ["Oops: int3: 0000 [#1] PREEMPT SMP NOPTI", "RIP: 0010:__alloc_skb+0x47/0x1a0", PANIC]


@pytest.mark.parametrize("deaths, labels", [
    ([(EMULATED, [])], ["x", "x-once-more"]),                                           # it ran no test
    ([(EMULATED, [A])], ["x", "x-again"]),                                              # what ended counts
    ([(FOREIGN, []), (EMULATED, [])], ["x", "x-again", "x-once-more"]),
    ([(EMULATED, []), (FOREIGN, []), (EMULATED, [])], ["x", "x-once-more", "x-again", "x-once-more"]),
    ([(EMULATED, [])] * 3, ["x"] + ["x-once-more"] * 3),
    ([(EMULATED, []), (EMULATED, [A])], ["x", "x-once-more", "x-again"]),
], ids=range(6))
def test_guest_that_the_emulator_ends_does_not_count(tmp_path, monkeypatch, deaths, labels):
    booted, scripts = [], iter([*deaths, ([], [A, B])])

    def run_dir_of(name):
        booted.append(name.partition("-")[2])
        directory = tmp_path / str(len(booted))
        (directory / "out").mkdir(parents=True)
        return directory

    def boot_once(_kernel, _command, run_dir, *_, **_options):
        console, ended = next(scripts)
        (run_dir / "qemu.cmd").write_text("-accel\ntcg,thread=multi\n")
        (run_dir / "console.log").write_text("".join(f"[    1.234567] {line}\n" for line in console))
        (run_dir / "out" / "results.jsonl").write_text("".join(
            json.dumps(dict(id=test, when=when, outcome="passed", text="", duration=0)) + "\n"
            for test in ended for when in ("start", "call", "teardown")))
        return Result("panic" if console else "passed", "for a reason", None, run_dir)

    monkeypatch.setattr(testrun.stages, "stage", lambda *_: nullcontext({}))
    monkeypatch.setattr(testrun.module_layer, "layer", lambda *_: None)
    monkeypatch.setattr(testrun, "new_run_dir", run_dir_of)
    monkeypatch.setattr(testrun.guest, "boot_once", boot_once)
    run = testrun.run(KERNELS["trixie"], [A, B], "directory", "x")
    assert booted == labels
    assert run.fault() == "" and all(run.report(test).outcome == "passed" for test in (A, B))


def test_next_attempt_adds_nothing_to_what_the_others_left(tmp_path, monkeypatch):
    """As results of a benchmark, whose medians would be of the runs of both."""
    found = []

    def boot_once(_kernel, _command, run_dir, *_):
        found.append({file.name for file in (run_dir / "out").iterdir()})
        (run_dir / "console.log").write_text("")
        (run_dir / "out" / "results.jsonl").write_text("{}\n")
        return Result("passed" if found[2:] else "panic", "for a reason", None, run_dir)

    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "plan.json").write_text("{}")
    monkeypatch.setattr(guest, "boot_once", boot_once)
    monkeypatch.setattr(guest, "has_begun", lambda _: True)
    monkeypatch.setattr(guest.death, "by_emulator", lambda _: True)
    assert guest.boot(KERNELS["trixie"], "true", run_dir=tmp_path).passed
    assert found == [{"plan.json"}] * 3
    for boot in ("boot-1", "boot-2"):
        assert {file.name for file in (tmp_path / boot).iterdir()} == {"console.log", "results.jsonl"}
