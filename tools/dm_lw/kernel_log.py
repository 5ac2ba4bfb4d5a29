"""The kernel's log: from the journal, which remembers more, or from the kernel itself."""
import contextlib
import errno
import json
import os
import re
import select
import shutil
import signal
import subprocess
import time

from .errors import LwError, reason
from .host import search_path
from .signals import undivided
from .sysfs import printable

KMSG = "/dev/kmsg"
JOURNAL = "/run/systemd/journal"
KERNEL = 0                              # the facility; lines of programs in KMSG have another
RECORD = 8192                           # bytes, no record has more
JOURNALCTL = ("journalctl", "--dmesg", "--boot", "--quiet", "--no-pager", "--output=json")


def records(follow=False):
    """(time, text) of each line since the boot, and of each that comes if asked to follow."""
    # Others may read the journal, too, or only a part of it, without being told which.
    journal = os.geteuid() == 0 and os.path.isdir(JOURNAL) and shutil.which(
        JOURNALCTL[0], path=search_path())
    return journal_records(journal, follow) if journal else kmsg_records(follow)


def journal_records(program, follow):
    argv = [program, *JOURNALCTL[1:], *(["--follow", "--lines=all"] if follow else [])]
    with running(argv) as journal:
        yield from filter(None, map(journal_record, journal.stdout))
    if journal.returncode > 0:
        raise LwError("%s: exit status %d" % (" ".join(argv), journal.returncode))


@contextlib.contextmanager
def running(argv):
    """A program that ends with the block, also if a signal ends that while the program starts."""
    before, program = signal.pthread_sigmask(signal.SIG_BLOCK, ()), None
    try:
        with undivided():
            program = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                       preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_SETMASK, before))
        yield program
    finally:
        if program:
            with program:
                program.terminate()


def journal_record(line):
    """None for a line that is not the kernel's, or no text."""
    try:
        fields = json.loads(line)
        text = fields["MESSAGE"]
        if int(fields.get("SYSLOG_FACILITY", KERNEL)) != KERNEL or not isinstance(text, str):
            return None
        return int(fields["__REALTIME_TIMESTAMP"]) / 1e6, printable(text.encode())
    except (ValueError, KeyError, TypeError):
        return None


def kmsg_records(follow):
    kmsg = open_kmsg()
    try:
        while True:
            yield from waiting(kmsg)
            if not follow:
                return
            select.select([kmsg], [], [])
    finally:
        os.close(kmsg)


def open_kmsg():
    try:
        return os.open(KMSG, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        who = ": only root may do this" if error.errno in (errno.EACCES, errno.EPERM) else ": " + reason(error)
        raise LwError(KMSG + who)


def from_now_on():
    """KMSG, for waiting(); earlier lines are left out."""
    kmsg = open_kmsg()
    os.lseek(kmsg, 0, os.SEEK_END)
    return kmsg


def waiting(kmsg):
    """The records that have come since it was read last."""
    while True:
        try:
            record = kmsg_record(os.read(kmsg, RECORD))
        except BlockingIOError:
            return
        except BrokenPipeError:         # it was overwritten before it was read
            continue
        if record:
            yield record


def kmsg_record(record):
    """By Documentation/ABI/testing/dev-kmsg: priority, number, microseconds since the boot; text."""
    found = re.match(rb"(\d{1,9}),\d+,(\d{1,18}),[^;]*;([^\n]*)", record)
    if not found or int(found[1]) >> 3 != KERNEL:
        return None
    text = re.sub(rb"\\x([0-9a-f]{2})", lambda byte: bytes.fromhex(byte[1].decode()), found[3])
    return time.time() - time.monotonic() + int(found[2]) / 1e6, printable(text)
