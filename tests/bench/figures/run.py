"""Steps that are not done yet, each a program of its own."""
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby

from tests.vm.places import CHECKOUT
from tests.vm.progress import bound_to_us, say

from .steps_done import LOG

AT_A_TIME = 2       # of those that do not disturb each other


def share(step, minutes):
    """Of the whole run's minutes."""
    return minutes[step.name] / (1 if step.alone else AT_A_TIME)


class Runner:
    """`current` tells of which commit the sources are now, `minutes` how long each step took last."""

    def __init__(self, progress, current, minutes):
        self.progress = progress
        self.current = current
        self.minutes = minutes
        self.failed = []
        self.lock = threading.Lock()    # of `failed` and `left`
        self.left = 0.0                 # minutes, roughly

    def run(self, steps):
        """All of them, in order; the names of those that failed."""
        wanted = [step for step in steps if not self.progress.done(step.name)]
        self.left = sum(share(step, self.minutes) for step in wanted)
        say(f"figures of {self.progress.commit}: {len(wanted)} of {len(steps)} steps to do; logs in "
            f"{self.progress.directory}")
        for alone, part in groupby(wanted, key=lambda step: step.alone):
            pool = ThreadPoolExecutor(1 if alone else AT_A_TIME)
            try:
                list(pool.map(self.one, part))
            finally:    # when interrupted: no further steps
                pool.shutdown(cancel_futures=True)
        return self.failed

    def one(self, step):
        say(f"figures: {step.name}, some {self.minutes[step.name]:.0f} min; of all some {self.left:.0f} left")
        directory, start = self.progress.begin(step.name), time.monotonic()
        with open(directory / LOG, "w") as log:
            status = subprocess.run(bound_to_us(step.argv(self.progress.of)), cwd=CHECKOUT, stdout=log,
                                    stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL).returncode
        why = f"exit status {status}" if status else self.useless(step)
        with self.lock:
            self.left -= share(step, self.minutes)
            if why:
                self.failed.append(step.name)
        if why:
            say(f"figures: {step.name} failed: {why}; see {directory / LOG}")
        else:
            self.progress.end(step.name, time.monotonic() - start)

    def useless(self, step):
        """Why its results are of no use, if so: better told now than after hours."""
        try:
            step.read(self.progress.of(step.name))
            now = self.current()
        except Exception as error:      # whatever it is, the other steps go on
            return f"{type(error).__name__}: {error}"
        return "" if now == self.progress.commit else f"the sources are those of {now} now"
