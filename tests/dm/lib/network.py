"""A network that loses what goes to one address: netem on the loopback interface."""

import contextlib

from .command import load_module, sh

LOSSY = ("1:3", "30:")          # the band of prio that no packet is in by itself


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
