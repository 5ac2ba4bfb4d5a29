"""How long a test may take: set-up, test and clean-up together.

The host hears when a limit begins and when it is over, and waits for nothing longer than for one
limit: it always learns from the guest that a test takes too long, but for a guest that is dead.
"""

import contextlib
import signal
import time

import pytest

from .command import limit
from .host import tell_host
from .kernel_log import show_blocked_tasks

USUAL = 120     # seconds, ten times what tests without a mark take


class TimeLimit:
    """Of one attempt at a test. Raises in it when it is over; the clean-up then has as long again."""

    def __init__(self, item):
        marker = item.get_closest_marker("time_limit")
        self.test = item.nodeid
        self.unscaled = marker.args[0] if marker else USUAL
        self.seconds = limit(self.unscaled)
        self.begin()

    def begin(self):
        self.end = time.monotonic() + self.seconds
        tell_host(id=self.test, when="start", limit=self.unscaled)

    def left(self):
        return max(0.01, self.end - time.monotonic())

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
        self.end = time.monotonic() + self.seconds
        signal.setitimer(signal.ITIMER_REAL, self.seconds)
        pytest.fail(text)
