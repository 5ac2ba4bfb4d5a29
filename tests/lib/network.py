"""Networks that delay and lose: netem, on the loopback interface or between two namespaces."""

import contextlib

from .command import load_module, sh

LOSSY = ("1:3", "30:")          # the band of prio that no packet is in by itself
# Packets that a queue holds: more than any depth of the tests brings, so that none is lost.
LIMIT = 10000
# Jitter by itself lets packets overtake each other, which no switch does to those of one connection.
# Where there is a rate netem keeps them in order, so this one, far above what the tests send, is for that.
ORDERLY_MBIT = 10000


@contextlib.contextmanager
def losing(addresses):
    """Whatever goes to `addresses` or comes from them is lost; nobody is told."""
    load_module("sch_netem")
    tc = ("tc", "qdisc", "add", "dev", "lo")
    sh(*tc, "root", "handle", "1:", "prio")
    try:
        sh(*tc, "parent", LOSSY[0], "handle", LOSSY[1], "netem", "loss", "100%")
        for address in addresses:
            for end in ("src", "dst"):
                sh("tc", "filter", "add", "dev", "lo", "parent", "1:", "protocol", "ip", "u32",
                   "match", "ip", end, address + "/32", "flowid", LOSSY[0])
        yield
    finally:
        sh("tc", "qdisc", "del", "dev", "lo", "root")


def in_namespace(namespace, *argv):
    """The command with the network of `namespace`, but /sys as it is."""
    if not namespace:
        return argv
    return ("nsenter", "--net=/run/netns/" + namespace) + argv


def make_namespace(name):
    sh("ip", "netns", "add", name)
    for namespace in (None, name):
        # As on any SAN: a path that rested must not begin with a small TCP window, or
        # its I/Os take two or three round trips.
        sh(*in_namespace(namespace, "sysctl", "-qw", "net.ipv4.tcp_slow_start_after_idle=0"))


class Link:
    """A network of its own between us and a namespace, where the array is.

    `address` is the array's in it, `own_address` ours.
    """

    def __init__(self, namespace, number):
        self.namespace = namespace
        self.here, self.there = "fabric-%d" % number, "port-%d" % number
        self.own_address, self.address = ("10.77.%d.%d" % (number, end) for end in (1, 2))
        sh("ip", "link", "add", self.here, "type", "veth",
           "peer", "name", self.there, "netns", namespace)
        sh("ip", "addr", "add", self.own_address + "/24", "dev", self.here)
        sh("ip", "link", "set", self.here, "up")
        sh("ip", "-n", namespace, "addr", "add", self.address + "/24", "dev", self.there)
        sh("ip", "-n", namespace, "link", "set", self.there, "up")

    def impair(self, rate_mbit=0, delay_ms=0, loss_percent=0, jitter_ms=0, distribution="uniform"):
        """Both ends have the rate and the loss; only what the array sends is late."""
        self.netem(self.here, None, rate_mbit, loss_percent)
        if jitter_ms and not rate_mbit:
            rate_mbit = ORDERLY_MBIT
        self.netem(self.there, self.namespace, rate_mbit, loss_percent,
                   delay_words(delay_ms, jitter_ms, distribution))

    def netem(self, device, namespace, rate_mbit, loss_percent, delay=()):
        words = ["tc"] + (["-n", namespace] if namespace else [])
        words += ["qdisc", "replace", "dev", device, "root", "netem", "limit", LIMIT, *delay]
        for name, value, unit in (("rate", rate_mbit, "mbit"), ("loss", loss_percent, "%")):
            if value:
                words += [name, "%g%s" % (value, unit)]
        sh(*words)


def delay_words(delay_ms, jitter_ms, distribution):
    """netem's; it has a table for each distribution but the uniform one, which needs no word."""
    if not jitter_ms:
        return ["delay", "%gms" % delay_ms] if delay_ms else []
    words = ["delay", "%gms" % delay_ms, "%gms" % jitter_ms]
    return words + (["distribution", distribution] if distribution != "uniform" else [])
