"""In the guest: copies within the array, by a command to it (EXTENDED COPY) and by reading and writing."""
import time

from tests.dm.lib.command import read_text, sh

MIB = 1 << 20
SECTOR = 512
CHUNK_SECTORS = 16384           # that one EXTENDED COPY moves: 8 MiB
TIMEOUT = 600


def by_the_array(device, mib):
    sectors = mib * MIB // SECTOR
    sh("sg_xcopy", "if=" + device, "of=" + device, "bs=%d" % SECTOR, "count=%d" % sectors,
       "skip=0", "seek=%d" % sectors, "bpt=%d" % CHUNK_SECTORS, timeout=TIMEOUT)


def by_us(device, mib):
    sh("dd", "if=" + device, "of=" + device, "bs=1M", "count=%d" % mib, "skip=0", "seek=%d" % mib,
       "iflag=direct", "oflag=direct", timeout=TIMEOUT)


WAYS = {"sg_xcopy": by_the_array, "read and write": by_us}


def wire_bytes(links):
    """That all networks have carried, both ways."""
    return sum(int(read_text("/sys/class/net/%s/statistics/%s_bytes" % (link.here, way)))
               for link in links for way in ("rx", "tx"))


def fill(disk, mib):
    """New data, behind the array's back."""
    sh("dd", "if=/dev/urandom", "of=" + disk.path, "bs=1M", "count=%d" % mib, "oflag=direct",
       timeout=TIMEOUT)


def check(disk, mib):
    """CommandError if the copy is not what was to be copied."""
    sh("blockdev", "--flushbufs", disk.path)
    sh("cmp", "--bytes=%d" % (mib * MIB), "--ignore-initial=0:%d" % (mib * MIB), disk.path, disk.path,
       timeout=TIMEOUT)


def run(bed, device, mib):
    """[(way, {seconds, mib_s, wire_mib})], all data being right."""
    found = []
    for way, copy in WAYS.items():
        fill(bed.disk, mib)
        carried, start = wire_bytes(bed.links), time.monotonic()
        copy(device, mib)
        seconds = time.monotonic() - start
        carried = wire_bytes(bed.links) - carried
        check(bed.disk, mib)
        found.append((way, {"seconds": seconds, "mib_s": mib / seconds, "wire_mib": carried / MIB}))
    return found
