"""The map, in the guest, for one selector."""
import contextlib

from tests.dm.lib.command import sh
from tests.dm.lib.multipath import Multipath

MAP = "lwacceptance"


@contextlib.contextmanager
def multipath(paths, selector):
    """A map which nobody has used before, so that its selector knows nothing yet.

    udev waits: it would look at a disk each time that somebody has written to it.
    """
    with Multipath(paths, selector, name=MAP) as mapped:
        sh("udevadm", "control", "--stop-exec-queue")
        try:
            yield mapped.path
        finally:
            sh("udevadm", "control", "--start-exec-queue")
