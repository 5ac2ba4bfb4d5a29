"""A host with one multipath map, whose table can be loaded and resumed; a fio that only talks."""
import json
import os
import subprocess

import pytest

from dm_lw import dm_ioctl, fio_output
from dm_lw.bench import guardian
from dm_lw.device_mapper import MapDevice
from dm_lw.host import Done

from .fake_host import FakeHost

FOUND = "0 2048 multipath 1 queue_if_no_path 1 alua 2 1 service-time 0 2 2 8:0 1 1 8:16 1 1" \
        " service-time 0 1 2 8:32 1 1"
STATUS = "0 2048 multipath 2 0 1 0 2 1 A 0 2 2 8:0 A 0 0 1 8:16 %s 0 0 1 E 0 1 2 8:32 A 0 0 1"
LOADABLE = ("round-robin", "queue-length", "service-time", "latency-weighted")
DM, NAME, UUID = "dm-3", "mpatha", "mpath-3600a"
MOUNTS = "22 1 8:2 / / rw - ext4 /dev/sda2 rw\n"


class FakeMap(FakeHost):
    """`trace` is what was done, in order."""

    def __init__(self, root, live=FOUND):
        super().__init__(root)
        self.live, self.inactive = live, ""
        self.state, self.open_count = STATUS % "A", 0
        self.busy = 100
        self.trace = []
        self.on_resume = lambda: None
        self.add_map(DM, NAME, UUID)
        self.write("sys/block/dm-3/dev", "253:3\n")
        self.write("sys/block/dm-3/dm/suspended", "0\n")
        self.write("dev/dm-3")
        self.write("proc/self/mountinfo", MOUNTS)
        self.write("proc/swaps", "Filename Type Size Used Priority\n")
        self.write("proc/stat", "cpu 100 0 0 300 0 0 0 0 0 0\n")
        self.make("run")
        for number, name in (("8:0", "sda"), ("8:16", "sdb"), ("8:32", "sdc")):
            self.write("sys/block/%s/stat" % name, "100 0 0 0 0 0 0 0 0 0 0\n")
            self.make("sys/dev/block")
            os.symlink("../../block/" + name, self.path("sys/dev/block/" + number))
        for name in LOADABLE:
            self.answer("modprobe --dry-run --quiet dm-" + name)
        self.answer("modprobe", status=1)
        self.answer("fio")
        self.answer("blkid", status=2)

    def run(self, *argv, timeout=None):
        if argv[0] != "dmsetup":
            return super().run(*argv, timeout=timeout)
        return Done(argv, 0, self.dmsetup(*argv[1:]) or "", "")

    def map_text(self, number, flags):
        return {dm_ioctl.LIVE_TABLE: self.live, dm_ioctl.INACTIVE_TABLE: self.inactive,
                dm_ioctl.STATUS: self.state}[flags]

    def read(self, name):
        """CPUs and disks work between one look at the CPUs' times and the next."""
        content = super().read(name)
        if name == "proc/stat":
            self.work("sda", 75)
            self.work("sdb", 25)
            self.busy += 25
            self.write(name, "cpu %d 0 0 %d 0 0 0 0 0 0\n" % (self.busy, 3 * self.busy))
        return content

    def work(self, name, ios):
        file = "sys/block/%s/stat" % name
        count = int(super().read(file).split()[0])
        self.write(file, "%d 0 0 0 0 0 0 0 0 0 0\n" % (count + ios))

    def dmsetup(self, verb, *words):
        if verb == "load":
            self.inactive = words[-1]
        elif verb == "clear":
            self.inactive = ""
        elif verb == "info":
            return "%d\n" % self.open_count
        self.trace.append(verb)

    def resume(self):
        """As the kernel prints it then: with two arguments a path if it is service-time."""
        self.on_resume()
        self.live, self.inactive = self.inactive, ""
        self.trace.append(" ".join(self.selectors()))

    def selectors(self):
        return [word for word in self.live.split() if word in LOADABLE][:1]

    def start(self, *argv):
        self.trace.append("fio" if "--readonly" in argv else "fio writes")
        return FakeFio(fio_says(1000 if "round-robin" in self.live else 2000))


class FakeFio:
    """A process that is looked at some times before it ends; never, without an exit status."""

    def __init__(self, out, err="", status=0, looks=12):
        self.out, self.err, self.returncode, self.looks = out, err, status, looks

    def communicate(self, timeout=None):
        if self.returncode is None:
            raise subprocess.TimeoutExpired("fio", timeout)
        return self.out, self.err

    def poll(self):
        self.looks -= 1
        return None if self.looks >= 0 else self.returncode

    def kill(self):
        pass


def fio_says(iops, note=""):
    percentiles = {rank: 1e6 * (number + 1)
                   for number, rank in enumerate(fio_output.PERCENTILES.values())}
    return note + json.dumps({"jobs": [{"mixed": {
        "iops": iops, "bw_bytes": iops * 4096, "total_ios": iops,
        "lat_ns": {"mean": 1.5e6, "percentile": percentiles}}}]})


@pytest.fixture
def host(tmp_path, monkeypatch):
    """A FakeMap that MapDevice changes."""
    host = FakeMap(tmp_path)
    monkeypatch.setattr(MapDevice, "resume", lambda device: device.host.resume())
    monkeypatch.setattr(guardian.syslog, "syslog", lambda *_: None)
    return host


def device(host):
    return MapDevice(host, NAME, "253:3")
