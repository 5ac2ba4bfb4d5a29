"""A host made of a directory of files and of what programs print."""
import os

from dm_lw import dm_ioctl
from dm_lw.errors import LwError
from dm_lw.host import Done, Host
from dm_lw.live_tables import SELECTOR

RUNNING, OTHER = "6.12.107-amd64", "6.1.176-amd64"

MODINFO = """\
filename:       /lib/modules/%(release)s/updates/dkms/dm-latency-weighted.ko
version:        0.1.0
license:        GPL
srcversion:     ABCDEF
depends:        dm-multipath
vermagic:       %(release)s SMP preempt mod_unload modversions
"""

TABLE = "%s: 0 2097152 multipath 1 queue_if_no_path 1 alua %s\n"
ONE_GROUP = "1 1 %s 0 2 1 8:0 1 8:16 1"
TWO_GROUPS = "2 1 %s 0 1 1 8:0 1 %s 0 1 1 8:16 1"


class FakeHost(Host):
    """Programs that it was not told of are not installed."""

    def __init__(self, root, running=RUNNING, root_user=True):
        super().__init__(str(root))
        self.running = running
        self.root_user = root_user
        self.answers = {}
        self.tables = {}                # what dm_ioctl tells of a map, by its name and flags

    def write(self, name, content=""):
        path = self.path(name)
        self.make(name.rpartition("/")[0])
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())

    def make(self, directory):
        os.makedirs(self.path(directory), exist_ok=True)

    def answer(self, command, out="", status=0, err=""):
        """What a command line prints; the longest beginning that is known counts."""
        self.answers[tuple(command.split())] = (status, out, err)

    def is_root(self):
        return self.root_user

    def release(self):
        return self.running

    def has_program(self, name):
        return any(argv[0] == name for argv in self.answers)

    def run(self, *argv, timeout=None):
        known = [known for known in self.answers if argv[:len(known)] == known]
        if not known:
            raise LwError("%s is not installed" % argv[0])
        return Done(argv, *self.answers[max(known, key=len)])

    def map_text(self, number, flags):
        for name in self.list("sys/block"):
            if (self.read("sys/block/%s/dev" % name) or "").strip() == number:
                told = self.read("sys/block/%s/dm/name" % name).rstrip("\n")
                return self.tables.get((told, flags), "").strip()
        return None

    def add_kernel(self, release, module=True, **info):
        self.write("lib/modules/%s/kernel/keep" % release)
        self.write("lib/modules/%s/modules.dep" % release,
                   "kernel/drivers/md/dm-multipath.ko: kernel/drivers/md/dm-mod.ko\n")
        text = MODINFO % dict(release=info.pop("vermagic", release))
        text += "".join("%s: %s\n" % item for item in info.items())
        if module:
            self.answer("modinfo -k %s" % release, text)
        else:
            self.answer("modinfo -k %s" % release, status=1,
                        err="modinfo: ERROR: Module dm-latency-weighted not found.\n")

    def add_map(self, dm, name, uuid="mpath-3600"):
        self.write("sys/class/misc/device-mapper/dev", "10:236\n")
        self.write("sys/block/%s/dev" % dm, "253:%s\n" % dm[len("dm-"):])
        self.write("sys/block/%s/dm/name" % dm, name + "\n")
        self.write("sys/block/%s/dm/uuid" % dm, uuid + "\n")

    def set_tables(self, *lines, flags=dm_ioctl.LIVE_TABLE):
        """As dmsetup prints them, but each map's name as the kernel spells it; the other maps have none."""
        self.tables = {key: text for key, text in self.tables.items() if key[1] != flags}
        for line in lines:
            name, _, text = line.rpartition(": ")
            self.tables[name, flags] = text

    def set_drop_in(self, value, section="defaults"):
        self.write("etc/multipath/conf.d/zz-latency-weighted.conf",
                   '%s {\n\tpath_selector "%s"\n}\n' % (section, value))


def host_with_multipathd(root):
    """multipathd runs, and its one map uses the selector."""
    host = FakeHost(root)
    host.add_kernel(RUNNING)
    host.answer("multipathd show daemon", "pid 12 idle\n")
    host.answer("multipath -h", err="multipath-tools v0.9.4 (12/19, 2022)\nUsage: ...\n", status=1)
    host.write("proc/12/comm", "multipathd\n")
    host.add_map("dm-0", "mpatha")
    host.set_tables(TABLE % ("mpatha", ONE_GROUP % SELECTOR))
    return host


def only(findings):
    """(result, text) of a check's one finding; what is not well comes with advice."""
    (finding,) = findings
    assert finding.advice or finding.result == "ok"
    return finding.result, finding.text
