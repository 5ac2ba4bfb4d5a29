"""Allocations that fail on purpose, where the kernel has fault injection."""

import contextlib
import os

from .command import read_text, write_text
from .debugfs import DEBUGFS
from .dm_ioctl import Control

FAIL_NTH = "/proc/thread-self/fail-nth"
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


class Loader(Control):
    """Loads a table into a map by a single call of the kernel, one of whose allocations fails."""

    def __init__(self, name, table):
        super().__init__(name)
        self.table = table

    def __enter__(self):
        self.fail_nth = os.open(FAIL_NTH, os.O_RDWR)
        return super().__enter__()

    def __exit__(self, *failure):
        super().__exit__(*failure)
        os.close(self.fail_nth)

    def load_short_of(self, nth):
        """With the nth allocation failing: (the error or None, whether there were as many)."""
        error = None
        os.pwrite(self.fail_nth, b"%d" % nth, 0)
        try:
            self.load(self.table)
        except OSError as failure:
            error = failure.errno
        reached = os.pread(self.fail_nth, 20, 0).strip() == b"0"
        os.pwrite(self.fail_nth, b"0", 0)
        return error, reached
