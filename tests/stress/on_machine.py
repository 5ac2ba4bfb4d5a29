"""What happens to the machine: CPUs that go, memory that runs short."""
import glob
import subprocess
import sys

from tests.lib.command import limit, write_text
from tests.lib.options import PARAMETERS

from . import tables
from .on_maps import held
from .sequence import CHANGE, FAULT, NotDone, action

CPUS = "/sys/devices/system/cpu/cpu[1-9]*/online"

MOST_SECONDS = 40               # of eating
# Takes memory until that little is left, or for some seconds, says what was left, and keeps it for a
# while. If the kernel must kill somebody, it shall be this.
EATER = """
import mmap, sys, time
left_kib, seconds, most = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])
open("/proc/self/oom_score_adj", "w").write("1000")
def available():
    with open("/proc/meminfo") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("MemAvailable"))
bite = b"x" * (8 << 20)
eaten, end = [], time.monotonic() + most
while available() > left_kib and time.monotonic() < end:
    eaten.append(mmap.mmap(-1, len(bite)))
    eaten[-1].write(bite)
print(available())
time.sleep(seconds)
"""


@action(FAULT, weight=2)
def unplug_cpu(_machine, chance):
    files = sorted(glob.glob(CPUS))
    if not files:
        raise NotDone("there is no second CPU")
    file = chance.choice(files)
    write_text(file, 0)
    seconds = held(chance, 3)
    write_text(file, 1)
    return "%s, for %.1f s" % (file.split("/")[-2], seconds)


@action(FAULT)
def eat_memory(_machine, chance):
    """In a slow guest, or a large one, the eater may not come far; it is not given the time of other steps."""
    wanted_mib, seconds = chance.choice([150, 250]), chance.uniform(0, 2)
    told = subprocess.run([sys.executable, "-c", EATER, str(wanted_mib << 10), str(seconds), str(MOST_SECONDS)],
                          check=True, timeout=limit(120), stdout=subprocess.PIPE).stdout
    left_mib = int(told) >> 10
    if left_mib > 2 * wanted_mib:
        raise NotDone("%d MiB were left" % left_mib)
    return "%d MiB left, for %.1f s" % (left_mib, seconds)


@action(FAULT)
def drop_caches(_machine, chance):
    kinds = chance.choice([1, 2, 3])
    write_text("/proc/sys/vm/drop_caches", kinds)
    return str(kinds)


@action(CHANGE, weight=3)
def set_parameter(_machine, chance):
    """The defaults of maps to come."""
    key = chance.choice(sorted(tables.DEFAULTS))
    value = tables.value(key, chance)
    write_text(PARAMETERS + key, value)
    return "%s=%s" % (key, value)
