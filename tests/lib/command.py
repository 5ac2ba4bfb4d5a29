"""Running commands and waiting for what they bring about."""

import contextlib
import os
import shlex
import signal
import subprocess
import time

CHECKOUT = os.path.abspath(__file__).rsplit("/tests/", 1)[0]

# Seconds, for what dm-lw or multipathd may take up to two minutes for, by limits of their own.
LONGEST_WAIT = 150


class CommandError(Exception):
    """A command failed; the message holds all that it said."""

    def __init__(self, argv, status, stdout, stderr):
        self.status = status
        self.stdout = stdout
        self.stderr = stderr
        super().__init__("%s: %s\n%s%s" % (
            " ".join(shlex.quote(word) for word in argv),
            "timed out" if status is None else "exit status %d" % status,
            stdout, stderr))


# More than 1 in virtual time (icount), where minutes pass while the guest waits for the host's disk,
# beside other guests, and in kernels that check themselves.
PATIENCE = int(os.environ.get("LW_PATIENCE", "1"))


def limit(seconds):
    """A time limit, LW_PATIENCE times as long."""
    return seconds * PATIENCE


def interruptible():
    """For preexec_fn. A shell that starts the tests in the background has them ignore ctrl-C; nohup, a hangup."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def sh(*argv, stdin=None, timeout=60):
    """Run a command, return what it prints; CommandError if it fails."""
    argv = [str(word) for word in argv]
    try:
        done = subprocess.run(argv, input=stdin, timeout=limit(timeout), text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except subprocess.TimeoutExpired as late:
        raise CommandError(argv, None, text(late.stdout), text(late.stderr))
    if done.returncode:
        raise CommandError(argv, done.returncode, done.stdout, done.stderr)
    return done.stdout


@contextlib.contextmanager
def running(*argv, **options):
    """A program that does not end by itself, as long as the block runs."""
    with subprocess.Popen(argv, **options) as process:
        try:
            yield process
            if process.poll() is not None:
                raise RuntimeError("%s ended early, with status %d" % (" ".join(argv), process.returncode))
        finally:
            process.kill()


def text(output):
    """What a command that timed out had printed, whatever type it came as."""
    if output is None:
        return ""
    return output.decode(errors="replace") if isinstance(output, bytes) else output


def wait_until(condition, what, timeout=10.0, interval=0.02):
    """Poll `condition` until it is true; its last value is returned."""
    deadline = time.monotonic() + limit(timeout)
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise TimeoutError("not within %g s: %s" % (timeout, what))
        time.sleep(interval)


def settle():
    """Wait for udev, which opens new devices and so keeps them busy."""
    sh("udevadm", "settle", "--timeout=%d" % limit(30), timeout=60)


def tell_udev(wish):
    """udevadm control; its own limit of 60 s is too short for debug-rt, as udevd first ends what it has begun."""
    sh("udevadm", "control", "--timeout=%d" % limit(50), "--" + wish)


@contextlib.contextmanager
def udev_waits():
    """It would look at a disk each time that somebody could have written to it."""
    settle()
    tell_udev("stop-exec-queue")
    try:
        yield
    finally:
        tell_udev("start-exec-queue")


def read_text(path):
    with open(path) as file:
        return file.read().strip()


def write_text(path, value):
    with open(path, "w") as file:
        file.write("%s\n" % value)


def write_script(path, text):
    """Write a program, mostly one that the tested code calls in place of the real one; return its path."""
    with open(path, "w") as file:
        file.write(text)
    os.chmod(path, 0o755)
    return path


def load_module(name, *parameters):
    sh("modprobe", name, *parameters)


def unload_module(name):
    """rmmod, once udev has let go of the module's devices."""
    settle()
    sh("rmmod", name)


def is_loaded(name):
    with open("/proc/modules") as file:
        return any(line.split()[0] == name for line in file)
