"""Parts that a signal may interrupt, and parts that it may not."""
import contextlib
import signal

from .errors import Interrupted

# All that a terminal sends, and what ends services.
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


def interrupt(number, _frame):
    shield()
    raise Interrupted(number)


@contextlib.contextmanager
def interruptible():
    """The signals that end a command raise Interrupted, once; one that nohup has ignored does not."""
    before = {number: signal.getsignal(number) for number in SIGNALS}
    try:
        for number, handler in before.items():
            if handler is not signal.SIG_IGN:
                signal.signal(number, interrupt)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def shield():
    """Undoing is not interrupted."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)


@contextlib.contextmanager
def undone_by(undo):
    """undo() follows. No signal interrupts it, and a signal just before it does not prevent it.

    But one before Python resumes this does, and is the last: who cannot do without undo() uses this twice.
    """
    try:
        yield
    finally:
        try:
            shield()
        finally:
            undo()


@contextlib.contextmanager
def undivided():
    """Signals wait until this is done; programs run in it do not get them either.

    Signals to the process: it must not have other threads, which would take them.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
