"""Whether a map may be used for dm-lw bench: it is whole and unused."""
import os
import time

from ..device_mapper import map_device
from ..errors import LwError, reason
from ..live_tables import path_name, path_states
from ..maps import in_shell, list_maps, listed
from ..policies import attached

# So long udev may look at a map that it just heard of.
UDEV = 5                        # seconds
POLL = 0.2
LOOK = 1 << 20                  # bytes at both ends of a device
FAILED, NO_SIGNATURE = "F", 2   # in dmsetup status; exit status of blkid


def require_unused(host, table):
    """LwError that says who uses it. Even a look at it would slow its users down."""
    users = mounts(host, table.dm) + swaps(host, table.dm) + holders(host, table.dm)
    if users:
        raise LwError("%s is in use: %s" % (table.name, "; ".join(users)))
    deadline = time.monotonic() + UDEV
    device = map_device(host, table.name, table.dm)
    while device.open_count():
        if time.monotonic() > deadline:
            raise LwError("%s is in use: somebody has it open (fuser -v /dev/%s tells who)"
                          % (table.name, table.dm))
        time.sleep(POLL)


def require_no_policy(host, table):
    """It goes with the map's last table of latency-weighted, and cannot be attached again."""
    for found in list_maps(host.sysfs):
        policy = attached.read(host.sysfs, found) if found.dm == table.dm else None
        if policy:
            raise LwError("%s has the policy %s, which bench could not give back: dm-lw policy none %s; --policy"
                          " compares it" % (found.name, policy.name, in_shell(found.name)))


def mounts(host, dm):
    """Where it is mounted, as far as this namespace sees."""
    number = host.sysfs.text("block", dm, "dev")
    lines = [line.split() for line in (host.read("proc/self/mountinfo") or "").splitlines()]
    return ["mounted on %s" % words[4] for words in lines if words[2] == number]


def swaps(host, dm):
    lines = (host.read("proc/swaps") or "").splitlines()[1:]
    return ["used as swap" for line in lines if line.split()[0].rsplit("/", 1)[-1] == dm]


def holders(host, dm):
    """Devices that the kernel has on top: LVM, partitions, md, bcache."""
    return ["held by %s" % (host.sysfs.text("block", name, "dm", "name") or name)
            for name in host.sysfs.directories("block", dm, "holders")]


def require_choice(table):
    """A selector chooses among the paths of a group."""
    if all(len(group.paths) < 2 for group in table.groups):
        raise LwError("%s has no group of more than one path: a selector has no choice"
                      " (path_grouping_policy in multipath.conf(5))" % table.name)


def require_whole(host, device, dm):
    """It runs, no change is under way, and no path has failed."""
    if host.sysfs.text("block", dm, "dm", "suspended") == "1":
        raise LwError("%s is suspended" % device.name)
    if device.inactive():
        raise LwError("%s: somebody has loaded a table that does not live yet (dmsetup table"
                      " --inactive shows it, dmsetup clear drops it)" % device.name)
    require_no_failure(host, device)


def require_no_failure(host, device):
    failed = [path_name(host.sysfs, path)
              for path, state in path_states(device.status()) if state == FAILED]
    if failed:
        raise LwError("%s: failed: %s; with a path less, figures say little (multipath -ll, dmesg)"
                      % (device.name, listed(failed)))


def require_readable(host, table):
    """Where signatures are: blkid takes a disk that it cannot read for empty."""
    try:
        with open(host.path("dev/" + table.dm), "rb", buffering=0) as device:
            device.read(LOOK)
            device.seek(max(0, device.seek(0, os.SEEK_END) - LOOK))
            device.read(LOOK)
    except OSError as error:
        raise LwError("%s cannot be read: %s" % (table.name, reason(error)))


def require_nothing_to_lose(host, table):
    """No file system, LVM, md or partition table: it may be used by another host, too."""
    device = "/dev/" + table.dm
    if host.sysfs.text("block", table.dm, "ro") == "1":
        raise LwError("%s is read-only" % table.name)
    require_readable(host, table)
    done = host.run("blkid", "--probe", "-o", "value", "-s", "TYPE", "-s", "PTTYPE", device)
    if done.status != NO_SIGNATURE:
        raise LwError("%s has %s on it: if it may go, wipefs --all %s first" % (
            table.name, " and ".join(done.out.split()) or "something that blkid cannot tell",
            device))
