"""Running fio, in the foreground or beside the test."""

import collections
import contextlib
import re
import signal
import subprocess

from tools.dm_lw import fio_output

from .command import CommandError, limit, read_text, wait_until

# Latencies in microseconds, from submission to completion; reads and writes together.
Result = collections.namedtuple("Result",
                                "iops mean_us p50_us p99_us ios")


STOPPED = 128                   # fio's exit status after SIGINT, if all was well


def arguments(device, runtime, iodepth, options):
    """fio's command line; `options` add to the defaults, None removes one."""
    settings = {
        "name": "lw", "filename": device, "ioengine": "libaio", "direct": 1,
        "rw": "randread", "bs": "4k", "iodepth": iodepth, "norandommap": 1,
        "randrepeat": 0, "group_reporting": 1, "thread": 1,
        **fio_output.OPTIONS,
    }
    if runtime:
        settings.update(runtime=runtime, time_based=1)
    settings.update(options)
    return ["fio"] + fio_output.words(settings)


def parse(output):
    """A Result from what fio prints."""
    found = fio_output.figures(fio_output.jobs(output)[0])
    return Result(*(found[field] for field in Result._fields))


@contextlib.contextmanager
def on_each(paths, device, ios=0):
    """fio on a map, running, once each of these paths has served more I/Os than that."""
    before = [path.used() for path in paths]
    with Fio(device, runtime=limit(60), iodepth=8) as job:
        wait_until(lambda: all(path.used() > start + ios for path, start in zip(paths, before)), "each path is used")
        yield job


class Fio:
    """fio running beside the test; leaving `with` ends it in any case.

    Without a runtime it ends when it has gone through the device once.
    """

    def __init__(self, device, runtime=None, iodepth=8, **options):
        # fio takes a part of a second for none
        milliseconds = runtime and "%dms" % (1000 * runtime)
        self.argv = arguments(device, milliseconds, iodepth, options)
        self.limit = limit(60 + 2 * (runtime or 0))
        self.process = subprocess.Popen(self.argv, text=True,
                                        stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.kill()
            self.process.communicate()

    def kill(self):
        self.process.kill()

    def runs(self):
        return self.process.poll() is None

    def output(self, accepted=(0,)):
        """What it prints until it ends; CommandError if an I/O failed or fio did."""
        try:
            stdout, stderr = self.process.communicate(timeout=self.limit)
        except subprocess.TimeoutExpired:
            self.kill()
            stdout, stderr = self.process.communicate()
            raise CommandError(self.argv, None, stdout, stderr)
        return self.accepted_output(stdout, stderr, accepted)

    def accepted_output(self, stdout, stderr, accepted):
        if self.process.returncode not in accepted:
            raise CommandError(self.argv, self.process.returncode, stdout,
                               stderr)
        return stdout

    def wait(self):
        """The Result, when it has ended."""
        return parse(self.output())

    def listens(self):
        """Has it said what it does on SIGINT? Before, it would die of it."""
        caught = re.search(r"^SigCgt:\s*(\w+)$", read_text("/proc/%d/status" % self.process.pid), re.MULTILINE)
        return caught and int(caught.group(1), 16) >> (signal.SIGINT - 1) & 1

    def stop(self):
        """The Result, after it was ended."""
        return parse(self.end())

    def end(self):
        """End it now; what it prints."""
        wait_until(lambda: not self.runs() or self.listens(), "fio listens")
        # Seen once: it went on after the first one, for the five minutes of its runtime.
        for _ in range(2):
            self.process.send_signal(signal.SIGINT)
            # Read meanwhile: of a map of many paths it prints more than a pipe holds.
            with contextlib.suppress(subprocess.TimeoutExpired):
                stdout, stderr = self.process.communicate(timeout=limit(10))
                return self.accepted_output(stdout, stderr, (0, STOPPED))
        self.process.send_signal(signal.SIGINT)
        return self.output(accepted=(0, STOPPED))


def run(device, runtime=2, iodepth=8, **options):
    """Run fio to its end."""
    with Fio(device, runtime, iodepth, **options) as job:
        return job.wait()

