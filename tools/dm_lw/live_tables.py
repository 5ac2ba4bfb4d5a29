"""The multipath maps' live tables, as device-mapper tells them."""
from collections import deque
from dataclasses import dataclass, field
from typing import List

from .errors import LwError
from .host import NotPermitted

SELECTOR = "latency-weighted"
DEVICE_MAPPER = "class/misc/device-mapper"      # below /sys, once it is loaded


@dataclass
class Group:
    """A priority group."""
    selector: str
    arguments: List[str]
    paths: List[str]                    # 8:0

    @property
    def chooser(self):
        """As multipath.conf has it: "service-time 0"."""
        return " ".join([self.selector, str(len(self.arguments))] + self.arguments)


@dataclass
class Table:
    name: str
    dm: str = ""                        # dm-0; empty if it went away meanwhile
    uuid: str = ""
    features: List[str] = field(default_factory=list)
    groups: List[Group] = field(default_factory=list)

    @property
    def is_multipathds(self):
        """Made by multipathd or multipath, and not by hand."""
        return self.uuid.startswith("mpath-")

    @property
    def is_ours(self):
        return bool(self.groups) and all(group.selector == SELECTOR for group in self.groups)

    @property
    def has_us(self):
        return any(group.selector == SELECTOR for group in self.groups)

    @property
    def choosers(self):
        """The groups' selectors with their arguments, each once, in order."""
        return list(dict.fromkeys(group.chooser for group in self.groups))


def parse(line):
    """A line of `dmsetup table`, name first."""
    name, _, text = line.partition(": ")
    words = deque(text.split())
    try:
        for _ in ("start", "length", "target's name"):
            words.popleft()
        table = Table(name, features=counted(words))
        counted(words)                          # hardware handler
        groups = int(words.popleft())
        words.popleft()                         # the group to begin with
        table.groups = [parse_group(words) for _ in range(groups)]
    except (IndexError, ValueError):
        raise LwError("dmsetup prints a table that nobody understands: %.200s" % line)
    return table


def parse_group(words):
    selector = words.popleft()
    arguments = counted(words)
    paths, per_path = int(words.popleft()), int(words.popleft())
    return Group(selector, arguments,
                 [[words.popleft() for _ in range(1 + per_path)][0] for _ in range(paths)])


def counted(words):
    """A number and as many words."""
    return [words.popleft() for _ in range(int(words.popleft()))]


def multipath_tables(host):
    """The live table of each multipath map, sorted by name."""
    if not host.is_root():
        raise NotPermitted("only root may read the maps' tables")
    if not host.sysfs.exists(DEVICE_MAPPER):
        return []
    done = host.run("dmsetup", "table", "--target", "multipath")
    if not done.ok:
        raise LwError("dmsetup: %s" % done.complaint())
    known = known_maps(host)
    tables = []
    for line in done.out.splitlines():
        if ": " not in line:                    # "No devices found", or a map without a table
            continue
        table = parse(line)
        table.dm, table.uuid = known.get(table.name, ("", ""))
        tables.append(table)
    return sorted(tables, key=lambda table: table.name)


def known_maps(host):
    """(dm-N, UUID) by the map's name."""
    def text(dm, file):
        return host.sysfs.text("block", dm, "dm", file) or ""

    return {text(dm, "name"): (dm, text(dm, "uuid"))
            for dm in host.sysfs.directories("block") if dm.startswith("dm-")}


def multipathds(host):
    """Likewise, of the maps that multipathd looks after."""
    return [table for table in multipath_tables(host) if table.is_multipathds]
