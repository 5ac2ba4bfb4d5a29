"""dm-lw record: the state of all maps, sample after sample, into a file for dm-lw report."""
import contextlib
import re
import sys

from .. import events, intervals, kernel_log, links, tunables
from ..counts import ALL, Looker, key
from ..errors import LwError
from ..maps import NoModule, require_module
from .recorder import Recorder

UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
LEAST, MOST = 64 << 10, 1 << 40         # bytes
INTERVAL = 10                           # seconds


def add_parser(commands):
    parser = commands.add_parser(
        "record", help="record all maps, for dm-lw report", allow_abbrev=False,
        usage="dm-lw record [options] FILE [INTERVAL [COUNT]]",
        description="Append a sample of all maps to FILE every INTERVAL seconds (default: %d), until"
                    " it is stopped. A file that was begun before goes on. When it is full it"
                    " becomes FILE.1, and a new one begins." % INTERVAL)
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("interval", metavar="INTERVAL, COUNT", nargs="*", default=[],
                        help="seconds; number of samples")
    parser.add_argument("--max-size", metavar="SIZE", default="32M",
                        help="that FILE and FILE.1 together may have, in bytes, or with K, M or G;"
                             " default: %(default)s")
    parser.set_defaults(run=run)


def run(args):
    names, interval, count = intervals.split(args.interval)
    if names:
        raise LwError("\"%s\" is neither an interval, in seconds, nor a number of samples: all maps"
                      " are recorded" % names[0], status=2)
    sampler = Sampler(args.sysfs)
    recorder = Recorder(args.file, size(args.max_size), args.sysfs)
    with contextlib.closing(recorder):
        intervals.repeat(lambda now, _: recorder.add(now, sampler.events()), sampler,
                         interval or INTERVAL, count if interval else None)


def size(text):
    """The bytes that a user means."""
    found = re.fullmatch("([0-9]{1,13})([KMG]?)", text, re.ASCII)
    if not found or not LEAST <= int(found.group(1)) * UNITS[found.group(2)] <= MOST:
        raise LwError("--max-size: \"%.40s\" is not a size from 64K to 1024G" % text, status=2)
    return int(found.group(1)) * UNITS[found.group(2)]


class Sampler:
    """Looks at all multipath maps, with the settings of the module's maps."""

    def __init__(self, sysfs):
        self.sysfs = sysfs
        self.looker = Looker(sysfs, scope=ALL)
        self.was_loaded = True
        self.places = {}                # where each path leads; to look it up takes longer than all else
        self.kmsg = None
        if not sysfs.is_copy:
            try:
                self.kmsg = kernel_log.from_now_on()
            except LwError as error:
                complain("what the kernel log says of slow paths is not recorded: %s" % error)

    def __call__(self):
        look = self.looker()
        if self.was_loaded and not look.loaded:
            self.tell()
        self.was_loaded = look.loaded
        for found in look.maps:
            found.settings = tunables.read(self.sysfs, found.directory)
        paths = {key(found, path): path for found in look.maps for path in found.paths if path.device}
        self.places = {each: self.places.get(each) or links.place(self.sysfs, path.device)
                       for each, path in paths.items()}
        for each, path in paths.items():
            path.values.update(self.places[each])
        return look

    def tell(self):
        try:
            require_module(self.sysfs)
        except NoModule as error:
            complain("%s; recording goes on" % error)

    def events(self):
        """The module's reports since the last call."""
        return [] if self.kmsg is None else list(events.events(kernel_log.waiting(self.kmsg)))


def complain(text):
    print("dm-lw: " + text, file=sys.stderr, flush=True)
