"""The runner fails when it must: a guest that panics, hangs, warns, lies or fails a test."""
# promise tests/verdict

import pytest

from tests.lib.kernel_log import BEGINS
from tests.vm import guest, testrun
from tests.vm.death import by_emulator
from tests.vm.kernels import ALL_KERNELS
from tests.vm.patience import PANIC
from tests.vm.qemu import Machine

# The second has neither isa-debug-exit nor pvpanic; it comes with --suite arm64.
PC, ARM64 = "trixie", "trixie-arm64"
DIRECTORY = "tests/meta/guest"
FILE = f"{DIRECTORY}/test_misbehaves.py"

# test: (outcome, what its text must contain)
SURVIVED = {
    "test_passes": ("passed", ""),
    "test_fails": ("failed", "assert (1 + 1) == 3"),
    "test_skips": ("skipped", "for a reason of its own"),
    "test_warns": ("failed", "kernel log: WARNING: "),
    "test_provokes_dm_error": ("failed", "device-mapper: table: "),
    "test_expects_dm_error": ("passed", ""),
    "test_leaves_map": ("failed", "map lwmeta left behind"),
    "test_takes_too_long": ("failed", "not done after"),
    "test_measures_badly_once": ("passed", ""),
    "test_measures_badly_twice": ("failed", "assert 1 == 2"),
    "test_loses_an_io_once": ("failed", "false"),
    "test_warns_when_repeated": ("failed", "kernel log: WARNING: "),
    "test_states_what_is_wrong_once": ("failed", "assert 1 != 1"),
    "test_is_no_measurement": ("failed", "assert 1 != 1"),
    "test_passes_after_all_that": ("passed", ""),
}


def pytest_generate_tests(metafunc):
    if "kernel" in metafunc.fixturenames:
        asked = {"arm64", ARM64} & set(metafunc.config.getoption("suite"))
        metafunc.parametrize("kernel", [PC, ARM64] if asked else [PC], indirect=True,
                             scope="module")


@pytest.fixture(scope="module")
def kernel(request):
    return ALL_KERNELS[request.param]


def test_panic_at_boot_is_told_after_a_second_attempt(kernel):
    machine = Machine.of(kernel, append=["rdinit=/none", "panic=-1"])
    result = guest.boot(kernel, "true", machine, label="meta-boot")
    assert result.outcome == "panic", result.explain()
    for console in ("boot-1/console.log", "console.log"):
        assert PANIC in (result.run_dir / console).read_text(errors="replace")


def run(kernel, names, label, **options):
    """Run guest tests without dm-latency-weighted, which is not what is in question.

    Neither is the emulator: where it ended a guest in between, all is done anew.
    """
    for _ in range(guest.BOOTS):
        done = testrun.run(kernel, [f"{FILE}::{name}" for name in names], DIRECTORY, label,
                           with_module=False, **options)
        if not any(by_emulator(life.result.run_dir) for life in done.lives):
            break
    return done


@pytest.fixture(scope="module")
def once(kernel):
    """One guest: all that it survives, then a panic. Another one: what is left, and no panic."""
    return run(kernel, [*SURVIVED, "test_panics_in_the_first_guest", "test_passes_after_a_death"], "meta")


@pytest.mark.parametrize("name", SURVIVED)
def test_outcome_of(once, name):
    outcome, text = SURVIVED[name]
    report = once.report(f"{FILE}::{name}")
    assert report.outcome == outcome, report.text
    assert text in report.text


def test_outvoted_measurement_is_told(once):
    told = [name for name in SURVIVED if once.report(f"{FILE}::{name}").outvoted]
    assert told == ["test_measures_badly_once"]
    assert "assert 1 != 1" in once.report(f"{FILE}::{told[0]}").outvoted


def test_failed_test_has_the_kernels_log_of_its_time(once):
    out = once.lives[0].result.out
    assert "out/kernel-test_misbehaves.py-test_warns.log" in once.logs(f"{FILE}::test_warns")
    log = (out / "kernel-test_misbehaves.py-test_warns.log").read_text()
    assert f"{BEGINS}{FILE}::test_warns\n" in log
    assert "lw_meta_warn: a warning on purpose" in log
    assert log.count(BEGINS) == 1
    passed = [name for name, (outcome, _) in SURVIVED.items() if outcome != "failed"]
    assert not [name for name in passed if (out / f"kernel-test_misbehaves.py-{name}.log").exists()]


def test_second_guest_does_what_one_death_left_undone(once):
    first, second = once.lives
    assert first.result.outcome == "panic"
    assert first.running == f"{FILE}::test_panics_in_the_first_guest"
    assert second.result.outcome == "passed", second.result.explain()
    for name in ("test_panics_in_the_first_guest", "test_passes_after_a_death"):
        assert once.report(f"{FILE}::{name}").outcome == "passed"
    assert "out/dmesg.log" in once.logs(second.tests[0])


def test_one_death_is_told(once):
    assert once.fault() == ""
    assert "sysrq triggered crash" in once.forgiven() and "console.log" in once.forgiven()


@pytest.fixture(scope="module")
def twice(kernel):
    """A test that hangs; then, in a second guest, one that is too late, and then all hangs."""
    return run(kernel, ["test_hangs", "test_takes_too_long_and_then_all_stops"], "meta-twice", to_say_so=40)


def test_two_deaths_are_a_failure_of_their_own(twice):
    first, second = twice.lives
    assert [life.result.outcome for life in twice.lives] == ["hang", "hang"]
    assert "test_hangs, and its time limit of " in first.result.explain()
    assert "stopped: nothing new for " in second.result.explain()
    assert twice.forgiven() == ""
    for life in twice.lives:
        assert str(life.result.run_dir / "console.log") in twice.fault()


def test_what_two_guests_do_not_finish_has_failed(twice):
    report = twice.report(f"{FILE}::test_hangs")
    assert report.outcome == "failed"
    assert "no result" in report.text and "console.log" in report.text


def test_late_test_has_failed_whatever_comes_after(twice):
    report = twice.report(f"{FILE}::test_takes_too_long_and_then_all_stops")
    assert report.outcome == "failed"
    assert "not done after" in report.text


@pytest.fixture(scope="module")
def ours(kernel):
    return run(kernel, ["test_passes", "test_oopses_in_the_first_guest"], "meta-ours")


def test_death_by_a_module_of_ours_is_not_forgiven(ours):
    assert [life.result.outcome for life in ours.lives] == ["panic", "passed"]
    assert ours.report(f"{FILE}::test_oopses_in_the_first_guest").outcome == "passed"
    assert ours.forgiven() == ""
    assert "[lw_meta_bug]" in ours.fault() and "console.log" in ours.fault()


def test_crash_after_success_is_noticed(kernel):
    """The guest says on the verdict port that all went well, and then panics. It still has its say:
    what panic_print is for comes after QEMU was told, as does what another CPU was printing.
    """
    lie = "echo 'verdict 0' >&3; sleep 1; echo 2 >/proc/sys/kernel/panic_print; echo c >/proc/sysrq-trigger"
    result = guest.boot(kernel, lie, label="meta-lie")
    assert result.status == 0
    assert result.outcome == "panic"
    assert not result.passed
    console = (result.run_dir / "console.log").read_text()
    assert "Mem-Info:" in console[console.index(result.reason):]
