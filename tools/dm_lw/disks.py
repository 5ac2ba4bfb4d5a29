"""Counts of a path's disk, the same with each selector: /sys/dev/block/MAJ:MIN/stat.

The kernel's Documentation/block/stat.rst describes each field. I/O that others send to the disk is in it, too.
"""
import re
from dataclasses import astuple, dataclass

SECTOR = 512
# The place of each total in the file, and the unit of its name.
TOTALS = {"disk_reads": (0, 1), "read_bytes": (2, SECTOR), "disk_read_ms": (3, 1),
          "disk_writes": (4, 1), "write_bytes": (6, SECTOR), "disk_write_ms": (7, 1)}
INFLIGHT = 8
WRAP = 1 << 32                  # milliseconds begin again at 0 there


def totals(sysfs, device):
    """The totals by name, each None if it is not known."""
    fields = stat(sysfs, device)
    return {name: fields and fields[place] * unit for name, (place, unit) in TOTALS.items()}


def inflight(sysfs, device):
    fields = stat(sysfs, device)
    return fields and fields[INFLIGHT]


def stat(sysfs, device):
    fields = ((sysfs.text("dev/block", device, "stat") if device else None) or "").split()
    if len(fields) <= INFLIGHT or not all(re.fullmatch("[0-9]{1,20}", word, re.ASCII) for word in fields):
        return None
    return [int(word) for word in fields]


@dataclass(frozen=True)
class Work:
    """Work of a disk in some time."""
    reads: int = 0
    read_bytes: int = 0
    read_ms: int = 0
    writes: int = 0
    write_bytes: int = 0
    write_ms: int = 0

    def __add__(self, other):
        return Work(*map(sum, zip(astuple(self), astuple(other))))

    @property
    def ios(self):
        return self.reads + self.writes

    @property
    def bytes(self):
        return self.read_bytes + self.write_bytes

    @property
    def ms(self):
        """Milliseconds of all I/Os together: divided by the time, the mean number in flight."""
        return self.read_ms + self.write_ms


def work(now, before):
    """From some totals to later ones; None if that is not known, as of a disk that began anew."""
    grew = []
    for name in TOTALS:
        new, old = now.get(name), before.get(name)
        if new is None or old is None:
            return None
        # From the upper half milliseconds begin again at 0; from the lower one it is another disk.
        if name.endswith("_ms") and new < old and old >= WRAP // 2:
            new += WRAP
        grew.append(new - old)
    return Work(*grew) if min(grew) >= 0 else None


def figures(done, seconds):
    """Rates and means of the work; None where they are not known."""
    if done is None:
        done, seconds = Work(), None
    return {"read_bytes_per_s": by(done.read_bytes, seconds),
            "write_bytes_per_s": by(done.write_bytes, seconds),
            "disk_reads_per_s": by(done.reads, seconds), "disk_writes_per_s": by(done.writes, seconds),
            "disk_latency_us": by(1000 * done.ms, done.ios),
            "read_latency_us": by(1000 * done.read_ms, done.reads),
            "write_latency_us": by(1000 * done.write_ms, done.writes),
            "io_bytes": by(done.bytes, done.ios)}


def by(amount, count):
    return amount / count if count else None
