"""Writing a recording: a line each sample, in a file that is bounded, and whole whenever it is killed."""
import contextlib
import fcntl
import os
import platform
import time

from .. import output
from ..errors import LwError, reason
from ..maps import MODULE
from ..version import VERSION
from . import recording

OLDER = ".1"                    # ending of the file before
FLAGS = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW


class Recorder:
    """Appends looks to a file; FILE and FILE.1 together take no more than `most` bytes."""

    def __init__(self, file, most, sysfs):
        self.file = file
        self.path = output.place(file)[0]
        self.older = self.path + OLDER
        self.half = most // 2
        self.about = {"run": round(time.time(), 3), "tool": VERSION, "kernel": platform.release()}
        if not sysfs.is_copy:
            self.about["host"] = platform.node()
        module = sysfs.text(MODULE, "version")
        if module:
            self.about["module"] = module
        self.state = None               # state after the file's lines; None if dm-lw wrote none of them
        require_recording(self.older)
        self.handle = self.open(0)

    def close(self):
        os.close(self.handle)

    def open(self, more):
        """To append, as the only program."""
        try:
            handle = os.open(self.path, FLAGS | os.O_CREAT | more, output.MODE)
        except OSError as error:
            raise LwError("%s: %s" % (self.file, reason(error)))
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            require_begin(self.file, handle)
            self.size = end_line(handle)
        except BlockingIOError:
            os.close(handle)
            raise LwError("another dm-lw record writes to %s" % self.file)
        except OSError as error:
            os.close(handle)
            raise LwError("%s: %s" % (self.file, reason(error)))
        except BaseException:
            os.close(handle)
            raise
        return handle

    def add(self, look, events):
        """Append the changes since the look before; a whole state at the begin of each file."""
        state, told = recording.state_of(look), recording.events_of(events)
        begin = recording.begin_line(look, state, dict(self.about, **told)).encode()
        line = begin if self.state is None else recording.change_line(
            look, self.state, state, told).encode()
        self.require_place()
        if self.size + len(line) > self.half:
            line = begin
            if len(line) > self.half:
                raise LwError("--max-size: a sample of these maps takes %d bytes; %d is the least"
                              % (len(line), 2 * len(line)), status=2)
            self.rotate()
        self.write(line)
        self.state = state

    def require_place(self):
        """If the file was taken away, or replaced, say that samples go nowhere."""
        try:
            if os.path.samestat(os.stat(self.path), os.fstat(self.handle)):
                return
        except FileNotFoundError:
            pass
        except OSError as error:
            raise LwError("%s: %s" % (self.file, reason(error)))
        raise LwError("%s was removed or renamed while dm-lw record wrote to it" % self.file)

    def rotate(self):
        """FILE becomes FILE.1; a kill in between leaves only FILE.1, which is read all the same."""
        if not self.size:
            return
        require_recording(self.older)
        try:
            os.replace(self.path, self.older)
        except OSError as error:
            raise LwError("%s: %s" % (self.file, reason(error)))
        before, self.handle = self.handle, self.open(os.O_EXCL)
        os.close(before)

    def write(self, line):
        try:
            while line:
                count = os.write(self.handle, line)
                self.size += count
                line = line[count:]
        except OSError as error:
            raise LwError("%s: %s" % (self.file, reason(error)))


def both(file):
    """Where a recording is that is read, and where its older half: beside it, wherever a link leads."""
    where = output.source(file)
    return where, where + OLDER


def require_recording(path):
    """Nothing else is replaced."""
    if output.require_regular(path) is None:
        return
    with contextlib.closing(open(path, "rb", buffering=0)) as file:
        require_begin(path, file.fileno())


def require_begin(file, handle):
    """LwError if a file holds anything else than a recording."""
    found = os.pread(handle, len(output.RECORDING), 0)
    if found != output.RECORDING[:len(found)]:
        raise LwError("%s is not a recording; wanted is one, or a name that is free" % file)


def end_line(handle):
    """A line that a kill cut short gets an end; the size then.

    A part too short to be known as a recording goes: with an end it would never be one.
    """
    size = os.fstat(handle).st_size
    if size < len(output.RECORDING):
        os.ftruncate(handle, 0)
        return 0
    if os.pread(handle, 1, size - 1) != b"\n":
        size += os.write(handle, b"\n")
    return size
