"""A process that undoes dm-lw's changes, if dm-lw itself cannot.

It holds one end of a pipe and sleeps. dm-lw has the other end, which the kernel closes
however dm-lw ends: by SIGKILL, by the OOM killer, by an error of its own. A session of its
own keeps the guardian from a terminal's signals. It does not survive
SIGKILL to it or to its whole control group, and the machine's end.
"""
import contextlib
import os
import signal
import syslog
import time

from ..errors import LwError
from ..signals import SIGNALS, undivided, undone_by

ALL_IS_WELL = b"."
ATTEMPTS, PAUSE = 10, 1         # seconds
OOM_SCORE = "/proc/self/oom_score_adj"
NEVER = "-1000"


@contextlib.contextmanager
def guarded(name, restore):
    """restore() is called at any end; it tells its changes to `name`."""
    with undivided():
        ours, its = os.pipe()
        pid = os.fork()
        if not pid:
            watch(ours, its, name, restore)
        os.close(ours)
    with undone_by(lambda: dismiss(pid, its, name, restore)):
        yield


def dismiss(pid, its, name, restore):
    """The guardian, when all is as before."""
    try:
        restore()
        with contextlib.suppress(BrokenPipeError):      # the guardian was killed
            os.write(its, ALL_IS_WELL)
            os.waitpid(pid, 0)
    except (LwError, OSError) as error:
        raise LwError("%s does not have its table back: %s; another process goes on trying, and"
                      " tells the system log" % (name, error))
    finally:
        os.close(its)


def watch(ours, its, name, restore):
    """The guardian's life."""
    status = 1
    try:
        os.close(its)
        detach()
        status = 0 if os.read(ours, 1) == ALL_IS_WELL else int(not put_back(name, restore))
    finally:
        os._exit(status)


def detach():
    """From the terminal, from signals that end a command, and from the OOM killer."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    os.setsid()
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)
    with contextlib.suppress(OSError), open(OOM_SCORE, "w") as file:
        file.write(NEVER)


def put_back(name, restore):
    """Try until it works; the system log tells how that went."""
    syslog.openlog("dm-lw", syslog.LOG_PID, syslog.LOG_DAEMON)
    for _ in range(ATTEMPTS):
        try:
            told = restore()
        except (LwError, OSError) as error:
            told = str(error)
            time.sleep(PAUSE)
            continue
        syslog.syslog(syslog.LOG_WARNING, "%s: dm-lw ended early; %s" % (name, told))
        return True
    syslog.syslog(syslog.LOG_ERR, "%s: dm-lw ended early, and its table could not be put back: %s"
                  % (name, told))
    return False
