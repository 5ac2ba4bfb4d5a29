"""Looking at something at regular times, and changing it at others, whatever else goes on."""
import contextlib
import os
import time


@contextlib.contextmanager
def before_others():
    """This thread runs whenever it wants to, whatever fio does."""
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    try:
        yield
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def act(events, most_late):
    """Call functions, each at its time in seconds from now on; RuntimeError if one is too late."""
    start = time.monotonic()
    for due, do in sorted(events, key=lambda event: event[0]):
        time.sleep(max(0, start + due - time.monotonic()))
        late = time.monotonic() - start - due
        if late > most_late:
            raise RuntimeError("a change was %.0f ms late" % (1000 * late))
        do()


def watch(sample, seconds, interval, changes, most_late):
    """Call sample(time) at each interval, first at once; RuntimeError if one is too late.

    `changes` are times and functions; each is called right after the sample of its time.
    """
    pending = sorted(changes, key=lambda change: change[0])
    start = time.monotonic()
    for number in range(round(seconds / interval) + 1):
        due = number * interval
        time.sleep(max(0, start + due - time.monotonic()))
        at = time.monotonic() - start
        if at > due + most_late:
            raise RuntimeError("a sample was %.0f ms late" % (1000 * (at - due)))
        sample(at)
        while pending and pending[0][0] < due + interval / 2:
            pending.pop(0)[1]()
