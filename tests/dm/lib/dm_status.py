"""The status line of a map, asked of the kernel without a process in between.

dmsetup takes longer than the interval in which a selector is to be watched.
"""

import fcntl
import os
import struct

from .multipath import parse_status

CONTROL = "/dev/mapper/control"
# struct dm_ioctl: version, sizes and flags; dev; name; uuid and padding
HEADER = struct.Struct("=3I7iQ128s136s")
# struct dm_target_spec: start, length, status, offset of the next, type
TARGET = struct.Struct("=QQiI16s")
VERSION = (4, 0, 0)
TABLE_STATUS = 12
BUFFER = 4096


def ioctl_number(command):
    """_IOWR(0xfd, command, struct dm_ioctl)"""
    return 3 << 30 | HEADER.size << 16 | 0xfd << 8 | command


class StatusReader:
    """Reads the status of one map again and again."""

    def __init__(self, name):
        self.name = name.encode()

    def __enter__(self):
        self.fd = os.open(CONTROL, os.O_RDWR)
        return self

    def __exit__(self, *_):
        os.close(self.fd)

    def line(self):
        """As dmsetup status prints it."""
        buffer = bytearray(BUFFER)
        HEADER.pack_into(buffer, 0, *VERSION, BUFFER, HEADER.size, 0, 0, 0, 0, 0, 0, self.name, b"")
        fcntl.ioctl(self.fd, ioctl_number(TABLE_STATUS), buffer)
        start = HEADER.unpack_from(buffer)[4]
        first, length, _, _, kind = TARGET.unpack_from(buffer, start)
        words = bytes(buffer[start + TARGET.size:]).split(b"\0")[0]
        return "%d %d %s %s" % (first, length, kind.rstrip(b"\0").decode(), words.decode())

    def paths(self):
        """The PathStatus of each path."""
        return parse_status(self.line())
