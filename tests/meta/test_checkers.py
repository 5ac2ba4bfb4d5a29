"""A planted bug of each kind makes the kernel's checkers speak, and the harness fail."""
# promise memory/locks
# promise tests/checkers: The kernel's own checkers report each bug that is planted for them | check: no | full: `planted-*`

import pytest

from tests.vm import testrun
from tests.vm.kernels import CHECKED_KERNELS

DIRECTORY = "tests/meta/guest"
FILE = f"{DIRECTORY}/test_planted.py"

SLEEPS = "BUG: sleeping function called from invalid context"
# test: what its failure must tell; in this order, as test_planted.py explains
DEBUG = {
    "test_logged[rcu_misuse]": "suspicious RCU usage",
    "test_logged[sleep_in_atomic]": SLEEPS,
    "test_logged[preempted]": "BUG: using smp_processor_id() in preemptible",
    "test_logged[shift]": "UBSAN: shift-out-of-bounds",
    "test_logged[list_corruption]": "list_add double add",
    "test_logged[free_with_timer]": "ODEBUG: free active",
    "test_logged[lock_inversion]": "possible circular locking dependency",
    "test_logged[use_after_free]": "KASAN: slab-use-after-free in lw_meta_use_after_free",
    "test_logged[out_of_bounds]": "KASAN: slab-out-of-bounds in lw_meta_out_of_bounds",
    "test_leak": "unreferenced object",
    "test_lockdep_is_off": "assert False",
}
SPEAK = {
    "debug": DEBUG,
    "debug-rt": {"test_logged[spin_with_irqs_off]": SLEEPS, **DEBUG},
    "kcsan": {
        "test_logged[race]": "KCSAN: data-race in lw_meta_racer",
    },
}


def pytest_generate_tests(metafunc):
    chosen = [name for name in CHECKED_KERNELS if name in metafunc.config.getoption("suite")]
    cases = [(name, test, text) for name in chosen for test, text in SPEAK[name].items()]
    none = pytest.param("", "", "", marks=pytest.mark.skip(
        reason="planted bugs need a kernel that checks itself: make vm-test SUITE=debug, debug-rt or kcsan"))
    metafunc.parametrize(["planted", "test", "text"], cases or [none], indirect=["planted"],
                         scope="module")


@pytest.fixture(scope="module")
def planted(request):
    """One guest of the kernel, with all bugs it has a checker for."""
    tests = [f"{FILE}::{name}" for name in SPEAK[request.param]]
    return testrun.run(CHECKED_KERNELS[request.param], tests, DIRECTORY, "planted", with_module=False)


def test_checker_speaks(planted, test, text):
    report = planted.report(f"{FILE}::{test}")
    assert report.outcome == "failed"
    assert text in report.text
