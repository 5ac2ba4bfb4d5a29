"""Charts of a map over time: where its paths' shares, latencies, I/Os in flight and states are drawn.

All is in pixels, for the template that draws it.
"""
import math
import statistics
import time

from ..page import COLOURS, colour
from ..words import duration

WIDTH, LEFT = 960, 90              # LEFT is for what scales and strips are called
RIGHT = WIDTH - 32                  # the last time on the axis has its half beyond
GAP = 26                            # between charts
STRIP = 14                          # height of a path's states
TICKS = 8                           # at most
STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400)
STATE_COLOURS = {"new": "#b0c4de", "active": "#5a9e5a", "slow": "#e0a030", "stalled": "#c06010", "ramping": "#58a5a5",
                 "failed": "#c62828"}
INK = "#555555"                     # of events that bring a path to no state


class Axis:
    """Seconds since the epoch to pixels."""

    def __init__(self, first, last):
        self.first = first
        self.seconds = max(last - first, 1e-3)

    def x(self, moment):
        return LEFT + (RIGHT - LEFT) * (moment - self.first) / self.seconds

    def ticks(self):
        """Round times, by the local clock."""
        step = next((step for step in STEPS if self.seconds / step <= TICKS),
                    86400 * math.ceil(self.seconds / 86400 / TICKS))
        local = time.localtime(self.first)
        shift = local.tm_gmtoff or 0
        moment = math.ceil((self.first + shift) / step) * step - shift
        while moment <= self.first + self.seconds:
            yield moment
            moment += step

    def tick_label(self, moment):
        forms = ((120 * TICKS, "%H:%M:%S"), (86400, "%H:%M"))
        form = next((form for most, form in forms if self.seconds < most), "%m-%d %H:%M")
        return time.strftime(form, time.localtime(moment))


class Linear:
    """From 0 to a round number above the largest value."""

    def __init__(self, values, form):
        largest = max(max(values, default=0), 1e-3)
        size = 10 ** math.floor(math.log10(largest))
        self.top = next(size * step for step in (1, 2, 5, 10) if size * step >= largest)
        self.form = form

    def part(self, value):
        return value / self.top

    def marks(self):
        return [(value, self.form(value)) for value in (0, self.top / 2, self.top)]


class Logarithmic:
    """Powers of ten around the values; what is not above 0 is at the bottom."""

    def __init__(self, values, form):
        found = [value for value in values if value > 0] or [1]
        self.low = math.floor(math.log10(min(found)))
        self.high = max(math.ceil(math.log10(max(found))), self.low + 1)
        self.form = form

    def part(self, value):
        if value <= 0:
            return 0
        return (math.log10(value) - self.low) / (self.high - self.low)

    def marks(self):
        return [(10 ** power, self.form(10 ** power))
                for power in range(self.low, self.high + 1)]


POINTS = 2 * (RIGHT - LEFT)         # that a line over the whole width can show


def thin(points, of_part):
    """As many points of a run as a line can show; `of_part` makes one value of the values of each part."""
    if len(points) <= POINTS:
        return points
    first, span = points[0][0], points[-1][0] - points[0][0] or 1
    parts = {}
    for moment, value in points:
        parts.setdefault(int((POINTS - 1) * (moment - first) / span), []).append((moment, value))
    return [one_point(part, of_part) for _, part in sorted(parts.items())]


def one_point(part, of_part):
    """At the time of its value, or else in the middle."""
    value = of_part([value for _, value in part])
    return next((moment for moment, each in part if each == value), part[len(part) // 2][0]), value


def pieces(points):
    """The points without gaps, in runs: nothing is drawn where nothing is known."""
    run = []
    for moment, value in points:
        if value is None:
            if run:
                yield run
            run = []
        else:
            run.append((moment, value))
    if run:
        yield run


def lines(axis, top, height, paths, figure, scale, of_part):
    """A line for each path, with gaps where nothing is known."""
    for index, (path, times) in enumerate(paths):
        for run in pieces(zip(times, path.figures[figure])):
            run = thin(run, of_part)
            if len(run) == 1:           # a single point would not be seen
                run = [run[0], (run[0][0] + axis.seconds / 500, run[0][1])]
            points = ((axis.x(moment), height_of(scale, value, top, height))
                      for moment, value in run)
            yield {"colour": colour(index), "dash": dash(index), "points": " ".join("%.1f,%.1f" % at for at in points)}


def dash(index):
    """Of more paths than there are colours."""
    return "5 2" if index >= len(COLOURS) else "none"


def height_of(scale, value, top, height):
    return top + height - height * min(max(scale.part(value), 0), 1)


def stretches(times, states):
    """(begin, end, state) of each time for which a state was the same: up to the next sample."""
    begin = None
    for moment, following, state, next_state in zip(
            times, [*times[1:], None], states, [*states[1:], None]):
        if state is not None:
            begin = moment if begin is None else begin
            end = moment if next_state is None else following
            if next_state != state:
                yield begin, end, state
                begin = None


def strip(axis, index, path, times):
    """The states of a path, in their colours."""
    parts = [{"x": axis.x(begin), "width": max(axis.x(end) - axis.x(begin), 1),
              "colour": STATE_COLOURS.get(state, INK), "begin": begin, "state": state}
             for begin, end, state in stretches(times, path.states)]
    return {"name": path.name, "colour": colour(index), "parts": parts}


CHARTS = (
    # title, figure, height, scale of all values, what is shown of many values that share a point
    ("share, %", "share_percent", 90, lambda values: Linear(values, "{:g}".format), statistics.fmean),
    ("I/Os a second", "ios_per_s", 90, lambda values: Linear(values, "{:g}".format), statistics.fmean),
    ("MB a second", "bytes_per_s", 90, lambda values: Linear(values, lambda value: "{:g}".format(value / 1e6)),
     statistics.fmean),
    ("latency", "latency_us", 130, lambda values: Logarithmic(values, duration), max),
    ("I/Os in flight", "inflight", 90, lambda values: Linear(values, "{:g}".format), statistics.fmean),
)


def charts(history, first, last, events):
    """All of a map, one below the other."""
    axis = Axis(first, last)
    paths = [(path, history.times) for path in history.paths.values()]
    panels, top = [], GAP
    for title, figure, height, make_scale, of_part in CHARTS:
        values = [value for path, _ in paths for value in path.figures[figure] if value is not None]
        if not values:                  # as of recordings without the disks' counters
            continue
        scale = make_scale(values)
        panels.append({"title": title, "top": top,
                       "marks": [{"y": height_of(scale, value, top, height), "text": text}
                                 for value, text in scale.marks()],
                       "lines": list(lines(axis, top, height, paths, figure, scale, of_part))})
        top += height + GAP
    return {"panels": panels, "strips_top": top,
            "strips": [strip(axis, index, path, times)
                       for index, (path, times) in enumerate(paths)],
            "top": GAP, "bottom": top + len(paths) * (STRIP + 2) + 8,
            "ticks": [{"x": axis.x(moment), "text": axis.tick_label(moment)}
                      for moment in axis.ticks()],
            "events": [{"x": axis.x(event.time), "event": event,
                        "colour": STATE_COLOURS.get(event.state, INK)} for event in events]}
