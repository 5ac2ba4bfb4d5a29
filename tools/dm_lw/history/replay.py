"""A part of a recording: some maps, from a time to another, at intervals."""
import datetime

from ..errors import LwError
from ..maps import likest, own_spelling
from .recorded import samples


def local_time(text):
    """Seconds since the epoch of a local time, like 2026-11-25 10:00."""
    try:
        return datetime.datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError, OSError):
        raise LwError("\"%.40s\" is not a time like \"2026-11-25 10:00\" or 2026-11-25" % text,
                      status=2)


class Replay:
    """Iterate for (sample, the one before it in the same run of the recorder, or None)."""

    def __init__(self, file, names=(), begin=None, end=None, interval=None, count=None):
        self.file = file
        self.names = set(names)
        self.begin, self.end = begin, end
        self.interval = interval
        self.count = count
        self.seen = {}                  # names of maps, by each name that a user may give

    def __iter__(self):
        before, shown = None, 0
        for sample in self.chosen():
            # Where the host's clock was set back, two runs may tell the same start.
            if before and (before.run != sample.run or sample.clock < before.clock):
                before = None
            if before and self.interval and sample.clock - before.clock < 0.99 * self.interval:
                continue
            yield sample, before
            before, shown = sample, shown + 1
            if shown == self.count:
                break
        else:
            self.check(shown)

    def chosen(self):
        """The samples of that time, with these maps only."""
        for sample in samples(self.file):
            for found in sample.maps:
                self.seen.update((name, found.name) for name in found.names() if name)
            if self.begin is not None and sample.wall < self.begin:
                continue
            if self.end is not None and sample.wall > self.end:
                continue
            if self.names:
                sample.maps = [found for found in sample.maps if found.names() & self.names]
                known = {found.name for found in sample.maps} | self.names
                sample.events = [event for event in sample.events
                                 if event.map in known or own_spelling(event.map) in known]
            yield sample

    def check(self, shown):
        """LwError if nothing of the wanted part exists."""
        for name in sorted(self.names - set(self.seen)):
            raise LwError("%s has no map that is called %s; it has: %s"
                          % (self.file, name, likest(sorted(set(self.seen.values())), name)))
        if not shown:
            raise LwError("%s has no sample%s" % (
                self.file, "" if self.begin is self.end is None else " of that time"))
