"""Common to enable and disable: multipathd is made to change its maps, safely.

multipathd removes an unused map when the kernel refuses its new table.
So dm-lw has all maps open while multipathd reconfigures: in any case the
maps stay, with the table that they had.
"""
import contextlib
import fcntl
import os
import resource
import time

from . import multipathd
from .errors import LwError, reason
from .host import NotPermitted
from .sysfs import printable

LOCK = "run/dm-lw.lock"
OTHER_FILES = 64        # most of them beside the maps
POLL = 0.5              # seconds between looks at the maps
# As long multipathd may rest between its answer "ok" and its beginning.
REST = 10


def require_root(host):
    if not host.is_root():
        raise NotPermitted("only root may do this")


def say(line):
    print(printable(line))


@contextlib.contextmanager
def only_one(host):
    """One dm-lw at a time changes the configuration, or a table, of this machine."""
    if not host.has_own_sysfs():
        raise LwError("--sysfs is for looking: this would change the maps of this machine", status=2)
    with locked(host, LOCK, "another dm-lw enable, disable or bench is at work"):
        yield


@contextlib.contextmanager
def locked(host, name, busy, patience=0):
    """Only root may open the file: users who may open it may lock it, and keep others waiting."""
    file = host.path(name)
    try:
        lock = os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise LwError("%s: %s" % (file, reason(error)))
    try:
        os.fchmod(lock, 0o600)          # an older one is for all to read
        end = time.monotonic() + patience
        while not is_taken(lock):
            if time.monotonic() >= end:
                raise LwError("%s (%s)" % (busy, file))
            time.sleep(POLL)
        yield
    finally:
        os.close(lock)


def is_taken(lock):
    """By this process, which has it then."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextlib.contextmanager
def held_open(host, tables):
    """multipathd cannot remove these maps within."""
    allow_open_files(len(tables) + OTHER_FILES)
    with contextlib.ExitStack() as stack:
        for table in tables:
            try:
                opened = os.open(host.path("dev/" + table.dm), os.O_RDONLY)
            except OSError as error:
                raise LwError("the map %s cannot be opened: %s" % (table.name, reason(error)))
            stack.callback(os.close, opened)
        yield


def allow_open_files(count):
    """The usual limit is 1024, and there may be more maps."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < count:
        unlimited = hard == resource.RLIM_INFINITY
        resource.setrlimit(resource.RLIMIT_NOFILE, (count, hard if unlimited else max(hard, count)))


def lost(before, tables):
    """For faults(): maps that are gone now, or have no paths, whether or not they were to change."""
    now = {table.name: table for table in tables}
    found = ["the map %s is gone" % table.name for table in before if table.name not in now]
    return found + ["%s has no paths any more" % table.name for table in before
                    if table.groups and table.name in now and not now[table.name].groups]


def settle(host, faults, rest=REST):
    """Look until faults(), a list of lines, is empty; LwError with them when they stay, or the time is over."""
    before, changed = None, time.monotonic()
    while True:
        found = faults()
        if not found:
            return
        now = time.monotonic()
        if found != before or unrest(host):
            before, changed = found, now
        if host.patience.left() <= 0 or now - changed > rest:
            raise LwError("; ".join(found))
        host.patience.tell("; ".join(found))
        time.sleep(POLL)


def reconfigure(host, faults):
    """Ask multipathd for it, and settle().

    If nothing happens, ask again: up to 0.8 it puts it off while udev does not know a map that it
    has just made, and may then forget it.
    """
    ask_to_reconfigure(host)
    try:
        settle(host, faults, REST / 2)
    except LwError:
        if host.patience.left() <= 0:
            raise
        ask_to_reconfigure(host)
        settle(host, faults)


def ask_to_reconfigure(host):
    """If possible when multipathd rests: up to 0.8 it says "ok" while it reconfigures, and forgets it."""
    half = host.patience.left() / 2
    while host.patience.left() > half and (found := unrest(host)):
        host.patience.tell(found[0])
        time.sleep(POLL)
    multipathd.ask(host, "reconfigure")


def unrest(host):
    """For faults(): multipathd's present task."""
    try:
        return [] if multipathd.is_idle(host) else ["multipathd is still reconfiguring"]
    except LwError as error:
        return [str(error)]
