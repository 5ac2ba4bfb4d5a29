"""The runner fails when it must: a guest that panics, hangs, warns, lies or fails a test."""
import pytest

from tests.vm import guest, testrun
from tests.vm.kernels import ALL_KERNELS
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
    "test_takes_too_long": ("failed", "not done after 2 s"),
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
    for console in (guest.FIRST_CONSOLE, "console.log"):
        assert guest.PANIC in (result.run_dir / console).read_text(errors="replace")


def run(kernel, names, label, **options):
    """Run guest tests without dm-latency-weighted, which is not what is in question."""
    return testrun.run(kernel, [f"{FILE}::{name}" for name in names], DIRECTORY, label,
                       with_module=False, **options)


@pytest.fixture(scope="module")
def panicking_run(kernel):
    """One guest: all that it survives, then a panic, then a test it cannot reach."""
    names = [*SURVIVED, "test_panics", "test_hangs"]
    return run(kernel, names, "meta")


@pytest.mark.parametrize("name", SURVIVED)
def test_outcome_of(panicking_run, name):
    outcome, text = SURVIVED[name]
    report = panicking_run.report(f"{FILE}::{name}")
    assert report.outcome == outcome, report.text
    assert text in report.text


def test_outvoted_measurement_is_told(panicking_run):
    told = [name for name in SURVIVED if panicking_run.report(f"{FILE}::{name}").outvoted]
    assert told == ["test_measures_badly_once"]
    assert "assert 1 != 1" in panicking_run.report(f"{FILE}::{told[0]}").outvoted


def test_panic_is_noticed(panicking_run):
    assert panicking_run.result.outcome == "panic"
    report = panicking_run.report(f"{FILE}::test_panics")
    assert report.outcome == "failed"
    assert "sysrq triggered crash" in report.text
    assert "console.log" in report.text


def test_what_a_panic_prevents_has_failed(panicking_run):
    report = panicking_run.report(f"{FILE}::test_hangs")
    assert report.outcome == "failed"
    assert "no result" in report.text


def test_hang_is_noticed(kernel):
    ended = run(kernel, ["test_hangs"], "meta-hang", quiet_limit=40)
    report = ended.report(f"{FILE}::test_hangs")
    assert ended.result.outcome == "hang"
    assert report.outcome == "failed"
    assert "test_hangs" in report.text and "console.log" in report.text


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
