"""What a test left behind in the kernel, and getting rid of it."""

import glob
import os

from tests.lib.command import CommandError, read_text, sh

# In-tree modules that tests load with parameters of their own.
TEST_DEVICE_MODULES = ("null_blk", "scsi_debug")


def maps():
    """Names of the device-mapper devices."""
    names = set()
    for path in glob.glob("/sys/block/dm-*/dm/name"):
        try:
            names.add(read_text(path))
        except FileNotFoundError:   # it just went
            pass
    return names


def test_modules():
    """Loaded modules that are ours (out of tree) or serve as test devices."""
    with open("/proc/modules") as file:
        names = [line.split()[0] for line in file]
    return {name for name in names
            if name in TEST_DEVICE_MODULES or is_out_of_tree(name)}


def is_out_of_tree(name):
    taint = "/sys/module/%s/taint" % name
    return os.path.exists(taint) and "O" in read_text(taint)


class State:
    """What there is now, to be compared with what a test leaves."""

    def __init__(self):
        self.maps = maps()
        self.modules = test_modules()

    def clean_up(self):
        """Remove what is new since then; a list of what was not in order.

        A map must not stay. A module may (a table autoloads it), but must
        let itself be unloaded: if not, a reference leaked.
        """
        faults = []
        for name in sorted(maps() - self.maps):
            faults.append("map %s left behind" % name)
            faults += attempt("dmsetup", "remove", "--force", "--retry", name)
        for name in sorted(test_modules() - self.modules):
            faults += attempt("rmmod", name)
        return faults


def attempt(*argv):
    try:
        sh(*argv)
        return []
    except CommandError as error:
        return [str(error)]
