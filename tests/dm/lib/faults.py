"""Allocations that fail on purpose, where the kernel has fault injection."""

import contextlib
import fcntl
import os

from .command import read_text, write_text
from .dm_status import BUFFER, CONTROL, HEADER, TARGET, VERSION, ioctl_number

DEBUGFS = "/sys/kernel/debug"
FAIL_NTH = "/proc/thread-self/fail-nth"
TABLE_LOAD, TABLE_CLEAR = 9, 10
# Of the slab and of pages, even those that could wait; and without a call trace each.
SETTINGS = {"failslab/ignore-gfp-wait": "N", "failslab/verbose": "0",
            "fail_page_alloc/ignore-gfp-wait": "N", "fail_page_alloc/min-order": "0",
            "fail_page_alloc/verbose": "0"}


@contextlib.contextmanager
def injection():
    """Ready to fail what this thread allocates, and nobody else."""
    files = {os.path.join(DEBUGFS, name): value for name, value in SETTINGS.items()}
    before = {file: read_text(file) for file in files}
    try:
        for file, value in files.items():
            write_text(file, value)
        yield
    finally:
        for file, value in before.items():
            write_text(file, value)


class Loader:
    """Loads a table into a map by a single call of the kernel, one of whose allocations fails."""

    def __init__(self, name, table):
        first, length, kind, words = table.split(" ", 3)
        self.name = name.encode()
        self.target = TARGET.pack(int(first), int(length), 0, 0, kind.encode()) + words.encode() + b"\0"

    def __enter__(self):
        self.control = os.open(CONTROL, os.O_RDWR)
        self.fail_nth = os.open(FAIL_NTH, os.O_RDWR)
        return self

    def __exit__(self, *_):
        os.close(self.fail_nth)
        os.close(self.control)

    def call(self, command, targets=0, data=b""):
        buffer = bytearray(BUFFER)
        HEADER.pack_into(buffer, 0, *VERSION, BUFFER, HEADER.size, targets, 0, 0, 0, 0, 0,
                         self.name, b"")
        buffer[HEADER.size:HEADER.size + len(data)] = data
        fcntl.ioctl(self.control, ioctl_number(command), buffer)

    def load(self, nth):
        """With the nth allocation failing: (the error or None, whether there were as many)."""
        error = None
        os.pwrite(self.fail_nth, b"%d" % nth, 0)
        try:
            self.call(TABLE_LOAD, 1, self.target)
        except OSError as failure:
            error = failure.errno
        reached = os.pread(self.fail_nth, 20, 0).strip() == b"0"
        os.pwrite(self.fail_nth, b"0", 0)
        return error, reached

    def clear(self):
        self.call(TABLE_CLEAR)
