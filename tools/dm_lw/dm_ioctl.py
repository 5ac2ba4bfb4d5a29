"""ioctls of device-mapper, by the map's number: programs write names differently."""
import errno
import fcntl
import os
import struct

CONTROL = "dev/mapper/control"
# struct dm_ioctl: version; size, start of data, targets, open count, flags, event number,
# padding; device; name; UUID and padding
HEADER = struct.Struct("=3I2I2iI2IQ128s136s")
VERSION = (4, 0, 0)
# struct dm_target_spec: start, length, status, offset of the next one, type; words follow
TARGET = struct.Struct("=2QiI16s")
SUSPEND_OR_RESUME, TABLE_STATUS = 6, 12         # requests
# Flags. A status is told, or with one of these a table.
STATUS, LIVE_TABLE, INACTIVE_TABLE = 0, 1 << 4, 1 << 4 | 1 << 12
BUFFER_FULL = 1 << 8
ROOM = 16384            # bytes, at first


def ask(control, request, number, flags, room=0):
    """The kernel's answer in the buffer; OSError as it comes. `control` is CONTROL's path."""
    buffer = bytearray(HEADER.size + room)
    HEADER.pack_into(buffer, 0, *VERSION, len(buffer), HEADER.size, 0, 0, flags, 0, 0,
                     os.makedev(*map(int, number.split(":"))), b"", b"")
    opened = os.open(control, os.O_RDWR | os.O_CLOEXEC)
    try:
        # _IOWR(0xfd, request, struct dm_ioctl)
        fcntl.ioctl(opened, 3 << 30 | HEADER.size << 16 | 0xfd << 8 | request, buffer)
    finally:
        os.close(opened)
    return buffer


def text(control, number, flags):
    """Text of a map's first target, as dmsetup prints it without the name. None if there is no such map."""
    room = ROOM
    while True:
        try:
            buffer = ask(control, TABLE_STATUS, number, flags, room)
        except OSError as error:
            if error.errno in (errno.ENXIO, errno.ENODEV):
                return None
            raise
        _, _, _, _, start, targets, _, told, *_ = HEADER.unpack_from(buffer)
        if not told & BUFFER_FULL:
            break
        room *= 4
    if not targets:
        return ""
    begin, length, _, _, kind = TARGET.unpack_from(buffer, start)
    words = bytes(buffer[start + TARGET.size:]).split(b"\0")[0]
    return "%d %d %s %s" % (begin, length, kind.rstrip(b"\0").decode(), words.decode(errors="backslashreplace"))
