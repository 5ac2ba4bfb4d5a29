"""dm-lw in a process of its own, with captured trees in place of /sys, for terminals.

    python3 -m tests.tools.replay BEFORE.tree AFTER.tree DIRECTORY WORDS...

DIRECTORY becomes what the guest showed first. After a sleep, or with --watch when the first screen
was shown, it becomes what the guest showed then, and time stands still.
"""
import os
import sys
import time
from pathlib import Path

from . import trees

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from dm_lw import cli, counts, sysfs, watch  # noqa: E402 (found by the line before)


class Replay:
    def __init__(self, before, after, root):
        self.root = root
        self.after = after
        self.is_drawn = False
        self.last_clock = None          # of the last look
        self.frozen = None
        self.wall = None
        self.monotonic = time.monotonic
        self.become(before)

    def become(self, capture):
        first, text = Path(capture).read_text().split("\n", 1)
        was, self.wall = self.wall, float(first.split()[1])
        trees.write(text, self.root)
        if was is not None:
            self.frozen = self.last_clock + self.wall - was

    def clock(self):
        return self.monotonic() if self.frozen is None else self.frozen

    def sleep(self, _seconds):
        if self.frozen is None:
            self.become(self.after)

    def looker(self, look):
        def replayed(looker, *words):
            if self.is_drawn and self.frozen is None:
                self.become(self.after)
            found = look(looker, *words)
            self.last_clock = found.clock
            return found
        return replayed

    def drawer(self, draw):
        def replayed(*words):
            self.is_drawn = True
            draw(*words)
        return replayed

    def install(self):
        os.environ["TZ"] = "UTC"
        time.tzset()
        localtime = time.localtime
        time.time, time.monotonic, time.sleep = lambda: self.wall, self.clock, self.sleep
        time.localtime = lambda seconds=None: localtime(self.wall if seconds is None else seconds)
        sysfs.REAL = self.root          # what is told is told of this host
        counts.Looker.__call__ = self.looker(counts.Looker.__call__)
        watch.Watch.draw = self.drawer(watch.Watch.draw)


def main(before, after, root, *words):
    Replay(before, after, root).install()
    return cli.main(["--sysfs", root, *words])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
