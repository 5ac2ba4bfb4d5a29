"""What is left in memory when all is over."""
from tests.dm.lib import memory

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
