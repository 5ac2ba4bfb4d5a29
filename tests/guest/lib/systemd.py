"""systemd, which is not the guest's init: in a PID namespace, with units of ours and no others.

Everything else is the guest's: its files, its udev, its network.
"""
import contextlib
import os
import shutil
import subprocess

from tests.lib.command import CommandError, read_text, running, sh, wait_until, write_text

PROGRAM = "/usr/lib/systemd/systemd"
CGROUPS = "/sys/fs/cgroup"
UNITS = "/run/lw-units"
# What each unit is ordered after, or against, and what ours are wanted by; here there is nothing in them.
TARGETS = ["sysinit", "basic", "timers", "multi-user", "shutdown"]
START = "basic.target"


def is_there():
    return os.path.exists(PROGRAM) and shutil.which("systemctl") is not None


class Systemd:
    """The manager; `pid` is its process as the guest sees it."""

    def __init__(self, pid):
        self.pid = pid

    def ctl(self, *words):
        """From within its namespace, as it hears nobody from outside."""
        return sh("nsenter", "--all", "--target=%d" % self.pid, "systemctl", *words, timeout=120)

    def shows(self, unit, name):
        return self.ctl("show", "--value", "--property=" + name, unit).strip()

    def main_pid(self, unit):
        """In the guest's own numbers."""
        group = self.shows(unit, "ControlGroup")
        return [int(word) for word in read_text("%s%s/cgroup.procs" % (CGROUPS, group)).split()][0]

    def has_started(self):
        try:
            return self.shows(START, "ActiveState") == "active"
        except CommandError:
            return False


@contextlib.contextmanager
def control_groups():
    """As systemd mounts them where it is the init."""
    sh("mount", "-t", "cgroup2", "cgroup2", CGROUPS)
    try:
        yield
    finally:
        sh("umount", CGROUPS)


@contextlib.contextmanager
def unit_files(files):
    os.mkdir(UNITS)
    try:
        for file in files:
            shutil.copy(file, UNITS)
        for name in TARGETS:
            write_text("%s/%s.target" % (UNITS, name), "[Unit]\nDefaultDependencies=no")
        yield
    finally:
        shutil.rmtree(UNITS)


def only_child(process):
    children = read_text("/proc/%d/task/%d/children" % (process.pid, process.pid)).split()
    return int(children[0]) if children else None


@contextlib.contextmanager
def systemd(files):
    """It runs within, and knows the unit files; at the end whatever it runs is killed."""
    environment = dict(os.environ, SYSTEMD_UNIT_PATH=UNITS, container="guest")
    with control_groups(), unit_files(files), \
            running("unshare", "--fork", "--kill-child", "--pid", "--mount", "--mount-proc", PROGRAM, "--system",
                    "--unit=" + START, "--log-target=null", env=environment, stdin=subprocess.DEVNULL) as process:
        pid = wait_until(lambda: only_child(process), "systemd is started")
        manager = Systemd(pid)
        wait_until(manager.has_started, "systemd answers", timeout=60, interval=0.2)
        yield manager
        for file in files:
            manager.ctl("stop", os.path.basename(file))
