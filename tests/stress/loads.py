"""fio on each map: rounds of writing and reading back, as long as the test lasts."""
import os
import random
import subprocess
import threading

from tests.lib.command import CommandError, limit
from tests.lib.fio import Fio
from tests.lib.multipath import Multipath
from tools.dm_lw import fio_output

SIZES = "4k/60:16k/20:64k/15:256k/5"
AREA = 2 << 20                  # bytes of each job
DEPTH = 4
PATTERN = 511 - 8               # bytes, besides the offset
NOTICED = "pattern: verify failed at "
CPUS = os.cpu_count()           # now: some may be away later


def pattern(number):
    """What the blocks of a round are full of; it depends on the round, and on where the block is.

    A block that was not written has the last round's, which fio's checksums would take for good.
    It is a byte shorter than a sector, so that no sector has what one nearby in its block has.
    """
    random_bytes = random.Random(number).getrandbits(8 * PATTERN)
    return "0x%0*x%%o" % (2 * PATTERN, random_bytes)


def options(base, number):
    """fio's, of a round; each has its own data. A job for each CPU, on an area of its own.

    And a process of its own: fio's threads would put their blocks' offsets into one pattern.
    """
    return {"rw": "randwrite", "bs": None, "bssplit": SIZES, "norandommap": None,
            "offset": base, "size": AREA, "offset_increment": AREA, "numjobs": CPUS, "thread": None,
            "verify": "pattern", "verify_pattern": pattern(number), "verify_fatal": 1,
            "randrepeat": 1, "randseed": number, "iodepth": DEPTH,
            "unified_rw_reporting": None}       # count() needs reads and writes apart


def length():
    """Of a map's part of the disk that its load writes to."""
    return AREA * CPUS


class Round(Fio):
    """What is written is read back, some of it soon, all of it in the end."""

    LIMIT = limit(100)          # seconds; nothing hangs for so long

    def __init__(self, device, base, number, **more):
        super().__init__(device, **{**options(base, number), **more})
        self.limit = self.LIMIT

    def kill(self):
        """With its jobs, which would go on."""
        subprocess.run(["pkill", "-KILL", "-P", str(self.process.pid)])
        super().kill()


# What counts of a round, and as what. One that only reads goes through its writes without doing
# them; fio counts them nevertheless.
READ = {"read": "verified_bytes"}
BOTH = {**READ, "write": "written_bytes"}


class NothingRead(Exception):
    """A round looked at no data."""


def count(figures, job, sides):
    """Add a round to the figures."""
    figures.loads["rounds"] += 1
    figures.loads["ios"] += sum(job[side]["total_ios"] for side in sides)
    for side, name in sides.items():
        figures.loads[name] += job[side]["io_bytes"]


class Load(threading.Thread):
    """Rounds on a map until it is told to stop; the round that it is in is ended."""

    def __init__(self, device, base, figures, stop):
        super().__init__(name="load of " + device)
        self.device = device
        self.base = base
        self.figures = figures
        self.stop_event = stop
        self.number = 0         # of the last round that was ended; the first one is before the faults
        self.fault = None

    def round(self, number, sides=BOTH, **more):
        with Round(self.device, self.base, number, **more) as job:
            found = fio_output.jobs(job.output())[0]
        if not found["read"]["io_bytes"]:
            raise NothingRead("round %d of %s read nothing" % (number, self.device))
        count(self.figures, found, sides)

    def run(self):
        """In a thread of its own."""
        try:
            while not self.stop_event.is_set():
                self.round(self.number + 1, verify_backlog=64)
                self.number += 1
        except Exception as error:      # told by who waits for the thread
            self.fault = "%s: %s" % (self.name, error)
            self.stop_event.set()

    def read_again(self):
        """All of the last round, once more; an exception if a byte is not as it was written."""
        self.round(self.number, READ, verify_only=1)

    def mistaken(self):
        """Why fio is not to be believed, if so: it shall notice that the next round's data is not there,
        at the places of the last one's."""
        try:
            self.round(self.number, READ, verify_only=1, verify_pattern=pattern(self.number + 1))
        except CommandError as error:
            return [] if NOTICED in error.stderr else [str(error)]
        return ["fio took what was written for something else"]


def reads_by_path(load, mapped):
    """All data once more over each path alone, by a map of its own; one of another queue mode."""
    for place in mapped.places:
        other = "bio" if mapped.queue_mode == "rq" else "rq"
        with Multipath([place.device], "round-robin", other, name="lwalone") as alone:
            through = Load(alone.path, load.base, load.figures, load.stop_event)
            through.number = load.number
            through.read_again()
