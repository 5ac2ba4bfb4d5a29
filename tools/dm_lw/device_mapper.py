"""Changing the table of a map that lives.

dmsetup loads tables, but does not make them live here: it would tell udev that the map
was just activated, and LVM, for one, would start what lies on it. A resume without
such words is to udev an event like those of `udevadm trigger`.
"""
import fcntl
import os
import struct

from .errors import LwError, reason
from .live_tables import parse
from .maps import read_device

CONTROL = "dev/mapper/control"
# struct dm_ioctl: version; size, start of data, targets, open count, flags, event number,
# padding; device; name; UUID and padding
HEADER = struct.Struct("=3I7iQ128s136s")
VERSION = (4, 0, 0)
# _IOWR(0xfd, DM_DEV_SUSPEND, struct dm_ioctl), which also resumes
SUSPEND_OR_RESUME = 3 << 30 | HEADER.size << 16 | 0xfd << 8 | 6
# No file system is frozen, and no I/O that waits for a path is waited for; as multipathd does.
SKIP_LOCKFS, NOFLUSH = 1 << 10, 1 << 11


def map_device(host, name, dm):
    """The MapDevice of a map that sysfs calls `dm`."""
    number = read_device(host.sysfs, "block", dm, "dev")
    if number is None:
        raise LwError("the map %s is gone" % name)
    return MapDevice(host, name, *map(int, number.split(":")))


class MapDevice:
    """A map by its number, which it keeps as long as somebody has it open."""

    def __init__(self, host, name, major, minor):
        self.host = host
        self.name = name
        self.number = os.makedev(major, minor)
        self.named = ("--major", str(major), "--minor", str(minor))

    def table(self):
        """What lives."""
        return parse("%s: %s" % (self.name, self.dmsetup("table").out))

    def inactive(self):
        """The text of a table that was loaded and does not live yet; empty if there is none."""
        return self.dmsetup("table", "--inactive").out.strip()

    def status(self):
        return self.dmsetup("status").out

    def load(self, text):
        done = self.host.run("dmsetup", "load", *self.named, "--table", text)
        if not done.ok:
            raise LwError("the kernel refuses a table for %s (%s); the kernel log tells why: dmesg"
                          " | grep device-mapper" % (self.name, done.complaint()))

    def clear(self):
        """Forget what was loaded."""
        self.dmsetup("clear")

    def resume(self):
        """Have the table that was loaded live; waits for the I/Os that are under way."""
        buffer = bytearray(HEADER.size)
        HEADER.pack_into(buffer, 0, *VERSION, HEADER.size, HEADER.size, 0, 0,
                         SKIP_LOCKFS | NOFLUSH, 0, 0, self.number, b"", b"")
        try:
            control = os.open(self.host.path(CONTROL), os.O_RDWR)
            try:
                fcntl.ioctl(control, SUSPEND_OR_RESUME, buffer)
            finally:
                os.close(control)
        except OSError as error:
            raise LwError("%s could not be resumed: %s" % (self.name, reason(error)))

    def dmsetup(self, *words):
        done = self.host.run("dmsetup", *words, *self.named)
        if not done.ok:
            raise LwError("dmsetup %s: %s" % (words[0], done.complaint()))
        return done
