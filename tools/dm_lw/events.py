"""dm-lw events: which paths became slow, and when they recovered, as the kernel log has it."""
import contextlib
import json
import os
import re
import sys
import time
from dataclasses import dataclass

from . import kernel_log
from .errors import Interrupted, LwError
from .maps import find_map, list_maps, listed, own_spelling, require_module
from .signals import interruptible

# docs/ABI/testing/uevent-dm-latency-weighted
LINE = re.compile(r"device-mapper: multipath latency-weighted: (?P<dm>\S+) \((?P<map>.*)\): path (?P<path>\S+)"
                  r" (?P<event>became slow|recovered) (?P<ago>\d{1,12}\.\d{3}) s ago:"
                  r" was (?P<was_us>\d{1,18}) us, is (?P<is_us>\d{1,18}) us", re.ASCII)
SLOW, RECOVERED = "slow", "recovered"


@dataclass
class Event:
    """A path became slow, or recovered."""
    time: float                         # when the report was made, seconds since the epoch
    event: str
    map: str                            # its name at the time
    dm: str
    path: str
    since: float
    was_us: int
    is_us: int

    def row(self):
        return "%s  %-10s  %-5s  %-6s  %-9s  since %s  was %9.3f ms  is %9.3f ms" % (
            time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(self.time)), self.map, self.dm, self.path,
            self.event, time.strftime("%H:%M:%S", time.localtime(self.since)),
            self.was_us / 1000, self.is_us / 1000)

    def document(self):
        return json.dumps(dict(vars(self), time=round(self.time, 3), since=round(self.since, 3)))


def add_parser(commands):
    parser = commands.add_parser(
        "events", help="which paths became slow, and when they recovered", allow_abbrev=False,
        description="What the module reported in the kernel log since the boot: paths that became slow, and"
                    " that recovered. See the tunable report_ms.")
    parser.add_argument("map", metavar="MAP", nargs="*", help="default: all, also those that are gone")
    parser.add_argument("-f", "--follow", action="store_true", help="also what comes, until ctrl-C")
    parser.add_argument("-j", "--json", action="store_true", help="a JSON document a line")
    parser.set_defaults(run=run)


def run(args):
    if args.sysfs.is_copy:
        raise LwError("--sysfs %s: events are in the kernel log of this host, not in a copy of /sys"
                      % args.sysfs.root, status=2)
    names = {word: name_of(args.sysfs, word) for word in args.map}
    try:
        seen = tell(args, set(names.values()))
    except Interrupted as error:        # without a word: it is how to end it
        return error.status
    if not seen:
        require_module(args.sysfs)
    for word, name in names.items():
        if name not in seen:
            find_map(args.sysfs, list_maps(args.sysfs), word)
    if not seen:
        print("dm-lw: no events%s since the boot at %s" % (
            " of " + listed(args.map) if args.map else "",
            time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)))),
            file=sys.stderr)
    return 0


def tell(args, names):
    """The maps with events. Any end of this ends journalctl, too."""
    seen = set()
    with interruptible(), contextlib.closing(events(kernel_log.records(args.follow))) as found:
        for event in found:
            called = {event.map, own_spelling(event.map), event.dm}
            if not names or called & names:
                seen |= called
                print(event.document() if args.json else event.row(), flush=True)
    return seen


def name_of(sysfs, word):
    """The map's name, or dm-N if it was called so: a name of a map that is gone, and dm-N may be another's by now."""
    name = os.path.basename(word)
    try:
        found = find_map(sysfs, list_maps(sysfs), word)
    except LwError:
        return name
    return name if name in (found.name, found.dm) else found.name


def events(records):
    for when, text in records:
        found = LINE.fullmatch(text)
        if found:
            yield Event(when, SLOW if found["event"] == "became slow" else RECOVERED, found["map"], found["dm"],
                        found["path"], when - float(found["ago"]), int(found["was_us"]), int(found["is_us"]))
