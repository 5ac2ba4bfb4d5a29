"""Data of dm-lw topology: maps, priority groups, paths, where they lead, and ports that maps share."""
import time
from collections import namedtuple
from dataclasses import dataclass, field
from typing import List, Optional

from . import live_tables
from .counts import ALL, Looker, rows
from .errors import LwError
from .host import NotPermitted
from .links import Link, link
from .maps import FAILED, NOT_USED


@dataclass
class Member:
    """A path in a map."""
    name: str                           # sda
    device: str                         # 8:0
    link: Link
    state: Optional[str] = None         # the selector's word; of another selector's, "active" or "failed"
    latency_us: Optional[int] = None
    since: Optional[float] = None       # when it came to its state, as far as the module knows
    known: Optional[float] = None       # since when the module knows it


@dataclass
class Group:
    number: Optional[int]               # None where groups are not known
    selector: Optional[str]
    in_use: Optional[bool]
    paths: List[Member]


Surveyed = namedtuple("Surveyed", "table groups")


@dataclass
class Topology:
    time: float
    maps: List[Surveyed]
    notes: List[str] = field(default_factory=list)      # missing data, and why


def survey(host, interval=0):
    """Latencies with other selectors are means of so many seconds; not known without."""
    topology = Topology(time.time(), [])
    known = rows_of(host, interval)
    tables, failed = read_tables(host, known, topology.notes)
    for table in tables:
        paths = PathReader(host, known.get(table.dm, {}), failed.get(table.dm, ()))
        topology.maps.append(Surveyed(table, groups(host, table, paths)))
    return topology


def rows_of(host, interval):
    """Values of each path, by its device number, for each dm-N."""
    look = Looker(host.sysfs, classes=False, scope=ALL, host=host)
    before, now = None, look()
    if interval and host.has_own_sysfs() and look.sees_others():
        time.sleep(interval)
        before, now = now, look()
    found = {}
    for row in rows(now, before):
        found.setdefault(row["dm"], {})[row["device"]] = row
    return found


def read_tables(host, known, notes):
    """The live tables, and each map's failed paths; or, where only root may know, maps without groups."""
    if host.has_own_sysfs():
        try:
            tables = live_tables.multipath_tables(host)
            return tables, {table.dm: live_tables.failed_paths(host, table) for table in tables}
        except NotPermitted:
            notes.append("priority groups and selectors are shown to root only")
        except LwError as error:
            notes.append("priority groups and selectors are not known: %s" % error)
    else:
        notes.append("priority groups and selectors are not known of a copy of /sys")
    return [found for found in live_tables.known_maps(host)
            if found.is_multipathds or found.dm in known], {}


def groups(host, table, paths):
    """Its priority groups, or one group of all its paths."""
    if table.groups:
        return [Group(number, group.chooser, table.first == str(number),
                      [paths.read(device) for device in group.paths])
                for number, group in enumerate(table.groups, 1)]
    slaves = [host.sysfs.text("block", table.dm, "slaves", name, "dev")
              for name in host.sysfs.directories("block", table.dm, "slaves")]
    return [Group(None, None, None, [paths.read(number) for number in slaves or paths.known
                                     if number])]


class PathReader:
    """Of one map; `known` are its rows by number, `failed` those that dm does not use."""

    def __init__(self, host, known, failed):
        self.sysfs = host.sysfs
        self.known = known
        self.failed = failed

    def read(self, number):
        member = Member(live_tables.path_name(self.sysfs, number), number, link(self.sysfs, number))
        row = self.known.get(number)
        if row:
            member.name, member.state, member.latency_us = row["path"], row["state"], row["latency_us"]
            member.since, member.known = row["state_since"], row.get("known_since")
        if number in self.failed:
            member.state = FAILED
        return member


@dataclass
class Shared:
    """A port of several maps."""
    kind: str                   # "target port" or "host port"
    name: str
    maps: List[str]
    slow: List[str]             # maps that see every working path through it slow
    failed: List[str]           # maps that have no working path through it
    others: List[str]           # ports at the other end of the slow and of the failed paths

    def findings(self):
        for word, maps in (("is slow", self.slow), ("has failed", self.failed)):
            if len(maps) > 1:
                yield "%s %s %s for %s maps" % (
                    self.kind, self.name, word, len(maps) if len(maps) == len(self.maps)
                    else "%d of %d" % (len(maps), len(self.maps)))


def shared(topology):
    """The ports, ports of the storage first, by how many maps have paths through them."""
    found = [share(kind, name, by_map) for kind, ports in (
        ("target port", through(topology, lambda link: link.target_port)),
        ("host port", through(topology, lambda link: link.host_port)))
        for name, by_map in ports.items()]
    return sorted(found, key=lambda each: (each.kind == "host port", -len(each.maps), each.name))


def through(topology, port):
    """The paths through each port, by map."""
    ports = {}
    for found in topology.maps:
        for group in found.groups:
            for path in group.paths:
                name = port(path.link)
                if name:
                    ports.setdefault(name, {}).setdefault(found.table.name, []).append(path)
    return ports


def share(kind, name, by_map):
    slow, failed = [], []
    for found, paths in by_map.items():
        working = {path.state for path in paths} - {FAILED}
        if not working:
            failed.append(found)
        elif working <= set(NOT_USED):
            slow.append(found)
    others = {path.link.target_port if kind == "host port" else path.link.host_port
              for found in slow + failed for path in by_map[found]}
    return Shared(kind, name, list(by_map), slow, failed, sorted(others - {None}))


def findings(topology):
    """Faults that several maps see at once. A host port is only to blame for faults at several target ports."""
    return [text for each in shared(topology)
            if each.kind == "target port" or len(each.others) > 1 for text in each.findings()]
