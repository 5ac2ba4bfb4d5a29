"""How long a test may take: set-up, test and clean-up together.

The watchdog and the host hear when a limit begins and when it is over, and wait a little longer. So
the test itself tells that it takes too long; if it cannot, the watchdog does; if the kernel is dead,
the host.
"""

import contextlib
import signal
import time

import pytest

from tests.lib.command import limit
from tests.lib.kernel_log import show_blocked_tasks

from . import host
from .host import tell_host
from .watchdog import Watchdog

USUAL = 120     # seconds, ten times what tests without a mark take


class TimeLimit:
    """Of one attempt at a test. Raises in it when it is over; the clean-up then has as long again."""

    watchdog = Watchdog()

    def __init__(self, item):
        marker = item.get_closest_marker("time_limit")
        self.test = item.nodeid
        self.unscaled = marker.args[0] if marker else USUAL
        self.seconds = limit(self.unscaled)
        self.begin()

    def begin(self):
        self.renew()
        tell_host(id=self.test, when="start", limit=self.unscaled)
        self.renew()    # for the watchdog, which does not know how long that took

    def renew(self):
        self.end = self.now() + self.seconds
        self.watchdog.expect(self.test, self.seconds)

    def left(self):
        return max(0.01, self.end - self.now())

    @staticmethod
    def now():
        """By a clock that stands still while the guest tells its host something."""
        return time.monotonic() - host.waited

    def leave_time_to_clean_up(self):
        if self.left() < self.seconds / 2:
            self.begin()

    @contextlib.contextmanager
    def applies(self):
        signal.signal(signal.SIGALRM, self.ring)
        signal.setitimer(signal.ITIMER_REAL, self.left())
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)

    def ring(self, _signal, _frame):
        """The test has failed, also if its clean-up hangs, which this ends as well, later."""
        text = "not done after %d s; the console log has the blocked tasks" % self.seconds
        tell_host(id=self.test, when="limit", outcome="failed", text=text, duration=self.seconds)
        show_blocked_tasks()
        self.renew()
        signal.setitimer(signal.ITIMER_REAL, self.seconds)
        pytest.fail(text)
