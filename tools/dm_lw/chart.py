"""Charts of a map over time, as SVG: its paths' shares, latencies, I/Os in flight and states."""
import math
import time

from .columns import clock_time
from .svg import colour, element, label
from .words import duration

WIDTH, LEFT, RIGHT = 960, 90, 10
GAP = 26                            # between charts
STRIP = 14                          # height of a path's states
TICKS = 8                           # at most
STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400)
STATE_COLOURS = {"new": "#b0c4de", "active": "#5a9e5a", "probing": "#e0a030", "ramping": "#58a5a5",
                 "failed": "#c62828"}
GRID, INK = "#dddddd", "#555555"


class Axis:
    """Seconds since the epoch to pixels."""

    def __init__(self, first, last):
        self.first = first
        self.seconds = max(last - first, 1e-3)

    def x(self, moment):
        return LEFT + (WIDTH - LEFT - RIGHT) * (moment - self.first) / self.seconds

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

    def __init__(self, values, form, top=None):
        largest = top or max(values, default=0) or 1
        size = 10 ** math.floor(math.log10(largest))
        self.top = top or next(size * step for step in (1, 2, 5, 10) if size * step >= largest)
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


def thin(times, values):
    """At most two points a pixel, the largest value of each half."""
    columns = 2 * (WIDTH - LEFT - RIGHT)
    if len(times) <= columns:
        return list(zip(times, values))
    first, span = times[0], times[-1] - times[0] or 1
    most = {}
    for moment, value in zip(times, values):
        column = int((columns - 1) * (moment - first) / span)
        if column not in most or (value or 0) >= (most[column][1] or 0):
            most[column] = moment, value
    return [most[column] for column in sorted(most)]


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


def line_chart(axis, top, height, title, paths, figure, scale):
    """A line for each path."""
    def y(value):
        return float(top + height - height * min(max(scale.part(value), 0), 1))

    parts = [label(title, LEFT, top - 6, class_="title")]
    for value, text in scale.marks():
        parts += [element("line", x1=LEFT, x2=WIDTH - RIGHT, y1=y(value), y2=y(value), stroke=GRID),
                  label(text, LEFT - 6, y(value) + 4, text_anchor="end")]
    for index, (path, times) in enumerate(paths):
        for run in pieces(thin(times, path.figures[figure])):
            if len(run) == 1:           # of a line, nothing would be seen
                run = [run[0], (run[0][0] + axis.seconds / 500, run[0][1])]
            points = " ".join("%.1f,%.1f" % (axis.x(moment), y(value)) for moment, value in run)
            parts.append(element("polyline", points=points, fill="none", stroke=colour(index),
                                 stroke_width=1.5))
    return parts


def state_chart(axis, top, paths):
    """A strip for each path, in the colours of its states."""
    parts = [label("state", LEFT, top - 6, class_="title")]
    for index, (path, times) in enumerate(paths):
        y = top + index * (STRIP + 2)
        parts.append(label(path.name, LEFT - 6, y + STRIP - 3, text_anchor="end",
                           fill=colour(index)))
        for begin, end, state in stretches(times, path.states):
            parts.append(element(
                "rect", element("title", "%s: %s from %s" % (path.name, state, clock_time(begin))),
                x=axis.x(begin), y=y, height=STRIP, fill=STATE_COLOURS.get(state, GRID),
                width=max(axis.x(end) - axis.x(begin), 1.0)))
    return parts


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


def time_axis(axis, top, bottom, events):
    """Ticks, and a mark for each event, with its words for who points at it."""
    parts = []
    for moment in axis.ticks():
        parts += [element("line", x1=axis.x(moment), x2=axis.x(moment), y1=top, y2=bottom,
                          stroke=GRID),
                  label(axis.tick_label(moment), axis.x(moment), bottom + 14,
                        text_anchor="middle")]
    for event in events:
        x = axis.x(event.time)
        ink = STATE_COLOURS.get(event.state, INK)
        parts.append(element(
            "g", element("title", "%s %s: %s" % (clock_time(event.time),
                                                 event.path or event.map or "all", event.text)),
            element("line", x1=x, x2=x, y1=top, y2=bottom, stroke=ink, stroke_dasharray="2 3"),
            element("path", d="M%.1f %d l-4 7 h8 z" % (x, bottom - 7), fill=ink)))
    return parts


CHARTS = (
    # title, figure, height, scale of all values
    ("share, %", "share_percent", 90, lambda values: Linear(values, "{:g}".format, 100)),
    ("latency", "latency_us", 130, lambda values: Logarithmic(values, duration)),
    ("I/Os in flight", "inflight", 90, lambda values: Linear(values, "{:g}".format)),
)


def chart(history, first, last, events):
    """The SVG of a map."""
    axis = Axis(first, last)
    paths = [(path, history.times) for path in history.paths.values()]
    parts, top = [], GAP
    for title, figure, height, scale in CHARTS:
        values = [value for path, _ in paths for value in path.figures[figure]
                  if value is not None]
        parts += line_chart(axis, top, height, title, paths, figure, scale(values))
        top += height + GAP
    parts += state_chart(axis, top, paths)
    bottom = top + len(paths) * (STRIP + 2) + 8
    parts = time_axis(axis, GAP, bottom, events) + parts
    return element("svg", "\n".join(parts), viewBox="0 0 %d %d" % (WIDTH, bottom + 22),
                   width=WIDTH, height=bottom + 22, role="img")
