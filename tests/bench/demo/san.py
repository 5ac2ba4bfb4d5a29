"""The SAN in the guest: an array in its own network namespace, two paths to it.

    the host (the guest's namespace)          the array (namespace "array")
    fabric-1 10.77.1.1 ---- rate ------------ port-1 10.77.1.2
                                                                LIO - null_blk
    fabric-2 10.77.2.1 ---- rate, +30 ms ---- port-2 10.77.2.2
"""
from tests.lib import iscsi
from tests.lib.disks import NullBlk
from tests.lib.network import Link, make_namespace

NAMESPACE = "array"
DISK_MB = 256


def array_disk(plan):
    """A disk in memory which takes its time for each request, any number at once."""
    return NullBlk("nullb0", 1000 * plan.disk_ms, DISK_MB, memory_backed=1, hw_queue_depth=256).path


def san(plan, say):
    """The disks behind the fast and the slow path, in this order; until the guest ends."""
    make_namespace(NAMESPACE)
    links = [Link(NAMESPACE, number) for number in (1, 2)]
    portals = [link.address for link in links]
    say("two networks between the host and the array")
    iscsi.export_by_targetcli(array_disk(plan), portals, NAMESPACE)
    say("targetcli exports the array's disk on " + " and ".join(portals))
    iscsi.start_daemon()
    disks = iscsi.login(portals)
    say("open-iscsi is logged in on both: " + ", ".join(disk.name for disk in disks))
    # after the logins, which would take seconds at these rates
    for link, delay_ms in zip(links, (0, plan.delay_ms)):
        link.impair(plan.rate_mbit, delay_ms)
    say("netem: %g Mbit/s on both paths, and %g ms more on %s's"
        % (plan.rate_mbit, plan.delay_ms, disks[1].name))
    return disks
