"""The kernel's own memory, counted after it has let go of what it keeps in reserve."""

import contextlib
import glob
import os
import time

from .command import write_text

SLABS = "/sys/kernel/slab"
PERCPU = "percpu KiB"


def meminfo():
    """KiB, by name."""
    with open("/proc/meminfo") as file:
        return {line.split(":")[0]: int(line.split()[1]) for line in file}


def give_back():
    """Slabs without objects go back; what waits for RCU has had its time."""
    time.sleep(0.5)
    for cache in glob.glob(SLABS + "/*"):
        if os.path.islink(cache):       # another name of one
            continue
        with contextlib.suppress(FileNotFoundError):
            write_text(cache + "/shrink", 1)


def kernel_memory():
    """KiB that the kernel has taken for itself."""
    give_back()
    figures = meminfo()
    return figures["Slab"] + figures["Percpu"] + figures["VmallocUsed"]


def objects():
    """(objects, how many a slab holds) of each slab cache, and the KiB of all CPUs' variables.

    Not in virtual time: what is dropped here, programs read again from the host's disk.
    """
    os.sync()
    # A file of sysfs that was looked at is kept in memory, also after it is gone.
    write_text("/proc/sys/vm/drop_caches", 3)
    give_back()
    found = {PERCPU: (meminfo()["Percpu"], 0)}
    with open("/proc/slabinfo") as file:
        for line in file.readlines()[2:]:
            words = line.split()
            found[words[0]] = int(words[1]), int(words[4])
    return found
