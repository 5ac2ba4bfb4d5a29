"""The kernel's SCSI target (LIO) through configfs: a disk that is seen twice.

targetcli does the same with more checks, but starting it takes five seconds in an
emulated CPU; iscsi.py can use it.
"""

import contextlib
import errno
import glob
import os

from .command import (load_module, read_text, settle, sh, wait_until,
                      write_text)
from .disks import Device

TARGET = "/sys/kernel/config/target"
# The serial number makes the WWID; without one each load would get another.
SERIAL = "6c770001-0000-4000-8000-000000000001"


class Backstore:
    """A block device as LIO's storage object.

    Without ALUA no kernel attaches a hardware handler to the disk, as those with scsi_dh_alua built in do at once. A
    bio-based map with such a path wants the handler for all of its paths.
    """

    def __init__(self, device, name="lw", serial=SERIAL, number=0, product=None, has_alua=True):
        load_module("target_core_iblock")
        self.name = name
        self.hba = "%s/core/iblock_%d" % (TARGET, number)
        self.config = "%s/%s" % (self.hba, name)
        os.makedirs(self.config)
        write_text(self.config + "/control", "udev_path=" + device)
        write_text(self.config + "/udev_path", device)
        write_text(self.config + "/enable", 1)
        write_text(self.config + "/wwn/vpd_unit_serial", serial)
        if product:                     # else IBLOCK
            write_text(self.config + "/wwn/product_id", product)
        if not has_alua:
            write_text(self.config + "/alua/default_tg_pt_gp/alua_access_type", 0)

    def link(self, lun):
        """Make it the logical unit at the configfs directory `lun`."""
        os.makedirs(lun)
        os.symlink(self.config, lun + "/" + self.name)

    def unlink(self, lun):
        os.unlink(lun + "/" + self.name)
        os.rmdir(lun)

    def remove(self):
        os.rmdir(self.config)
        os.rmdir(self.hba)


def opens(name):
    """Does the disk? The kernel shows one before it may be opened, which takes a while on a busy host."""
    try:
        os.close(os.open("/dev/" + name, os.O_RDONLY | os.O_NONBLOCK))
    except OSError as error:
        if error.errno not in (errno.ENXIO, errno.ENOENT):
            raise
        return False
    return True


def kernel_name(found):
    """The disk among the sysfs directories `found`, once all of it is there and it can be opened."""
    names = [os.path.basename(path) for path in found]
    return next((name for name in names
                 if os.path.exists("/sys/block/%s/dev" % name) and opens(name)), None)


class LoopPath:
    """A SCSI host of this kernel, by tcm_loop, with the backstore as its disk."""

    def __init__(self, backstore, number):
        load_module("tcm_loop")
        self.backstore = backstore
        self.wwn = "%s/loopback/naa.60014050000000%02d" % (TARGET, number)
        self.tpg = self.wwn + "/tpgt_1"
        self.lun = self.tpg + "/lun/lun_0"
        os.makedirs(self.tpg)
        write_text(self.tpg + "/nexus", "naa.60014050000001%02d" % number)
        self.address = read_text(self.tpg + "/address")
        backstore.link(self.lun)

    def disk(self):
        return Device(wait_until(self.disk_name, "tcm_loop's disk", timeout=30))

    def disk_name(self):
        found = glob.glob("/sys/class/scsi_device/%s:0/device/block/*"
                          % self.address)
        return kernel_name(found)

    def remove(self):
        settle()
        self.backstore.unlink(self.lun)
        os.rmdir(self.tpg)
        os.rmdir(self.wwn)


@contextlib.contextmanager
def loop_path(device, number, **how):
    """A block device of its own as a SCSI disk; those of all numbers say they are the same; `how`: the backstore."""
    with contextlib.ExitStack() as stack:
        backstore = Backstore(device, number=number, **how)
        stack.callback(backstore.remove)
        path = LoopPath(backstore, number)
        stack.callback(path.remove)
        yield path.disk()


@contextlib.contextmanager
def loop_paths(device, count=2, first=0, **how):
    """The block device as `count` SCSI disks with one WWID; no network.

    Their targets have numbers from `first` on; `how` is for the backstore.
    """
    with contextlib.ExitStack() as stack:
        backstore = Backstore(device, number=first, **how)
        stack.callback(backstore.remove)
        paths = []
        for number in range(first, first + count):
            path = LoopPath(backstore, number)
            stack.callback(path.remove)
            paths.append(path.disk())
        settle()
        yield paths


@contextlib.contextmanager
def ram_disk(size_mb=64):
    """A disk in memory, brd's."""
    with ram_disks(1, size_mb) as (disk,):
        yield disk


@contextlib.contextmanager
def ram_disks(count, size_mb=64):
    load_module("brd", "rd_nr=%d" % count, "rd_size=%d" % (size_mb << 10))
    settle()
    try:
        yield ["/dev/ram%d" % number for number in range(count)]
    finally:
        settle()
        sh("rmmod", "brd")
