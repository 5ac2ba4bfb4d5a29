"""The kernel's failslab: allocations that fail, of one thread only."""
import contextlib
import os

from tests.dm.lib.command import write_text

from .sequence import Missing

FAILSLAB = "/sys/kernel/debug/failslab"
MINE = "/proc/thread-self/make-it-fail"


def available():
    return os.path.isdir(FAILSLAB)


@contextlib.contextmanager
def allocations_failing(percent):
    """Some of what this thread has the kernel allocate within; another one is not concerned."""
    if not available():
        raise Missing("the kernel has no failslab")
    for name, number in (("task-filter", "Y"), ("interval", 1), ("times", -1), ("space", 0),
                         ("verbose", 0), ("ignore-gfp-wait", "N"), ("probability", percent)):
        write_text("%s/%s" % (FAILSLAB, name), number)
    # Opened before: to open it allocates.
    mine = os.open(MINE, os.O_WRONLY)
    try:
        os.write(mine, b"1")
        try:
            yield
        finally:
            os.write(mine, b"0")
    finally:
        os.close(mine)
        write_text(FAILSLAB + "/probability", 0)
