"""Block devices that serve as paths: the programmable test disk and null_blk."""

import contextlib
import glob
import os

from .command import (is_loaded, load_module, read_text, settle, unload_module,
                      wait_until, write_text)

TESTDISK_MODULE = "lw_testdisk"
AS_READS = -1                   # of a write_* file: writes are as reads
NULLB_CONFIG = "/sys/kernel/config/nullb"


class Counted:
    """A disk as sysfs shows it, also one that users do not see."""

    def __init__(self, name):
        self.name = name
        self.sysfs = "/sys/block/" + name

    def used(self):
        """Reads and writes completed so far."""
        fields = read_text(self.sysfs + "/stat").split()
        return int(fields[0]) + int(fields[4])

    def inflight(self):
        """Reads and writes that the disk was sent and has not completed."""
        return sum(int(word) for word in read_text(self.sysfs + "/inflight").split())

    def given(self):
        """Reads and writes that the disk was sent so far, completed or not."""
        return self.used() + self.inflight()


class Device(Counted):
    """A block device as the block layer shows it."""

    def __init__(self, name):
        super().__init__(name)
        self.path = "/dev/" + name
        self.number = read_text(self.sysfs + "/dev")

    def __repr__(self):
        return self.name

    def sectors(self):
        return int(read_text(self.sysfs + "/size"))


class PathDisk(Device):
    """A disk of lw_testdisk; tests/modules/disk/model.c tells what its files do."""

    def set(self, **parameters):
        for name, value in parameters.items():
            write_text(self.file(name), value)

    def get(self, name):
        return int(read_text(self.file(name)))

    def file(self, name):
        return "%s/lw/%s" % (self.sysfs, name)

    def used(self):
        """Reads and writes accepted so far, completed or not."""
        return self.get("reads") + self.get("writes")

    def given(self):
        """used() counts what hangs already."""
        return self.used()

    def reset(self):
        """Back to an ideal path, and whatever hangs goes on."""
        self.set(hang=0, frozen=0, error=0, error_delay_us=0, service_us=0, mbps=0, delay_us=0, node=0, far_us=0,
                 tail_every=0, tail_permille=0, tail_next=0, tail_us=0, sigma_permille=0, rest_us=0,
                 write_service_us=AS_READS, write_mbps=AS_READS, write_delay_us=AS_READS)

    def hanging(self):
        """The path completes nothing within."""
        return self.switched_on("hang")

    def frozen(self):
        """The path's queue gives out no request within."""
        return self.switched_on("frozen")

    def refusing(self):
        """The path's driver is too busy for any I/O within, as SCSI's while its host recovers from errors."""
        return self.switched_on("tags", 0, self.get("tags"))

    @contextlib.contextmanager
    def switched_on(self, name, value=1, back=0):
        self.set(**{name: value})
        try:
            yield
        finally:
            self.set(**{name: back})

    def remove(self):
        """Pull the disk, as a cable would be."""
        self.set(remove=1)
        wait_until(lambda: not os.path.exists(self.sysfs),
                   "%s is gone" % self.name)


@contextlib.contextmanager
def path_disks(count=2, **parameters):
    """The test disk's module, loaded within with its parameters; its disks share their data."""
    load_module(TESTDISK_MODULE, "disks=%d" % count,
                *("%s=%s" % item for item in parameters.items()))
    for name in parameters:     # the kernel only warns of one that does not exist
        assert os.path.exists("/sys/module/%s/parameters/%s" % (TESTDISK_MODULE, name)), name
    settle()
    disks = [PathDisk("lwt%d" % index) for index in range(count)]
    try:
        yield disks
    finally:
        for disk in disks:
            if os.path.exists(disk.sysfs):
                disk.reset()
        unload_module(TESTDISK_MODULE)


@contextlib.contextmanager
def scsi_debug_disk(completion_us, size_mb=256):
    """The kernel's SCSI disk without hardware."""
    load_module("scsi_debug", "dev_size_mb=%d" % size_mb, "ndelay=%d" % (completion_us * 1000))
    try:
        found = wait_until(lambda: glob.glob("/sys/devices/pseudo*/adapter*/host*/target*/*/block/*"), "scsi_debug's disk")
        settle()
        yield Device(os.path.basename(found[0]))
    finally:
        unload_module("scsi_debug")


class NullBlk(Device):
    """A null_blk disk that completes each I/O by a timer, or at once (irqmode 0).

    `more` are further files of its directory in configfs.
    """

    def __init__(self, label, completion_us, size_mb=256, irqmode=2, **more):
        self.load()
        self.config = "%s/%s" % (NULLB_CONFIG, label)
        os.mkdir(self.config)
        for name, value in (("size", size_mb), ("irqmode", irqmode),
                            ("completion_nsec", int(completion_us * 1000)),
                            *more.items(), ("power", 1)):
            write_text("%s/%s" % (self.config, name), value)
        settle()
        super().__init__(self.disk_name(label))

    @staticmethod
    def load():
        if not is_loaded("null_blk"):
            load_module("null_blk", "nr_devices=0")

    @classmethod
    def has(cls, feature):
        """Is there such a file in the directories?"""
        cls.load()
        return feature in read_text(NULLB_CONFIG + "/features").split(",")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.destroy()

    def disk_name(self, label):
        """Newer kernels name the disk after its configfs directory."""
        if os.path.exists("/sys/block/" + label):
            return label
        return "nullb" + read_text(self.config + "/index")

    def pull(self):
        """Take it away, though it may be open."""
        write_text(self.config + "/power", 0)

    def plug_in(self, completion_us):
        """Another disk in its place, with its name and number."""
        number = self.number
        write_text(self.config + "/completion_nsec", completion_us * 1000)
        write_text(self.config + "/power", 1)
        settle()
        self.number = read_text(self.sysfs + "/dev")
        if self.number != number:
            raise RuntimeError("%s is %s now, not %s" % (self, self.number, number))

    def destroy(self):
        settle()
        write_text(self.config + "/power", 0)
        os.rmdir(self.config)
