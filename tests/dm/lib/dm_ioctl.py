"""Tables loaded without dmsetup, which takes longer to start than dm takes to refuse a table."""

import fcntl
import os
import struct

CONTROL = "/dev/mapper/control"
HEAD = struct.Struct("=3I3Ii3IQ128s129s7x")     # struct dm_ioctl
TARGET = struct.Struct("=QQiI16s")              # struct dm_target_spec
TABLE_LOAD, TABLE_CLEAR = 9, 10


def request(number):
    """_IOWR(DM_IOCTL, number, struct dm_ioctl)"""
    return 3 << 30 | HEAD.size << 16 | 0xfd << 8 | number


class Control:
    """One map's inactive table."""

    def __init__(self, name):
        self.name = name.encode()
        self.control = os.open(CONTROL, os.O_RDWR)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.control)

    def ask(self, number, targets=0, payload=b""):
        head = HEAD.pack(4, 0, 0, HEAD.size + len(payload), HEAD.size, targets, 0, 0, 0, 0, 0,
                         self.name, b"")
        fcntl.ioctl(self.control, request(number), bytearray(head + payload))

    def load(self, table):
        """A line as of dmsetup; OSError if it is refused."""
        start, length, target, parameters = table.split(" ", 3)
        words = parameters.encode() + b"\0"
        words += bytes(-len(words) % 8)
        self.ask(TABLE_LOAD, 1, TARGET.pack(int(start), int(length), 0, TARGET.size + len(words),
                                            target.encode()) + words)

    def clear(self):
        self.ask(TABLE_CLEAR)
