"""A dm-linear device as a path: suspended, it takes I/O and completes none."""

import contextlib

from tests.lib.command import sh
from tests.lib.disks import Device
from tests.lib.multipath import WITHOUT_UDEV, kernel_name


class Linear(Device):
    def __init__(self, disk, name):
        self.map = name
        sh("dmsetup", "create", *WITHOUT_UDEV, name, "--table",
           "0 %d linear %s 0" % (disk.sectors(), disk.number))
        super().__init__(kernel_name(name))

    @contextlib.contextmanager
    def hanging(self):
        """I/O that comes within waits until the end."""
        sh("dmsetup", "suspend", "--noflush", "--nolockfs", self.map)
        try:
            yield
        finally:
            sh("dmsetup", "resume", *WITHOUT_UDEV, self.map)


@contextlib.contextmanager
def linear(disk, name):
    """The device while it is needed."""
    device = Linear(disk, name)
    try:
        yield device
    finally:
        sh("dmsetup", "remove", "--retry", *WITHOUT_UDEV, name)
