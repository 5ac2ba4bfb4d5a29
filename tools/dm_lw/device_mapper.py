"""Changing the table of a map that lives.

dmsetup loads tables, but does not make them live here: it would tell udev that the map
was just activated, and LVM, for one, would start volumes on it. A resume without
such words is to udev an event as by `udevadm trigger`.
"""
from . import dm_ioctl
from .errors import LwError, reason
from .live_tables import Table, parse
from .maps import read_device

# No file system is frozen, and no I/O that waits for a path is waited for; as multipathd does.
SKIP_LOCKFS, NOFLUSH = 1 << 10, 1 << 11


def map_device(host, name, dm):
    """The MapDevice of a map that sysfs calls `dm`."""
    number = read_device(host.sysfs, "block", dm, "dev")
    if number is None:
        raise LwError("the map %s is gone" % name)
    return MapDevice(host, name, number)


class MapDevice:
    """A map by its number, which it keeps as long as it is open."""

    def __init__(self, host, name, number):
        self.host = host
        self.name = name
        self.number = number
        major, minor = number.split(":")
        self.named = ("--major", major, "--minor", minor)

    def table(self):
        """The live table."""
        return parse(self.text(dm_ioctl.LIVE_TABLE), Table(self.name))

    def inactive(self):
        """The text of a table that was loaded and does not live yet; empty if there is none."""
        return self.text(dm_ioctl.INACTIVE_TABLE)

    def status(self):
        return self.text(dm_ioctl.STATUS)

    def text(self, flags):
        text = self.host.map_text(self.number, flags)
        if text is None:
            raise LwError("the map %s is gone" % self.name)
        return text

    def open_count(self):
        count = self.dmsetup("info", "--columns", "--noheadings", "-o", "open").out.strip()
        if not count.isdigit():
            raise LwError("dmsetup info: %s" % count)
        return int(count)

    def load(self, text):
        done = self.host.run("dmsetup", "load", *self.named, "--table", text)
        if not done.ok:
            raise LwError("the kernel refuses a table for %s (%s); the kernel log tells why: dmesg"
                          " | grep device-mapper" % (self.name, done.complaint()))

    def clear(self):
        """Forget the loaded table."""
        self.dmsetup("clear")

    def resume(self):
        """Have the table that was loaded live; waits for the I/Os that are under way."""
        try:
            dm_ioctl.ask(self.host.path(dm_ioctl.CONTROL), dm_ioctl.SUSPEND_OR_RESUME, self.number,
                         SKIP_LOCKFS | NOFLUSH)
        except OSError as error:
            raise LwError("%s could not be resumed: %s" % (self.name, reason(error)))

    def dmsetup(self, *words):
        done = self.host.run("dmsetup", *words, *self.named)
        if not done.ok:
            raise LwError("dmsetup %s: %s" % (words[0], done.complaint()))
        return done
