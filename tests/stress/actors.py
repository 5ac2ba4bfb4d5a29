"""Threads that do things to what they were given, step by step, until they are stopped."""
import os
import threading
import time

from tests.lib.command import limit

from . import sequence
from .sequence import NotDone


def udev_is_idle():
    """By the file that udevd has while events wait: asking it would take a process, and wait for it."""
    return not os.path.exists("/run/udev/queue")


class Journal:
    """A line for each step, and the figures; shared by all actors."""

    def __init__(self, figures):
        self.figures = figures
        self.start = time.monotonic()
        self.reasons = {}       # why it was not done, by action
        self.lock = threading.Lock()

    def say(self, text):
        with self.lock:
            print("%6.1f s  %s" % (time.monotonic() - self.start, text), flush=True)

    def did(self, actor, action, said, seconds):
        with self.lock:
            self.figures.did(action)
        self.say("%-10s %-18s %s (%.1f s)" % (actor, action.name, said, seconds))

    def did_not(self, actor, action, reason):
        with self.lock:
            self.reasons[action.name] = reason
        self.say("%-10s %-18s not done: %s" % (actor, action.name, reason))


class Actor(threading.Thread):
    """One of those who do things at the same time."""

    LONGEST = limit(100)        # seconds that a step may take

    def __init__(self, name, where, actions, seed, journal, stop, go):
        super().__init__(name=name, daemon=True)
        self.where = where
        self.actions = actions
        self.steps = sequence.steps(seed, name, actions)
        self.journal = journal
        self.stop_event = stop
        self.go_event = go      # not set: begin no step
        self.fault = None
        self.doing = None       # (action's name, since when)

    def run(self):
        """In a thread of its own."""
        while not self.stop_event.is_set():
            action, chance, pause = next(self.steps)
            try:
                if self.may_go():
                    self.step(action, chance)
            except Exception as error:  # whatever it is, it is a finding
                self.fault = "%s: %s: %s: %s" % (self.name, action.name,
                                                 type(error).__name__, error)
                self.journal.say(self.fault)
                self.stop_event.set()
            self.stop_event.wait(pause)

    def may_go(self):
        """A map without paths is looked after meanwhile, since udev waits for its I/Os."""
        while not self.go_event.wait(1):
            self.afterwards()
        return not self.stop_event.is_set()

    def step(self, action, chance):
        begin = time.monotonic()
        self.doing = action.name, begin
        try:
            said = action.do(self.where, chance)
            self.journal.did(self.name, action, said, time.monotonic() - begin)
            self.afterwards()
        except NotDone as reason:
            self.journal.did_not(self.name, action, str(reason))
        self.doing = None

    def afterwards(self):
        """What is to be done after each step."""

    def stuck(self):
        """What it has been at for too long, if so."""
        doing = self.doing
        if doing and time.monotonic() - doing[1] > self.LONGEST:
            return "%s: %s is not done after %d s" % (self.name, doing[0], self.LONGEST)
        return None


class Pace:
    """No actor begins a step while udev is behind: devices are found and settled by its events, too."""

    BEHIND = 20                 # seconds in which its queue was never empty
    LONGEST = limit(100)        # seconds of waiting for it

    def __init__(self, journal, go, idle=udev_is_idle, clock=time.monotonic):
        self.journal = journal
        self.go_event = go
        self.idle = idle
        self.clock = clock
        self.since = clock()    # its queue was empty, or the actors began to wait

    def look(self):
        """Once in a while."""
        going, idle, seconds = self.go_event.is_set(), self.idle(), self.clock() - self.since
        if going and not idle and seconds > self.BEHIND:
            self.journal.say("wait for udev")
            self.go_event.clear()
        elif not going and (idle or seconds > self.LONGEST):
            self.journal.say("waited %.0f s for udev" % seconds)
            self.go_event.set()
        elif not idle:
            return
        self.since = self.clock()


class Keeper(Actor):
    """Who acts on a map also looks after it."""

    def afterwards(self):
        self.where.tend()
