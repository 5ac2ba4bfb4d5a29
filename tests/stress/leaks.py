"""What is left in memory when all is over."""
import os
import time

from tests.dm.lib import memory

KMEMLEAK = "/sys/kernel/debug/kmemleak"
OURS = ("lw_", "dm_latency_weighted", "dm_multipath")
# Objects by which a cache may grow for other reasons, such as the sysfs of other modules; ours
# would leak with each table or path. Besides, each CPU has a slab whose free objects count.
SPARE_OBJECTS = 400
SPARE_PERCPU = 2048             # KiB
WATCHED = ("kmalloc", "kernfs_node_cache", "dm_", memory.PERCPU)


def grown(before, after, tables, cpus):
    """Caches with more objects than before: at least one for every second table that was loaded."""
    for name, (count, per_slab) in sorted(after.items()):
        spare = max(SPARE_OBJECTS, tables // 2) + per_slab * cpus
        if name == memory.PERCPU:
            spare = SPARE_PERCPU
        growth = count - before.get(name, (0, 0))[0]
        if name.startswith(WATCHED) and growth > spare:
            yield "%s: %d more than before %d tables" % (name, growth, tables)


def has_kmemleak():
    return os.path.exists(KMEMLEAK)


def unreferenced():
    """kmemleak's reports; it believes only what it has seen twice."""
    for _ in range(2):
        with open(KMEMLEAK, "w") as file:
            file.write("scan")
        time.sleep(6)           # younger objects are not reported
    with open(KMEMLEAK) as file:
        return split(file.read())


def split(text):
    """The reports, each as a text."""
    parts = text.split("unreferenced object")
    return ["unreferenced object" + part for part in parts[1:]]


def of_ours(reports):
    """Those with a function of ours, or of the target above it, in the trace."""
    return [report for report in reports if any(name in report for name in OURS)]
