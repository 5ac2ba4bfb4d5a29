"""Multipath maps of other selectors, by dm and by the counters of their paths' disks."""
from . import disks, live_tables
from .errors import LwError
from .maps import (ACTIVE, DISK, FAILED, MADE_BY_MULTIPATH, PATH_KEYS, ROOT, Map, Path, read_device,
                   wwid_of)


def list_maps(host):
    """The maps by name and selector only."""
    return [found for found, _ in known(host)]


def read_maps(host, wanted=None):
    """Maps with their paths, those whose identity is wanted."""
    maps = [(found, table) for found, table in known(host) if wanted is None or found.identity in wanted]
    for found, table in maps:
        found.paths = read_paths(host.sysfs, found.dm, table and told(live_tables.failed_paths, host, table))
    return [found for found, _ in maps]


def known(host):
    """(map, its table) of multipathd's maps, and of those made by hand; the table is None but for root."""
    tables = {}
    if host.is_root() and host.has_own_sysfs():
        tables = {table.dm: table for table in told(live_tables.multipath_tables, host) or ()}
    for dm in host.sysfs.directories("block"):
        uuid = host.sysfs.text("block", dm, "dm", "uuid") if dm.startswith("dm-") else None
        if uuid is None or host.sysfs.exists(ROOT, dm):
            continue
        table = tables.get(dm)
        if table or uuid.startswith(MADE_BY_MULTIPATH):
            yield Map(host.sysfs.text("block", dm, "dm", "name") or dm, dm, wwid_of(uuid),
                      selector=",".join(table.selectors) if table else ""), table


def told(ask, *of):
    """dm's values; without them the counters are known nevertheless."""
    try:
        return ask(*of)
    except LwError:
        return None


def read_paths(sysfs, dm, failed):
    """Of `failed`, the numbers of the paths that dm does not use, None means that they are not known."""
    paths = [read_path(sysfs, "block/%s/slaves/%s" % (dm, name), name)
             for name in sysfs.directories("block", dm, "slaves")]
    for path in paths if failed is not None else ():
        path.values["state"] = FAILED if path.device in failed else ACTIVE
    return [path for path in paths if path.device]


def read_path(sysfs, directory, name):
    """A path with its disk's values alone."""
    path = Path(name.replace("!", "/"), directory, read_device(sysfs, directory, "dev"))
    path.values = dict.fromkeys(PATH_KEYS)
    path.values.update(disks.totals(sysfs, path.device), latency_source=DISK,
                       inflight=disks.inflight(sysfs, path.device))
    if path.values["inflight"] is not None:
        path.values["done"] = path.values["disk_reads"] + path.values["disk_writes"]
        path.values["starts"] = path.values["done"] + path.values["inflight"]
    return path
