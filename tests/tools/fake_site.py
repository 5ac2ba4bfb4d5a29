"""A host with multipathd, which changes maps when it reconfigures, and removes those that the kernel refuses to change."""
import os

from dm_lw import dm_ioctl, trial
from dm_lw.host import Done
from dm_lw.multipath_conf import blocks_of, parse, winner
from dm_lw.sysfs import Sysfs

from . import trees
from .fake_host import RUNNING, FakeHost

OURS, USUAL = "latency-weighted 0", "service-time 0"
TRIAL = "0 8 multipath 2 queue_mode bio 0 1 1 latency-weighted 0 1 1 253:9 1\n"
TABLE = "%s: 0 2048 multipath 0 0 1 1 %s 2 1 %s 1 %s 1"
STATUS = "%s: 0 2048 multipath 2 0 0 0 1 1 A 0 2 1 %s A 0 128 7 3 1 1 %s A 0 128 7 3 1 1"

COUNTED = trees.latency_stat({("1152.000", "1280.000"): 900})


class FakeSite(FakeHost):
    """`own_table` is a part of multipathd's configuration that is in no file."""

    def __init__(self, root, *names):
        super().__init__(root)
        self.own_table = ""
        self.module_goes = False        # when multipathd is about to reconfigure
        self.is_stuck = False
        self.asked = []
        self.names = dict(enumerate(names))
        self.selectors = dict.fromkeys(self.names, USUAL)
        self.make("run")
        self.make("etc/multipath/conf.d")
        self.write("proc/12/comm", "multipathd\n")
        self.write("sys/class/misc/device-mapper/dev", "10:236\n")
        self.add_kernel(RUNNING)
        for command, out in (("modprobe", ""), ("dmsetup", ""), ("dmsetup info --columns", "253:9\n"),
                             ("dmsetup table --inactive", TRIAL), ("udevadm info", "ID_PATH=pci-0:1\n"),
                             ("multipathd show config", ""), ("multipath -h", "multipath-tools v0.11.1 (1/1, 2025)\n")):
            self.answer(command, out)
        for number, name in self.names.items():
            sysfs = os.path.join(self.root, "sys")
            trees.write(trees.module_text() + trees.map_text(
                "dm-%d" % number, name, "3600%d" % number, {
                    "sd%d%s" % (number, letter): trees.path_files(path)
                    for letter, path in zip("ab", self.paths(number))}, {
                    "sd%d%s" % (number, letter): COUNTED for letter in "ab"}, histogram=1), sysfs)
            self.write("sys/kernel/debug/dm-latency-weighted/dm-%d/reset" % number)
            self.write("sys/block/dm-%d/dev" % number, "253:%d\n" % number)
            self.write("dev/dm-%d" % number)
        self.read_last = self.configuration()
        self.tell()

    @staticmethod
    def paths(number):
        return "8:%d" % (32 * number), "8:%d" % (32 * number + 16)

    def tell(self):
        """As the kernel has them."""
        self.tables = {}
        for number, selector in self.selectors.items():
            paths, name = self.paths(number), self.names[number]
            self.tables[name, dm_ioctl.LIVE_TABLE] = (TABLE % (name, selector, *paths)).rpartition(": ")[2]
            self.tables[name, dm_ioctl.STATUS] = (STATUS % (name, *paths)).rpartition(": ")[2]

    def users(self):
        return [number for number, selector in self.selectors.items() if selector == OURS]

    def run(self, *argv, timeout=None):
        if argv[0] != "multipathd":
            return super().run(*argv, timeout=timeout)
        self.asked.append(argv[1:])
        if argv[1:] == ("show", "daemon"):
            return Done(argv, 0, "pid 12 %s\n" % ("configure" if self.is_stuck else "idle"), "")
        if argv[1:] == ("show", "config"):
            return Done(argv, 0, self.read_last, "")
        if not self.is_stuck:
            self.reconfigure()
        return Done(argv, 0, "ok\n", "")

    def configuration(self):
        files = ["etc/multipath.conf", *("etc/multipath/conf.d/" + name for name in self.list("etc/multipath/conf.d")
                                         if name.endswith(".conf") and os.path.isfile(
                                             self.path("etc/multipath/conf.d/" + name)))]
        return 'defaults {\n\tpath_selector "%s"\n}\n%s%s' % (
            USUAL, self.own_table, "".join(self.read(name) or "" for name in files))

    def reconfigure(self):
        """As multipathd: a map that is not held open goes if its table is refused."""
        self.read_last = self.configuration()
        blocks = blocks_of(parse(self.read_last, "f"))
        held = {os.readlink("/proc/self/fd/" + name) for name in os.listdir("/proc/self/fd")
                if os.path.islink("/proc/self/fd/" + name)}
        for number in list(self.selectors):
            wanted = winner(blocks, "path_selector", "3600%d" % number, ("LIO-ORG", "lw", None)).value
            if wanted != OURS or not self.module_goes:
                self.selectors[number] = wanted
            elif self.path("dev/dm-%d" % number) not in held:
                del self.selectors[number]
                os.rename(self.path("sys/block/dm-%d/dm" % number), self.path("gone-%d" % number))
        self.tell()


def is_the_host(site, monkeypatch, modules):
    """Commands of these modules run there."""
    for module in modules:
        monkeypatch.setattr(module, "Host", lambda sysfs: site)
    monkeypatch.setattr(Sysfs, "is_copy", False)
    monkeypatch.setattr(trial, "remove_trial_maps", lambda host: None)
    return site
