"""A recording as series over time: each path's share, latency, I/Os in flight and states, and events."""
from collections import Counter
from dataclasses import dataclass, field
from typing import Dict, List, Optional

from ..counts import key, rows
from ..events import RECOVERED, SLOW
from ..maps import ACTIVE, FAILED, STALLED
from ..words import duration, times

BETWEEN = "in between"          # two samples
FIGURES = ("share_percent", "ios_per_s", "bytes_per_s", "latency_us", "inflight")


@dataclass
class PathHistory:
    name: str
    figures: Dict[str, List] = field(default_factory=lambda: {name: [] for name in FIGURES})
    states: List = field(default_factory=list)
    port: Optional[str] = None      # target port


@dataclass
class MapHistory:
    """Of each path, a value for each of `times`; None where the path was not there, or not measured."""
    name: str
    dm: str
    wwid: Optional[str]
    times: List[float] = field(default_factory=list)
    paths: Dict[str, PathHistory] = field(default_factory=dict)

    def add(self, wall, found):
        """The rows of a sample."""
        self.times.append(wall)
        for row in found:
            path = self.paths.setdefault(row["path"], PathHistory(row["path"]))
            self.fill(path, len(self.times) - 1)
            path.states.append(row["state"])
            path.port = row.get("target_port") or path.port
            for name, values in path.figures.items():
                values.append(row[name])
        for path in self.paths.values():
            self.fill(path, len(self.times))

    def pause(self, wall):
        """Nothing is known from here on."""
        self.add(wall, ())

    @staticmethod
    def fill(path, length):
        for values in (path.states, *path.figures.values()):
            values += [None] * (length - len(values))


@dataclass(frozen=True)
class Event:
    time: float
    map: str                # empty: all maps
    path: str               # empty: the map itself
    text: str
    state: str = ""         # that the path came to
    reported: bool = False  # by the module


class History:
    """What a replay tells, all of it."""

    def __init__(self, replay):
        self.maps = {}
        self.events = []
        self.first, self.last, self.samples = None, None, 0
        self.about = {}             # the recorder's machine, as it was at the end
        before = None
        for sample, earlier in replay:
            if earlier is None:
                self.begin(sample, before)
            self.add(sample, earlier)
            before = sample

    def ports(self):
        """(target port, how many paths lead to it), the most used one first."""
        found = Counter(path.port for each in self.maps.values() for path in each.paths.values() if path.port)
        return sorted(found.items(), key=lambda item: (-item[1], item[0]))

    def port_of(self, event):
        """Where the path of an event leads."""
        found = [each.paths[event.path].port for each in self.maps.values()
                 if each.name == event.map and event.path in each.paths]
        return found[0] if found else None

    def begin(self, sample, before):
        """The recorder was started: what was before tells nothing about now."""
        if before is None:
            self.first = self.last = sample.wall
            return
        self.events.append(Event(sample.wall, "", "", "recording goes on; the last sample was %s"
                                 " before" % span(sample.wall - before.wall)))
        for each in self.maps.values():
            each.pause(before.wall)

    def add(self, sample, before):
        by_map = {}
        self.about.update(sample.about)
        for row in rows(sample, before):
            moved = row["read_bytes_per_s"], row["write_bytes_per_s"]
            row["bytes_per_s"] = None if None in moved else sum(moved)
            if before is None:      # means since long ago
                row["ios_per_s"] = row["bytes_per_s"] = None
            row["inflight"] = in_flight(row)
            by_map.setdefault(row["dm"], []).append(row)
        for found in sample.maps:
            history = self.maps.setdefault(identity(found), MapHistory(
                found.name, found.dm, found.wwid))
            history.name, history.dm = found.name, found.dm
            history.add(sample.wall, by_map.get(found.dm, ()))
        for gone in self.maps.keys() - {identity(found) for found in sample.maps}:
            self.maps[gone].pause(sample.wall)
        self.events += sorted([*reports(sample), *(changes(before, sample) if before else ())],
                              key=lambda event: event.time)
        self.first, self.last = min(self.first, sample.wall), max(self.last, sample.wall)
        self.samples += 1


def in_flight(row):
    """In the mean of the interval, as the disk counts it; of I/Os that hang, it counts nothing until they end."""
    rates = row["disk_reads_per_s"], row["disk_writes_per_s"]
    if None in rates or row["state"] == STALLED:
        return row["inflight"]
    return sum(rates) * (row["disk_latency_us"] or 0) / 1e6


def identity(found):
    """What stays when it gets another dm-N, or another alias."""
    return found.wwid or found.name


def span(seconds):
    """Like "2 h 5 min"."""
    for size, unit, smaller, small in ((86400, "d", 3600, "h"), (3600, "h", 60, "min"),
                                       (60, "min", 1, "s")):
        if seconds >= size:
            whole, rest = divmod(round(seconds), size)
            return "%d %s" % (whole, unit) + (" %d %s" % (rest // smaller, small)
                                              if rest // smaller else "")
    return "%.3g s" % max(seconds, 0)


def reports(sample):
    """What the module has reported."""
    words = {SLOW: ("became slow", SLOW), RECOVERED: ("recovered", ACTIVE)}
    for event in sample.events:
        text, state = words.get(event.event, (event.event, ""))
        yield Event(event.since, event.map, event.path, "%s: was %s, is %s" % (
            text, duration(event.was_us), duration(event.is_us)), state, True)


def changes(before, now):
    """What is another way than in the sample before."""
    if before.loaded != now.loaded:
        yield Event(now.wall, "", "", "the module is loaded" if now.loaded
                    else "the module is not loaded any more")
    was = {identity(found): found for found in before.maps}
    found = []
    for each in now.maps:
        old = was.pop(identity(each), None)
        found += [Event(now.wall, each.name, "", "is there")] if old is None else path_events(
            old, each, before, now)
    found += [Event(now.wall, each.name, "", "is gone") for each in was.values()]
    yield from found


def path_events(old, new, before, now):
    """The paths of another selector are other ones, whose totals began anew."""
    if new.selector != old.selector:
        yield Event(now.wall, new.name, "", "selector: %s, was %s" % (
            new.selector or "unknown", old.selector or "unknown"))
        return
    was = {key(old, path): path for path in old.paths}
    for path in new.paths:
        earlier = was.pop(key(new, path), None)
        if earlier is None:
            yield Event(now.wall, new.name, path.name, "is there", path.values["state"] or "")
        else:
            yield from state_events(new.name, path.name, earlier.values, path.values, before, now)
    for path in was.values():
        yield Event(now.wall, new.name, path.name, "is gone")


def state_events(name, path, old, new, before, now):
    """A state has the time of its change; what came and went between two samples has the last one's."""
    since, state = new["state_since"], new["state"] or "unknown"
    text = None
    if new["state"] != old["state"]:
        text = "%s, was %s" % (state, old["state"] or "unknown")
    elif since != old["state_since"]:
        text = "%s again" % state
    failures = (new["failures"] or 0) - (old["failures"] or 0)
    if failures > 0 and state != FAILED:
        text = "%s, failed %s %s" % (text or state, times(failures), BETWEEN)
    if text:
        known = since and before.wall < since <= now.wall
        yield Event(since if known else now.wall, name, path, text, state)
