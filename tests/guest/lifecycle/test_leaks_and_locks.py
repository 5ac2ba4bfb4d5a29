"""What the kernel's own checkers say after all other tests. What they log at once fails the test
in which they do."""
# promise memory/locks

import os

import pytest

from tests.lib import checkers

pytestmark = [pytest.mark.checkers, pytest.mark.last]


@pytest.mark.skipif(not os.path.exists(checkers.KMEMLEAK), reason="a kernel without kmemleak")
def test_nothing_leaked():
    assert not checkers.leaks()


@pytest.mark.skipif(not os.path.exists(checkers.LOCKDEP), reason="a kernel without lockdep")
def test_lockdep_has_looked_to_the_end():
    assert checkers.lockdep_is_on()
