"""The multipath maps' live tables, as device-mapper tells them."""
import os
from collections import deque
from dataclasses import dataclass, field, replace
from typing import List

from .errors import LwError
from .host import NotPermitted
from .maps import MADE_BY_MULTIPATH, require_one, wwid_of

SELECTOR = "latency-weighted"
DEVICE_MAPPER = "class/misc/device-mapper"      # below /sys, once it is loaded
TARGET = "multipath"
TRIES = 3
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
    name: str
    dm: str = ""                        # dm-0; empty if it went away meanwhile
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
    def choosers(self):
        """The groups' selectors with their arguments, each once, in order."""
        return list(dict.fromkeys(group.chooser for group in self.groups))

    @property
    def paths(self):
        """Their numbers, each once, in order."""
        return list(dict.fromkeys(path for group in self.groups for path in group.paths))

    def names(self):
        """What a user may call the map."""
        return {self.name, self.dm, self.wwid, "/dev/" + self.dm, "/dev/mapper/" + self.name} - {
            "", "/dev/"}

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
        """The same but for what changes without a reload: the group in use, and QUEUE."""
        return self.lasting() == other.lasting()

    def lasting(self):
        return replace(self, name="", dm="", uuid="", first="",
                       features=[word for word in self.features if word != QUEUE])


def parse(line):
    """A line of `dmsetup table`, name first."""
    name, _, text = line.partition(": ")
    words = deque(text.split())
    try:
        table = Table(name, sectors=" ".join(words.popleft() for _ in ("start", "length")))
        words.popleft()                         # TARGET
        table.features = counted(words)
        table.handler = counted(words)
        groups = int(words.popleft())
        table.first = words.popleft()
        table.groups = [parse_group(words) for _ in range(groups)]
    except (IndexError, ValueError):
        raise LwError("dmsetup prints a table that nobody understands: %.200s" % line)
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
    known = known_maps(host)
    tables = []
    for line in dmsetup_lines(host, "table"):
        table = parse(line)
        table.dm, table.uuid = known.get(table.name, ("", ""))
        tables.append(table)
    return sorted(tables, key=lambda table: table.name)


def dmsetup_lines(host, what):
    """A line for each multipath map, name first.

    It asks all devices, one by one, and fails if any has gone meanwhile, whatever that was.
    """
    for _ in range(TRIES):
        done = host.run("dmsetup", what, "--target", TARGET)
        if done.ok:
            break
    else:
        raise LwError("dmsetup: %s" % done.complaint())
    # the others are "No devices found", or of a map without a table
    return [line for line in done.out.splitlines() if ": " in line]


def failed_paths(host):
    """The numbers of the paths that dm does not use, of each map by its name."""
    statuses = (line.partition(": ") for line in dmsetup_lines(host, "status"))
    return {name: [path for path, state in path_states(status) if state == "F"]
            for name, _, status in statuses}


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
    return os.path.basename(os.path.realpath(link)).replace("!", "/")


def known_maps(host):
    """(dm-N, UUID) by the map's name."""
    def text(dm, file):
        return host.sysfs.text("block", dm, "dm", file) or ""

    return {text(dm, "name"): (dm, text(dm, "uuid"))
            for dm in host.sysfs.directories("block") if dm.startswith("dm-")}


def multipathds(host):
    """Likewise, of the maps that multipathd looks after."""
    return [table for table in multipath_tables(host) if table.is_multipathds]


def find(tables, name):
    """The one that a user calls `name`."""
    real = "/dev/" + os.path.basename(os.path.realpath(name)) if name.startswith("/") else name
    found = [table for table in tables if name in table.names() or real in table.names()]
    require_one(name, found)
    if not found:
        raise LwError("no multipath map is called %s; there are: %s"
                      % (name, ", ".join(table.name for table in tables) or "none"))
    return found[0]
