"""dm's control device without dmsetup, which takes longer to start than dm to answer."""

import fcntl
import os
import struct

CONTROL = "/dev/mapper/control"
VERSION = (4, 0, 0)
# struct dm_ioctl: version; sizes, targets, opens, flags, event and padding; dev; name; uuid
HEAD = struct.Struct("=3I3Ii3IQ128s129s7x")
# struct dm_target_spec: start, length, status, offset of the next, type
TARGET = struct.Struct("=QQiI16s")
TABLE_LOAD, TABLE_CLEAR, TABLE_STATUS = 9, 10, 12
ROOM = 4096             # for a status


def request(number):
    """_IOWR(DM_IOCTL, number, struct dm_ioctl)"""
    return 3 << 30 | HEAD.size << 16 | 0xfd << 8 | number


class Control:
    """What one map is asked."""

    def __init__(self, name):
        self.name = name.encode()

    def __enter__(self):
        self.control = os.open(CONTROL, os.O_RDWR)
        return self

    def __exit__(self, *_):
        os.close(self.control)

    def ask(self, number, targets=0, payload=b""):
        """What the kernel makes of the request and of what follows it."""
        buffer = bytearray(HEAD.pack(*VERSION, HEAD.size + len(payload), HEAD.size, targets,
                                     0, 0, 0, 0, 0, self.name, b"") + payload)
        fcntl.ioctl(self.control, request(number), buffer)
        return buffer

    def load(self, table):
        """A line as of dmsetup, into the inactive table; OSError if it is refused."""
        start, length, target, parameters = table.split(" ", 3)
        words = parameters.encode() + b"\0"
        words += bytes(-len(words) % 8)
        self.ask(TABLE_LOAD, 1, TARGET.pack(int(start), int(length), 0, TARGET.size + len(words),
                                            target.encode()) + words)

    def clear(self):
        """Drop the inactive table."""
        self.ask(TABLE_CLEAR)

    def status(self):
        """The line that dmsetup status prints, of a map of one target."""
        buffer = self.ask(TABLE_STATUS, payload=bytes(ROOM - HEAD.size))
        at = HEAD.unpack_from(buffer)[4]
        start, length, _, _, kind = TARGET.unpack_from(buffer, at)
        words = bytes(buffer[at + TARGET.size:]).split(b"\0")[0]
        return "%d %d %s %s" % (start, length, kind.rstrip(b"\0").decode(), words.decode())
