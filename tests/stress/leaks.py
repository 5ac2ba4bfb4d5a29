"""What is left in memory when all is over."""
import collections

from tests.lib import memory
from tests.lib.disks import path_disks
from tests.lib.dm_ioctl import Control
from tests.lib.multipath import Multipath, map_without_table, table
from tests.lib.options import DEFAULTS
from tests.lib.scenario import SELECTOR

# By how much a cache may grow, and the CPUs' memory. Besides, each CPU has a slab whose free objects count.
Spare = collections.namedtuple("Spare", "objects percpu_kib")
WATCHED = ("kmalloc", "kernfs_node_cache", "dm_", memory.PERCPU)
# What a selector keeps of its words is small, so there are many.
ARGUMENTS = [word for key, default in DEFAULTS.items() for word in (key, default)]


def spare_of(tables):
    """Of a run in which other things happened, too, such as the sysfs of other modules."""
    return Spare(max(400, tables // 2), 2048)


def spare_of_loads(tables):
    """Nothing else happened."""
    return Spare(tables // 4, 512)


def grown(before, after, spare, cpus):
    """Caches that have more objects than before, and more than by chance."""
    for name, (count, per_slab) in sorted(after.items()):
        most = spare.percpu_kib if name == memory.PERCPU else spare.objects + per_slab * cpus
        growth = count - before.get(name, (0, 0))[0]
        if name.startswith(WATCHED) and growth > most:
            yield "%s: %d more than before" % (name, growth)


def load_only(tables):
    """Tables that are never used: so many in a map that has none, and in one that has ours in use.

    All that a table, a map and a path need is made each time for the first, and the selector
    alone for the other.
    """
    with path_disks(2) as (one, other), map_without_table("lwunused") as empty, \
            Multipath([other], SELECTOR, "bio") as busy:
        for name, path in ((empty, one), (busy.name, other)):
            line = table([path], SELECTOR, "bio", ARGUMENTS)
            with Control(name) as control:
                for _ in range(tables):
                    control.load(line)
                    control.clear()
