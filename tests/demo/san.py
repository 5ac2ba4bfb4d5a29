"""The SAN in the guest: an array in its own network namespace, two paths to it.

    the host (the guest's namespace)          the array (namespace "array")
    fabric-a 10.77.1.1 ---- rate ------------ port-a 10.77.1.2
                                                                LIO - null_blk
    fabric-b 10.77.2.1 ---- rate, +30 ms ---- port-b 10.77.2.2
"""
import os

from tests.dm.lib import iscsi
from tests.dm.lib.command import load_module, settle, sh, write_text
from tests.dm.lib.disks import NULLB_CONFIG

NAMESPACE = "array"
FABRICS = [("a", 1), ("b", 2)]
PORTALS = ["10.77.%d.2" % number for _, number in FABRICS]
DISK_MB = 256
# Packets that a link holds: more than any depth here brings, so that none is lost.
LIMIT = 10000


def netem(device, rate_mbit, delay_ms=0.0, namespace=None):
    """Both ends' queues have the rate; who gets a delay sends that much later."""
    words = ["tc"] + (["-n", namespace] if namespace else [])
    words += ["qdisc", "replace", "dev", device, "root", "netem",
              "limit", LIMIT, "rate", "%gmbit" % rate_mbit]
    if delay_ms:
        words += ["delay", "%gms" % delay_ms]
    sh(*words)


def network():
    sh("ip", "netns", "add", NAMESPACE)
    for namespace in (None, NAMESPACE):
        # As on any SAN: a path that rested must not begin with a small TCP window, or
        # its I/Os take two or three round trips.
        sh(*iscsi.in_namespace(namespace, "sysctl", "-qw", "net.ipv4.tcp_slow_start_after_idle=0"))
    for name, number in FABRICS:
        fabric, port = "fabric-" + name, "port-" + name
        sh("ip", "link", "add", fabric, "type", "veth",
           "peer", "name", port, "netns", NAMESPACE)
        sh("ip", "addr", "add", "10.77.%d.1/24" % number, "dev", fabric)
        sh("ip", "link", "set", fabric, "up")
        sh("ip", "-n", NAMESPACE, "addr", "add", "10.77.%d.2/24" % number, "dev", port)
        sh("ip", "-n", NAMESPACE, "link", "set", port, "up")


def slow_down(plan):
    """After the logins, which would take seconds at these rates."""
    for name, _ in FABRICS:
        netem("fabric-" + name, plan.rate_mbit)
        netem("port-" + name, plan.rate_mbit,
              plan.delay_ms if name == "b" else 0, NAMESPACE)


def array_disk(plan):
    """A disk in memory which takes its time for each request, any number at once."""
    load_module("null_blk", "nr_devices=0")
    config = NULLB_CONFIG + "/nullb0"
    os.mkdir(config)
    for name, value in (("size", DISK_MB), ("memory_backed", 1), ("blocksize", 512),
                        ("hw_queue_depth", 256), ("irqmode", 2),
                        ("completion_nsec", int(plan.disk_ms * 1e6)), ("power", 1)):
        write_text("%s/%s" % (config, name), value)
    settle()
    return "/dev/nullb0"


def san(plan, say):
    """The disks behind the fast and the slow path, in this order; until the guest ends."""
    network()
    say("two networks between the host and the array")
    iscsi.export_by_targetcli(array_disk(plan), PORTALS, NAMESPACE)
    say("targetcli exports the array's disk on " + " and ".join(PORTALS))
    iscsi.start_daemon()
    disks = iscsi.login(PORTALS)
    say("open-iscsi is logged in on both: " + ", ".join(disk.name for disk in disks))
    slow_down(plan)
    say("netem: %g Mbit/s on both paths, and %g ms more on %s's"
        % (plan.rate_mbit, plan.delay_ms, disks[1].name))
    return disks
