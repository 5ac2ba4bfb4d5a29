"""Policies of maps: what the file tells, and a map of two equal paths under load to try one."""

import contextlib
import re

from tests.lib import bpf
from tests.lib.command import read_text, wait_until, write_text
from tests.lib.disks import path_disks
from tests.lib.multipath import Multipath
from tests.lib.scenario import EQUAL, SELECTOR, Load
from tests.lib.sysfs import MapFiles

PARAMETER = "/sys/module/dm_latency_weighted/parameters/policy_max_us"
NONE = "none"
# Why the module's choice was kept.
REFUSED = "bad_index", "bad_state"
KEYS = ["name", "id", "version", "chose", "own", *REFUSED, "nested", "too_many_paths", "mean_ns"]


class Policy:
    """Of a Multipath."""

    def __init__(self, mapped):
        self.files = MapFiles(mapped)

    def attach(self, pin):
        self.files["policy"] = pin

    def detach(self):
        self.files["policy"] = ""

    def shown(self):
        """{key: value} of the attached one, {} for none."""
        text = self.files["policy"]
        if text == NONE:
            return {}
        found = dict(re.findall(r"(\S+?)=(\S*)", text))
        assert list(found) == KEYS, text
        return {key: value if key == "name" else int(value) for key, value in found.items()}

    def identity(self):
        return self.shown().get("id")

    def wait_for(self, load, count, more=100):
        """Until so many more I/Os ended so."""
        start = self.shown()[count]
        load.wait_until(lambda: self.shown()[count] - start >= more, "%d more I/Os are %s" % (more, count), timeout=30)


@contextlib.contextmanager
def limit_us(value):
    """What a program may take."""
    before = read_text(PARAMETER)
    write_text(PARAMETER, value)
    try:
        yield
    finally:
        write_text(PARAMETER, before)


def wait_until_gone(program):
    wait_until(lambda: not bpf.exists(program), "program %d is gone" % program)


class Beside:
    """What a path got beside its probes."""

    def __init__(self, mapped, disk):
        self.files = MapFiles(mapped).path(disk)
        self.probes = self.files.number("probes")
        self.starts = self.files.number("starts")

    def count(self):
        # A probe is counted when it is chosen, and started after that.
        starts = self.files.number("starts")
        return starts - self.starts - (self.files.number("probes") - self.probes)


@contextlib.contextmanager
def two_paths(queue_mode, iodepth=4, **options):
    """Their disks, the map, its Policy, and a load; each path is known."""
    with path_disks(2) as disks:
        for disk in disks:
            disk.set(delay_us=1000)
        with Multipath(disks, SELECTOR, queue_mode, selector_args=EQUAL) as mapped, \
                Load(mapped, iodepth, **options) as load:
            load.warm_up(*disks)
            yield disks, mapped, Policy(mapped), load
