"""The multipath maps' live tables, as device-mapper tells them."""
import os
from collections import deque
from dataclasses import dataclass, field, replace
from typing import List

from . import dm_ioctl
from .errors import LwError
from .host import NotPermitted
from .maps import MADE_BY_MULTIPATH, SELECTOR, likest, names_of, read_device, the_one, wwid_of
from .sysfs import printable

DEVICE_MAPPER = "class/misc/device-mapper"      # below /sys, once it is loaded
TARGET = "multipath"
QUEUE = "queue_if_no_path"      # a feature that multipathd turns on and off by a message
REPEAT_COUNT = "1"              # I/Os in a row; selectors take no other any more, or ignore it


@dataclass
class Group:
    """A priority group."""
    selector: str
    arguments: List[str]
    paths: List[str]                    # 8:0
    path_arguments: List[List[str]] = field(default_factory=list)

    @property
    def chooser(self):
        """As multipath.conf has it: "service-time 0"."""
        return " ".join([self.selector, str(len(self.arguments))] + self.arguments)

    def words(self):
        """As they stand in a table."""
        per_path = len(self.path_arguments[0]) if self.paths else 0
        yield from (self.chooser, str(len(self.paths)), str(per_path))
        for path, arguments in zip(self.paths, self.path_arguments):
            yield from (path, *arguments)

    def with_chooser(self, selector, arguments):
        """Its paths under another selector, with the one argument that multipathd gives each."""
        return Group(selector, list(arguments), self.paths, [[REPEAT_COUNT]] * len(self.paths))


@dataclass
class Table:
    name: str = ""                      # as the kernel spells it
    dm: str = ""                        # dm-0
    uuid: str = ""
    sectors: str = ""                   # where it starts, and how many
    features: List[str] = field(default_factory=list)
    handler: List[str] = field(default_factory=list)
    first: str = ""                     # group to begin with; in a live table, the one in use
    groups: List[Group] = field(default_factory=list)

    @property
    def is_multipathds(self):
        """Made by multipathd or multipath, and not by hand."""
        return self.uuid.startswith(MADE_BY_MULTIPATH)

    @property
    def wwid(self):
        """Empty if multipathd did not make the map."""
        return wwid_of(self.uuid) or ""

    @property
    def is_ours(self):
        return bool(self.groups) and all(group.selector == SELECTOR for group in self.groups)

    @property
    def has_us(self):
        return any(group.selector == SELECTOR for group in self.groups)

    @property
    def selectors(self):
        """The groups' selectors without arguments, each once, in order."""
        return list(dict.fromkeys(group.selector for group in self.groups))

    @property
    def choosers(self):
        """The groups' selectors with their arguments, each once, in order."""
        return list(dict.fromkeys(group.chooser for group in self.groups))

    @property
    def paths(self):
        """Their numbers, each once, in order."""
        return list(dict.fromkeys(path for group in self.groups for path in group.paths))

    def names(self):
        """Names that a user may give to the map."""
        return names_of(self.name, self.dm, self.wwid)

    def text(self):
        """As dmsetup takes and prints it, without the name."""
        words = [self.sectors, TARGET, str(len(self.features)), *self.features,
                 str(len(self.handler)), *self.handler, str(len(self.groups)), self.first]
        return " ".join(words + [word for group in self.groups for word in group.words()])

    def with_chooser(self, selector, arguments=()):
        """The same with another selector in all groups."""
        return replace(self, groups=[group.with_chooser(selector, arguments)
                                     for group in self.groups])

    def is_like(self, other):
        """Equal but for words that change without a reload: the group in use, and QUEUE."""
        return self.lasting() == other.lasting()

    def lasting(self):
        return replace(self, name="", dm="", uuid="", first="",
                       features=[word for word in self.features if word != QUEUE])


def parse(text, table=None):
    """Put the output of `dmsetup table` into `table`, which knows the map's names."""
    words, table = deque(text.split()), table or Table()
    try:
        table.sectors = " ".join(words.popleft() for _ in ("start", "length"))
        words.popleft()                         # TARGET
        table.features = counted(words)
        table.handler = counted(words)
        groups = int(words.popleft())
        table.first = words.popleft()
        table.groups = [parse_group(words) for _ in range(groups)]
    except (IndexError, ValueError):
        raise LwError("%s has a table that nobody understands: %.200s" % (table.name or "a map", text))
    return table


def parse_group(words):
    selector = words.popleft()
    arguments = counted(words)
    paths, per_path = int(words.popleft()), int(words.popleft())
    rows = [[words.popleft() for _ in range(1 + per_path)] for _ in range(paths)]
    return Group(selector, arguments, [row[0] for row in rows], [row[1:] for row in rows])


def counted(words):
    """A number and as many words."""
    return [words.popleft() for _ in range(int(words.popleft()))]


def multipath_tables(host):
    """The live table of each multipath map, sorted by name."""
    if not host.is_root():
        raise NotPermitted("only root may read the maps' tables")
    if not host.sysfs.exists(DEVICE_MAPPER):
        return []
    found = [(known, map_text(host, known, dm_ioctl.LIVE_TABLE)) for known in known_maps(host)]
    return [parse(text, known) for known, text in found if text.split()[2:3] == [TARGET]]


def map_text(host, table, flags):
    """The kernel's tables of this map; empty if it is gone, or has no table."""
    number = read_device(host.sysfs, "block", table.dm, "dev")
    return (host.map_text(number, flags) if number else None) or ""


def failed_paths(host, table):
    """The numbers of the paths that dm does not use."""
    return [path for path, state in path_states(map_text(host, table, dm_ioctl.STATUS)) if state == "F"]


def path_states(status):
    """(8:0, A or F) of each path in `dmsetup status`; no other words look like these."""
    words = status.split()
    return [(word, state) for word, state in zip(words, words[1:])
            if state in "AF" and word.replace(":", "", 1).isdigit() and ":" in word]


def path_name(sysfs, number):
    """sda of 8:0."""
    link = sysfs.path("dev/block", number)
    if not os.path.exists(link):
        return number
    return printable(os.path.basename(os.path.realpath(link)).replace("!", "/"))


def known_maps(host):
    """All maps of device-mapper, without their tables, sorted by name."""
    maps = [Table(host.sysfs.text("block", dm, "dm", "name"), dm, host.sysfs.text("block", dm, "dm", "uuid") or "")
            for dm in host.sysfs.directories("block") if dm.startswith("dm-")]
    return sorted((found for found in maps if found.name is not None), key=lambda found: found.name)


def multipathds(host):
    """The tables of the maps that multipathd looks after."""
    return [table for table in multipath_tables(host) if table.is_multipathds]


def find(tables, name):
    """The one that a user calls `name`."""
    found = the_one(tables, name)
    if not found:
        raise LwError("no multipath map is called %s; there are: %s"
                      % (name, likest((table.name for table in tables), name)))
    return found
