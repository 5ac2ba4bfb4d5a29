"""Changes between two looks at the maps.

A report is a list of rows, one a path: the module's present values, and the changes of its
totals say about the time since the look before. Without one before, it is the time since
the path became known, as iostat's first report is about the time since boot.
"""
import functools
import operator
import time
from dataclasses import dataclass
from typing import List

from . import debugfs, disks, links, multipathd, others
from .histogram import Histogram
from .host import Host
from .maps import (DATA_CLASSES, DISK, OPERATIONS, PATH_KEYS, ROOT, Map, find_map, list_maps, read_maps,
                   require_module)
from .values import VALUES

# A row's rate, and the totals that it comes from.
RATES = {value.key: value.rate_of for value in VALUES if value.rate_of}
# In a row's histograms, beside the size classes: those that carry data, together.
DATA = "data"

# Which maps a Looker looks at: the module's; all multipath maps if there are none of these; all.
OURS, OURS_IF_ANY, ALL = range(3)
GATHER = 1                      # seconds, where earlier counts tell nothing


@dataclass
class Look:
    maps: List[Map]
    wall: float                 # seconds since the epoch
    clock: float                # seconds, monotonic
    loaded: bool                # is the module?


class Looker:
    """Call it to look at the maps now: at all, or at those that were named.

    On a host of hundreds of paths it takes a good part of a second; half of it without
    size classes. Histograms are for root only.
    """

    def __init__(self, sysfs, names=(), classes=True, histograms=False, keys=PATH_KEYS, scope=OURS, host=None,
                 links=False, multipathd=False):
        self.sysfs = sysfs
        self.host = host or Host(sysfs=sysfs)
        self.names = names
        self.classes = classes
        self.keys = keys
        self.histograms = histograms
        self.scope = scope
        self.links = links
        self.multipathd = multipathd
        self.wanted = None

    def __call__(self, between=None):
        """`between` is called before each map of the module is read."""
        self.prepare()
        if self.scope == OURS:
            require_module(self.sysfs)
        wall, clock = time.time(), time.monotonic()
        ours = maps = read_maps(self.sysfs, self.wanted, self.classes, self.keys, between)
        if self.scope == ALL:
            maps = sorted(ours + others.read_maps(self.host, self.wanted),
                          key=lambda found: (found.name, found.dm))
        if self.histograms and (ours or self.scope == OURS):
            debugfs.require(self.sysfs)
            debugfs.add_histograms(self.sysfs, ours)
        known = [path for found in maps for path in found.paths if path.device]
        told = multipathd.paths(self.host) if self.multipathd else {}
        for path in known if told else ():
            path.values.update(zip(("prio", "checker"), told.get(path.device, ())))
        for path in known if self.links else ():
            path.values.update(links.place(self.sysfs, path.device))
        return Look(maps, wall, clock, self.sysfs.exists(ROOT))

    def prepare(self):
        """Once: an alias may change meanwhile, and maps get another selector."""
        if self.scope == OURS_IF_ANY:
            self.scope = OURS if list_maps(self.sysfs) or not others.list_maps(self.host) else ALL
        if self.names and self.wanted is None:
            self.wanted = self.find()

    def sees_others(self):
        """Has a map another selector, which does not know its former values?"""
        self.prepare()
        return self.scope == ALL and any(self.wanted is None or found.identity in self.wanted
                                         for found in others.list_maps(self.host))

    def find(self):
        maps = list_maps(self.sysfs)
        if self.scope == ALL:
            maps += others.list_maps(self.host)
        if not maps or self.scope == OURS:
            require_module(self.sysfs)
        return {find_map(self.sysfs, maps, name).identity for name in self.names}


def rows(now, before=None):
    """A row for each path of each map."""
    was = {key(found, path): path for found in (before.maps if before else ())
           for path in found.paths}
    seconds = now.clock - before.clock if before else None
    result = []
    for found in now.maps:
        rows_of_map = []
        for path in found.paths:
            path_was = was.get(key(found, path))
            since = span(now, path, seconds, path_was)
            rows_of_map.append(row(found, path, path_was, since))
        set_shares(rows_of_map, seconds)
        result += rows_of_map
    return result


def key(found, path):
    """A path that went and came again is another one: its totals began again."""
    return found.identity, path.directory, path.device, path.values.get("known_since")


def span(now, path, seconds, was):
    """For how long the totals are looked at; None if that is not known."""
    known = path.values.get("known_since")
    if was or not known:
        return seconds
    return max(now.wall - known, seconds or 0)


def row(found, path, was, seconds):
    result = dict(map=found.name, dm=found.dm, wwid=found.wwid, selector=found.selector or None,
                  path=path.name, device=path.device, **path.values)
    before = was.values if was else {}
    result["sent"] = grown(path.values, before, ("starts",))
    for name, totals in RATES.items():
        result[name] = rate(grown(path.values, before, totals), seconds)
    # The totals of the disk are older than the path.
    result.update(disks.figures(was and disks.work(path.values, before), seconds))
    if path.values.get("latency_source") == DISK:
        result["latency_us"] = result["disk_latency_us"]
    result["classes"] = parts(path.classes, was and was.classes, seconds)
    result["operations"] = parts(path.operations, was and was.operations, seconds)
    if path.histograms is not None:
        add_percentiles(result, path.histograms, (was and was.histograms) or {})
    return result


def parts(now, before, seconds):
    """Classes or operations of a path, with a rate each."""
    return {name: dict(values, done_per_s=rate(grown(values, (before or {}).get(name, {}), ("done",)), seconds))
            for name, values in now.items()}


def add_percentiles(result, histograms, before):
    """Of each class and operation, and of all data together."""
    grew = {name: histogram.since(before.get(name)) for name, histogram in histograms.items()}
    for name, histogram in grew.items():
        parts_of = result["operations" if name in OPERATIONS else "classes"]
        parts_of.get(name, {}).update(histogram.percentiles())
    data = functools.reduce(operator.add, [grew[name] for name in DATA_CLASSES if name in grew],
                            Histogram())
    result.update(data.percentiles(), histograms=dict(grew, **{DATA: data}))


def grown(values, before, totals):
    """By how much the sum of some totals grew; None if there are none.

    A start is taken back if the driver was too busy for it, hence the max().
    """
    numbers = [values.get(total) for total in totals]
    if None in numbers:
        return None
    return sum(max(number - (before.get(total) or 0), 0)
               for number, total in zip(numbers, totals))


def rate(count, seconds):
    return count / seconds if count is not None and seconds else None


def set_shares(rows_of_map, interval):
    """Per cent of the I/Os that the map sent in the interval.

    Without an interval, or if it sent none, what the module says of late: a share since
    the path became known would hide what is going on.
    """
    sent = [path.pop("sent") for path in rows_of_map]
    total = sum(filter(None, sent)) if interval else 0
    for path, count in zip(rows_of_map, sent):
        lately = path.pop("share")
        path["share_percent"] = 100 * count / total if total and count is not None else lately
