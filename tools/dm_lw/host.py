"""The machine that enable, disable and doctor look after: its files and its programs."""
import contextlib
import errno
import os
import platform
import re
import shutil
import subprocess
import time
from dataclasses import dataclass

from . import dm_ioctl
from .errors import LwError, reason
from .patience import EVERY, GRACE
from .sysfs import NOT_THERE, Sysfs

# Where a user's PATH often does not lead.
SYSTEM_DIRECTORIES = "/usr/local/sbin:/usr/sbin:/sbin:/usr/bin:/bin"
# A process that ended says so only when it is read.
GONE = NOT_THERE + (errno.ESRCH,)
# For programs that answer at once if nothing is wrong.
PROMPTLY = 60


class NotPermitted(LwError):
    """It needs root."""


def search_path():
    """Where programs are; an empty word would be the current directory."""
    words = os.environ.get("PATH", "").split(":") + [SYSTEM_DIRECTORIES]
    return ":".join(filter(None, words))


@dataclass
class Done:
    """The result of a program."""
    argv: tuple
    status: int
    out: str
    err: str

    @property
    def ok(self):
        return self.status == 0

    def complaint(self):
        """Its first line; further lines explain or only repeat."""
        for text in (self.err, self.out):
            lines = [line.strip() for line in text.splitlines() if line.strip()]
            if lines:
                return lines[0]
        return "exit status %d" % self.status


class Host:
    """Files are named relative to the root; tests have roots of their own."""

    def __init__(self, root="/", sysfs=None):
        self.root = root
        self.sysfs = sysfs or Sysfs(os.path.join(root, "sys"))
        self.patience = None            # for a command with a time limit
        self.environment = dict(os.environ, LC_ALL="C", PATH=search_path())

    def path(self, name):
        return os.path.join(self.root, name.lstrip("/"))

    def has_own_sysfs(self):
        """Is /sys this host's, so that its programs tell about the same maps?"""
        return os.path.abspath(self.sysfs.root) == os.path.abspath(self.path("sys"))

    def exists(self, name):
        return os.path.exists(self.path(name))

    def read(self, name, check=None):
        """A file's text; None if there is none."""
        content = self.read_bytes(name, check)
        return None if content is None else content.decode(errors="backslashreplace")

    def read_bytes(self, name, check=None):
        """check(file, its os.stat()) may refuse it."""
        try:
            with open(self.path(name), "rb") as file:
                if check:
                    check(self.path(name), os.fstat(file.fileno()))
                return file.read()
        except OSError as error:
            if error.errno in GONE:
                return None
            raise self.unreadable(name, error)

    def list(self, name):
        """The names in a directory, sorted; none if there is no such directory."""
        try:
            return sorted(os.listdir(self.path(name)))
        except OSError as error:
            if error.errno in GONE:
                return []
            raise self.unreadable(name, error)

    def unreadable(self, name, error):
        if error.errno in (errno.EACCES, errno.EPERM):
            return NotPermitted("%s: needs root" % self.path(name))
        return LwError("%s: %s" % (self.path(name), reason(error)))

    def map_text(self, number, flags):
        """The kernel's answer about the map with this number, as dm_ioctl has it."""
        try:
            return dm_ioctl.text(self.path(dm_ioctl.CONTROL), number, flags)
        except OSError as error:
            raise LwError("device-mapper does not tell of %s: %s" % (number, reason(error)))

    def is_root(self):
        return os.geteuid() == 0

    def release(self):
        """Release of the running kernel."""
        return platform.release()

    def has_program(self, name):
        return shutil.which(name, path=self.environment["PATH"]) is not None

    def program(self, name):
        """Where it is; LwError if it is nowhere."""
        found = shutil.which(name, path=self.environment["PATH"])
        if found is None:
            raise LwError("%s is not installed" % name)
        return found

    def start(self, *argv):
        """Start a program, out of reach of the terminal's signals; its output is text."""
        return subprocess.Popen([self.program(argv[0]), *argv[1:]], stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env=self.environment, start_new_session=True, text=True,
                                errors="backslashreplace")

    def run(self, *argv, timeout=PROMPTLY):
        """Run a program; LwError if it is not there or does not end."""
        program = self.program(argv[0])
        limit = self.patience.for_program(timeout) if self.patience else timeout
        try:
            process = subprocess.Popen([program, *argv[1:]], stdin=subprocess.DEVNULL,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       env=self.environment, text=True, errors="backslashreplace")
        except OSError as error:
            raise LwError("%s: %s" % (program, reason(error)))
        try:
            out, err = self.outcome(process, argv, limit)
        except BaseException:
            abandon(process)
            raise
        return Done(argv, process.returncode, out, err)

    def outcome(self, process, argv, limit):
        """Its output until it ends."""
        end = time.monotonic() + limit
        while True:
            left = max(end - time.monotonic(), 0)
            try:
                return process.communicate(timeout=min(left, EVERY))
            except subprocess.TimeoutExpired:
                if left <= EVERY:
                    raise LwError("%s did not end within %g s" % (" ".join(argv), round(limit, 1)))
                if self.patience:
                    self.patience.tell(" ".join(argv))


def abandon(process):
    """Kill it, and do not wait if it does not end, as with an I/O that hangs."""
    process.kill()
    for pipe in (process.stdout, process.stderr):
        pipe.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=GRACE)


def version_numbers(text):
    """(6, 12, 107) of "6.12.107+deb13-amd64"; empty if there is none."""
    found = re.search(r"(?<![0-9.])[0-9]{1,9}(\.[0-9]{1,9})+", text)
    return tuple(int(number) for number in found.group().split(".")) if found else ()
