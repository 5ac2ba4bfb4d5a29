"""A bug of each kind that the kernel's checkers look for; ../test_checkers.py says what they must say."""
import pytest

from tests.lib import checkers
from tests.lib.command import sh

# The order counts. lockdep turns itself off when it, or KASAN, has found something; and the kernel
# reports only one sleeping function a second.
LOGGED = ["spin_with_irqs_off", "rcu_misuse", "sleep_in_atomic", "preempted", "shift",
          "list_corruption", "free_with_timer", "lock_inversion", "use_after_free", "out_of_bounds", "race"]


@pytest.mark.parametrize("bug", LOGGED)
def test_logged(bug):
    sh("modprobe", "lw_meta_bug", "bug=" + bug, timeout=60)


def test_leak():
    sh("modprobe", "lw_meta_bug", "bug=leak")
    assert not checkers.leaks()


def test_lockdep_is_off():
    """As some of the above have turned it off."""
    assert checkers.lockdep_is_on()
