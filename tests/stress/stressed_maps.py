"""The maps under stress, and the places in them where paths may be."""
import contextlib
import threading

from tests.lib.command import CommandError, sh
from tests.lib.dm_ioctl import Control
from tests.lib.multipath import WITHOUT_UDEV, Multipath, parse_status, table
from tests.lib.scenario import SELECTOR

from .sequence import NotDone

# A table that is swapped in waits for all I/O of the old one, also of a path that hangs.
PATIENT = 150
FEATURES = ["queue_if_no_path"]


class Place:
    """Where a path may be, whatever device is there now."""

    def __init__(self, name, device):
        self.name = name
        self.device = device            # None: pulled

    def __repr__(self):
        return self.name


class Map:
    """A map, and what its table is made of. Its lock is for who changes the table or the places.

    It has a path at any time, the first one, if `steady`: dm answers with errors what a bio-based
    map without any holds when it is suspended.
    """

    def __init__(self, name, places, queue_mode, steady):
        self.lock = threading.RLock()
        self.places = places
        self.steady = places[:1] if steady else []
        self.name = name
        self.queue_mode = queue_mode
        self.groups = [list(places)]    # of the table in use, as the next two
        self.selector = SELECTOR
        self.arguments = ()
        self.failed = set()             # places whose path nobody is to reinstate
        self.multipath = Multipath(self.devices(places), SELECTOR, queue_mode, name=name,
                                   features=FEATURES)
        self.path = self.multipath.path
        self.label = self.path.split("/")[-1]

    @staticmethod
    def devices(places):
        return [place.device for place in places if place.device]

    def unsteady(self):
        """Places whose path may fail."""
        return [place for place in self.places if place.device and place not in self.steady]

    def table(self, groups, selector, arguments=()):
        """The line, with a group less for each whose paths are all pulled."""
        groups = [self.devices(group) for group in groups]
        groups = [group for group in groups if group]
        if not groups:
            raise NotDone("no path is left")
        return table(groups[0], selector, self.queue_mode, arguments, FEATURES, groups=groups)

    def swap(self, groups, selector, arguments=(), noflush=True):
        """Another table under whatever load there is; all its paths are usable."""
        with self.lock:
            line = self.table(groups, selector, arguments)
            sh("dmsetup", "load", self.name, "--table", line, timeout=PATIENT)
            self.resume(noflush)
            self.groups = [group for group in groups if self.devices(group)]
            self.selector, self.arguments = selector, arguments
            self.failed.clear()

    def refresh(self):
        """The same once more, since there is another device in a place."""
        with self.lock:
            self.swap(self.groups, self.selector, self.arguments)

    def suspend(self, noflush):
        sh("dmsetup", "suspend", *self.flush_words(noflush), self.name, timeout=PATIENT)

    def resume(self, noflush=True):
        """Suspends first if there is a new table."""
        sh("dmsetup", "resume", *WITHOUT_UDEV, *self.flush_words(noflush), self.name,
           timeout=PATIENT)

    def flush_words(self, noflush):
        """With none at all, a map that has no steady path would answer with errors."""
        return ["--noflush"] if noflush or not self.steady else []

    def message(self, *words):
        sh("dmsetup", "message", self.name, 0, *words, timeout=PATIENT)

    def statuses(self):
        """The PathStatus of each path of the table in use, by the device's number."""
        line = sh("dmsetup", "status", "--noflush", self.name, timeout=PATIENT)
        return {each.number: each for each in parse_status(line)}

    def tend(self):
        """As multipathd does: what failed is tried again, except what is to stay failed."""
        with self.lock:
            found = self.statuses()
            for place in self.places:
                if not place.device or place in self.failed:
                    continue
                status = found.get(place.device.number)
                if status and not status.usable:
                    with contextlib.suppress(CommandError):     # it has just been pulled
                        self.message("reinstate_path", place.device.number)

    def control(self):
        return Control(self.name)

    def remove(self):
        self.multipath.remove()


@contextlib.contextmanager
def map_of(name, places, queue_mode, steady):
    """The map while it is needed."""
    made = Map(name, places, queue_mode, steady)
    try:
        yield made
    finally:
        made.remove()
