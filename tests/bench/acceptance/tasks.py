"""In the guest: work that is more than I/O by fio, with how long it takes and what the paths carry for it.

copy: within the array, by a command to it (EXTENDED COPY), and by reading and writing.
defragment: of a file on ext4.
"""
import contextlib
import os
import time

from tests.lib.command import sh

MIB = 1 << 20
SECTOR = 512
CHUNK_SECTORS = 16384           # that one EXTENDED COPY moves: 8 MiB
FRAGMENT = 1 << 16
MOUNT_POINT = "/run/lwacceptance"
TIMEOUT = 600


def measured(bed, work):
    """Do it: its seconds, and what each path carried meanwhile."""
    before, start = bed.carried_bytes(), time.monotonic()
    work()
    seconds = time.monotonic() - start
    carried = [(after - begin) / MIB for begin, after in zip(before, bed.carried_bytes())]
    return {"seconds": seconds, "carried_mib": carried}


def by_the_array(device, mib):
    sectors = mib * MIB // SECTOR
    sh("sg_xcopy", "if=" + device, "of=" + device, "bs=%d" % SECTOR, "count=%d" % sectors,
       "skip=0", "seek=%d" % sectors, "bpt=%d" % CHUNK_SECTORS, timeout=TIMEOUT)


def by_us(device, mib):
    sh("dd", "if=" + device, "of=" + device, "bs=1M", "count=%d" % mib, "skip=0", "seek=%d" % mib,
       "iflag=direct", "oflag=direct", timeout=TIMEOUT)


def fill(disk, mib):
    """New data, behind the array's back."""
    sh("dd", "if=/dev/urandom", "of=" + disk.path, "bs=1M", "count=%d" % mib, "oflag=direct",
       timeout=TIMEOUT)


def check(disk, mib):
    """CommandError if the copy is not what was to be copied."""
    sh("blockdev", "--flushbufs", disk.path)
    sh("cmp", "--bytes=%d" % (mib * MIB), "--ignore-initial=0:%d" % (mib * MIB), disk.path, disk.path,
       timeout=TIMEOUT)


def copy(bed, device, mib):
    for way, work in (("sg_xcopy", by_the_array), ("read and write", by_us)):
        fill(bed.disk, mib)
        figures = measured(bed, lambda: work(device, mib))
        check(bed.disk, mib)
        yield way, figures


@contextlib.contextmanager
def mounted(device):
    os.makedirs(MOUNT_POINT, exist_ok=True)
    sh("mount", device, MOUNT_POINT)
    try:
        yield
    finally:
        sh("umount", MOUNT_POINT)


def make_fragmented(device, mib):
    """A file whose parts lie in the holes of another, which then goes; the file's name."""
    whole, parts = MOUNT_POINT + "/whole", MOUNT_POINT + "/parts"
    sh("mkfs.ext4", "-q", "-F", device, "%dM" % (4 * mib), timeout=TIMEOUT)
    with mounted(device):
        free = os.statvfs(MOUNT_POINT)
        sh("fallocate", "-l", free.f_bavail * free.f_frsize, whole)
        for offset in range(0, 2 * mib * MIB, 2 * FRAGMENT):
            sh("fallocate", "--punch-hole", "-o", offset, "-l", FRAGMENT, whole)
        sh("dd", "if=/dev/urandom", "of=" + parts, "bs=1M", "count=%d" % mib, "conv=fsync",
           timeout=TIMEOUT)
        os.unlink(whole)
    return parts


def fragments(file):
    """As filefrag counts them: "...: 17 extents found"."""
    return int(sh("filefrag", file).split(":")[-1].split()[0])


def defragment(bed, device, mib):
    file = make_fragmented(device, mib)
    with mounted(device):       # anew: nothing is cached
        before, data = fragments(file), sh("sha256sum", file)
        sh("sysctl", "-qw", "vm.drop_caches=3")
        figures = measured(bed, lambda: sh("e4defrag", file, timeout=TIMEOUT))
        if fragments(file) > before / 4:
            raise RuntimeError("%d fragments before e4defrag, and %d after" % (before, fragments(file)))
        sh("sysctl", "-qw", "vm.drop_caches=3")
        if sh("sha256sum", file) != data:
            raise RuntimeError("e4defrag changed the file's data")
    yield "e4defrag", figures


TASKS = {"copy": copy, "defragment": defragment}


def run(bed, device, task, mib):
    """Yields (way, {seconds, mib_s, carried_mib}), all data being right."""
    for way, figures in TASKS[task](bed, device, mib):
        yield way, {**figures, "mib_s": mib / figures["seconds"]}
