"""The maps of latency-weighted and their paths, and the names that users give to them.

docs/ABI/testing/sysfs-kernel-dm-latency-weighted describes each file.
"""
import difflib
import os
import re
import shlex
from dataclasses import dataclass, field
from typing import Dict, List, Optional

from . import disks
from .errors import LwError
from .histogram import Histogram
from .states import (ACTIVE, CLASSES, COUNTS, DATA_CLASSES, DISK, FAILED, MODULE_WORDS, NEW, NOT_USED,  # noqa: F401
                     OPERATIONS, PROBING, RAMPING, SLOW, SOURCES, STALLED, STATES, TIMESTAMPS, TOLD_APART)
from .values import CLASS_VALUES, COUNT, DECIMAL, FILES, NUMBER, OPERATION_VALUES, VALUES, WORD, keys

SELECTOR = "latency-weighted"
ROOT = "kernel/dm-latency-weighted"
MADE_BY_MULTIPATH = "mpath-"     # begins a map's UUID; the WWID follows
MODULE = "module/dm_latency_weighted"

PATH_WORDS = {value.key: value.words for value in VALUES if value.file == WORD}
PATH_NUMBERS, PATH_DECIMALS = keys(NUMBER, COUNT), keys(DECIMAL)
PATH_KEYS = keys(*FILES)
CLASS_NUMBERS = tuple(value.key for value in CLASS_VALUES)
OPERATION_NUMBERS = tuple(value.key for value in OPERATION_VALUES)
UNKNOWN = {value.key for value in (*VALUES, *CLASS_VALUES, *OPERATION_VALUES) if value.zero_is_unknown}

MOST_NAMES = 8                  # that a line tells
NO_MAPS = "no map uses latency-weighted (dm-lw doctor tells more)"
STALLS = 2                      # times the latency of the slowest size


@dataclass
class Path:
    """One path of a map; a value is None where the module has no such file."""
    name: str                           # as the block layer has it: sda, cciss/c0d0
    directory: str                      # below ROOT
    device: Optional[str] = None        # 8:0
    values: Dict[str, object] = field(default_factory=dict)
    classes: Dict[str, Dict[str, Optional[int]]] = field(default_factory=dict)
    operations: Dict[str, Dict[str, Optional[int]]] = field(default_factory=dict)
    # By class and operation; None if they were not asked for, empty if the module does not count by latency.
    histograms: Optional[Dict[str, Histogram]] = None

    def is_called(self, name):
        return name in (self.name, os.path.basename(self.directory), self.device,
                        "/dev/" + self.name)


@dataclass
class Map:
    name: str                           # alias, or dm-N if the module does not know it
    dm: str                             # dm-N, name of its directory
    wwid: Optional[str] = None
    paths: List[Path] = field(default_factory=list)
    settings: Optional[Dict[str, object]] = None    # tunables, once they are read
    selector: str = SELECTOR            # of several, all; empty if it is another one, which is not known

    @property
    def is_ours(self):
        return self.selector == SELECTOR

    @property
    def directory(self):
        return "%s/%s" % (ROOT, self.dm)

    @property
    def identity(self):
        """The WWID, else the name: dm-N may change, and be given to another map."""
        return self.wwid or self.name

    def names(self):
        return names_of(self.name, self.dm, self.wwid)

    def path(self, name):
        for path in self.paths:
            if path.is_called(name):
                return path
        raise LwError("%s has no path %s; it has: %s"
                      % (self.name, name, listed(path.name for path in self.paths)))


class NoModule(LwError):
    """There is nothing to be read, since the module is not there: with a status of its own."""

    STATUS = 3

    def __init__(self, message):
        super().__init__(message, self.STATUS)


def listed(names):
    return ", ".join(names) or "none"


def some(names):
    """All of them, or where there are hundreds the first ones and how many more."""
    names = list(names)
    more = len(names) - MOST_NAMES
    return listed(names) if more <= 1 else "%s and %d more" % (listed(names[:MOST_NAMES]), more)


def likest(names, wanted):
    """The names that may have been meant come first, if there are many."""
    names = list(names)
    return some(dict.fromkeys(difflib.get_close_matches(wanted, names, MOST_NAMES) + names) if len(names) > MOST_NAMES
                else names)


def own_spelling(name):
    r"""As users write the name or WWID: libdevmapper has \x20 for a blank, and so for all but A-Za-z0-9#+-.:=@_."""
    return os.fsdecode(re.sub(rb"\\x([0-9a-fA-F]{2})", lambda byte: bytes.fromhex(byte[1].decode()),
                              name.encode(errors="surrogatepass")))


def names_of(name, dm, wwid=None):
    """Names of a map: each as the kernel spells it, and as its user does."""
    names = {name, own_spelling(name)}
    wwids = {wwid, own_spelling(wwid)} if wwid else set()
    return names | wwids | {dm, "/dev/" + dm} | {"/dev/mapper/" + each for each in names}


def in_shell(name):
    """A map's name in a command that is shown to a user."""
    return shlex.quote("/dev/mapper/" + name if name.startswith("-") else name)


def require_module(sysfs):
    if sysfs.exists(ROOT):
        return
    if sysfs.exists(MODULE):
        raise NoModule("the loaded dm-latency-weighted has no %s: it is older than this tool"
                       % sysfs.path(ROOT))
    if sysfs.is_copy:
        raise NoModule("%s has no %s: it is from where dm-latency-weighted was not loaded"
                       % (sysfs.root, ROOT))
    raise NoModule("the module dm-latency-weighted is not loaded"
                   " (modprobe dm-latency-weighted; dm-lw doctor tells more)")


def read_maps(sysfs, wanted=None, classes=True, keys=PATH_KEYS, between=None):
    """Maps whose identity is wanted, with these values of their paths; maps that go meanwhile are left out."""
    maps = []
    for found in list_maps(sysfs):
        if wanted is not None and found.identity not in wanted:
            continue
        if between:
            between()
        found.paths = read_paths(sysfs, found, classes, keys)
        if sysfs.exists(found.directory):
            maps.append(found)
    return maps


def list_maps(sysfs):
    """The maps by name only; sorted by name."""
    maps = []
    for dm in sysfs.directories(ROOT):
        name = sysfs.text(ROOT, dm, "name")
        uuid = sysfs.text("block", dm, "dm", "uuid") or ""
        maps.append(Map(dm if name in (None, "", "unknown") else name, dm, wwid_of(uuid)))
    return sorted(maps, key=lambda found: (found.name, found.dm))


def wwid_of(uuid):
    """None for a map that multipath did not make."""
    return uuid[len(MADE_BY_MULTIPATH):] if uuid.startswith(MADE_BY_MULTIPATH) else None


def read_paths(sysfs, found, classes=True, keys=PATH_KEYS):
    paths = [read_path(sysfs, "%s/paths/%s" % (found.directory, name), classes, keys)
             for name in sysfs.directories(found.directory, "paths")]
    return [path for path in paths if sysfs.exists(path.directory)]


def read_path(sysfs, directory, classes, keys):
    path = Path(os.path.basename(directory).replace("!", "/"), directory)
    path.device = read_device(sysfs, directory, "device")
    for name in keys:
        if name in PATH_WORDS:
            path.values[name] = read_word(sysfs, PATH_WORDS[name], directory, name)
        else:
            path.values[name] = (sysfs.decimal if name in PATH_DECIMALS else sysfs.number)(directory, name)
    if path.values["state"] == SLOW and is_stalled(sysfs, path):
        path.values["state"] = STALLED
    for name in CLASSES if classes else ():
        if sysfs.exists(directory, name):
            path.classes[name] = unknown_is_none(
                {number: sysfs.number(directory, name, number) for number in CLASS_NUMBERS})
    for name in OPERATIONS if classes else ():
        if sysfs.exists(directory, name):
            path.operations[name] = unknown_is_none(
                {number: sysfs.number(directory, name, number) for number in OPERATION_NUMBERS})
    path.values = unknown_is_none(path.values)
    path.values.update(disks.totals(sysfs, path.device))
    return path


def is_stalled(sysfs, path):
    """latency_us of a stalled path is the time without a completion: much longer than any size of I/O took before."""
    took = [sysfs.number(path.directory, name, "latency_us") or 0 for name in CLASSES]
    return bool(path.values["inflight"]) and (path.values["latency_us"] or 0) > STALLS * max(took)


def unknown_is_none(values):
    """The module says 0 for unknown values, where 0 means nothing else."""
    return {name: (value or None) if name in UNKNOWN else value for name, value in values.items()}


def read_device(sysfs, *names):
    text = sysfs.text(*names)
    if text is not None and not re.fullmatch("[0-9]{1,9}:[0-9]{1,9}", text, re.ASCII):
        raise LwError("%s: \"%.40s\" is no device number" % (sysfs.path(*names), text))
    return text


def read_word(sysfs, words, *names):
    text = sysfs.text(*names)
    word = MODULE_WORDS.get(text, text)
    if word is not None and word not in words:
        raise LwError("%s: \"%.40s\" is none of: %s" % (sysfs.path(*names), word, listed(words)))
    return word


def find_map(sysfs, maps, name):
    """The map that a user calls `name`."""
    found = the_one(maps, name)
    if not found:
        raise LwError(unknown_map(sysfs, maps, name))
    return found


def the_one(maps, name):
    """The map that a user calls so; None if there is none, LwError if there are more."""
    matches = [found for found in maps if name in found.names()]
    if not matches and name.startswith("/"):
        real = "/dev/" + os.path.basename(os.path.realpath(name))
        matches = [found for found in maps if real in found.names()]
    if len(matches) > 1:
        raise LwError("%s may be %s: say /dev/mapper/... or /dev/dm-..." % (name, " or ".join(
            "%s (%s)" % (found.name, found.dm) for found in matches)))
    return matches[0] if matches else None


def unknown_map(sysfs, maps, name):
    for dm in sysfs.directories("block"):
        called = sysfs.text("block", dm, "dm", "name")
        if called is not None and name in names_of(called, dm):
            return "%s is no map of latency-weighted (dmsetup table /dev/%s tells what it is)" % (name, dm)
    return "no map is called %s; there are: %s" % (name, likest((found.name for found in maps), name))
