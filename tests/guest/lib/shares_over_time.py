"""What the paths of a load took over time, to look at any part of it afterwards."""

import time

from tests.lib.scenario import Span


class Trace:
    """Counts of all paths, read every few milliseconds; times are seconds since its begin."""

    def __init__(self, load, interval=0.01):
        self.load = load
        self.interval = interval
        self.begin = time.monotonic()
        self.points = [(0.0, load.used(load.paths))]

    def run(self, until):
        """Go on reading until `until` seconds after the begin."""
        while self.points[-1][0] < until:
            time.sleep(self.interval)
            self.points.append((time.monotonic() - self.begin,
                                self.load.used(self.load.paths)))
        self.load.check()
        return self

    def span(self, since, until):
        """The Span between two times, to within an interval."""
        first = next(point for point in self.points if point[0] >= since)
        last = next((point for point in self.points if point[0] >= until), self.points[-1])
        return Span(last[0] - first[0],
                    {path: count - first[1][path] for path, count in last[1].items()})

    def spans(self, length):
        """All of it in parts of one length; what is left over at the end is left out."""
        parts = int(self.points[-1][0] / length)
        return [self.span(part * length, (part + 1) * length) for part in range(parts)]
