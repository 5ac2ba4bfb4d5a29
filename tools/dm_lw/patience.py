"""The time limit of a command, and its messages meanwhile."""
import contextlib
import sys
import time

from .sysfs import printable

EVERY = 5               # seconds without a word, at most
GRACE = 1               # seconds that a program gets however late it is, to clear up
BACK = 1 / 3            # share of the time for putting everything back


class Patience:
    """`seconds` are for all of it; without `back`, for the way there alone."""

    def __init__(self, seconds, back=BACK):
        self.begun = self.told = time.monotonic()
        self.seconds = seconds
        self.end = self.begun + seconds * (1 - back)
        self.doing = "waiting"

    def left(self):
        return self.end - time.monotonic()

    def for_program(self, seconds):
        """How long one that should end within so many seconds may take."""
        return max(min(seconds, self.left()), GRACE)

    def turn_back(self, most):
        """All that is left is for putting everything back, but no more than so many seconds."""
        self.doing = "putting everything back"
        self.end = min(self.begun + self.seconds, time.monotonic() + most)

    def tell(self, what):
        """That it is waited for, now and then."""
        now = time.monotonic()
        if now - self.told < EVERY:
            return
        self.told = now
        with contextlib.suppress(OSError):          # as of a terminal that hung up
            print("dm-lw: %s, %d of at most %d s: %.120s" % (
                self.doing, now - self.begun, max(self.end, now) - self.begun, printable(what)),
                file=sys.stderr, flush=True)
