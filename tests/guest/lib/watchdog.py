"""Ends a guest whose tests hang so that not even their time limit ends them, and says so.

A process of its own, as the kernel may never let go of the one that tests. It is on the guest's clock: in
virtual time, half an hour that nobody uses is a second.
"""

import os
import select

from tests.lib.command import limit
from tests.lib.kernel_log import HANGS, show_blocked_tasks, write_line

LATE = limit(20)        # seconds after which a time limit that was to end a test has not


class Watchdog:
    writer = None       # of a pipe; None where nobody watches

    def start(self):
        reader, self.writer = os.pipe()
        if os.fork() == 0:
            try:
                os.setsid()
                os.close(self.writer)
                watch(reader)
            finally:
                os._exit(0)
        os.close(reader)

    def expect(self, test, seconds):
        """Another word from the test within its time limit."""
        if self.writer is not None:
            os.write(self.writer, ("%f %s\n" % (seconds + LATE, test)).encode())


def watch(reader):
    test, seconds = "", None
    while select.select([reader], [], [], seconds)[0]:
        told = os.read(reader, 1 << 16).decode()
        if not told:
            return              # the tests have ended
        word, test = told.splitlines()[-1].split(" ", 1)
        seconds = float(word)
    show_blocked_tasks()
    write_line("%s%s, and its time limit of %d s does not end it" % (HANGS, test, seconds - LATE))
    with open("/proc/sysrq-trigger", "w") as trigger:
        trigger.write("c")
