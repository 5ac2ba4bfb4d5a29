"""In the guest: instructions an I/O, by paths and selector (`python3 -m tests.bench.cost.count`).

fio tells milliseconds, and spends more on itself than the block layer on an I/O.
"""
import contextlib
import gc
import itertools
import mmap
import os
import re
import statistics
import time

from tests.bench import in_guest as guest
from tests.bench.cost.cost_plan import LISTENING, QUEUE_MODES, UNSTAMPED, CountPlan
from tests.bench.cost.quick_maps import mapped, quick_disks
from tests.lib.command import read_text


@contextlib.contextmanager
def opened(path):
    """A block device for direct reads."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECT)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def idle_ns():
    """How long the CPU had nothing to do, exactly. The virtual clock goes on meanwhile."""
    return sum(map(int, re.findall(r"\.idle_sleeptime *: (\d+)", read_text("/proc/timer_list"))))


def per_read(descriptor, reads):
    """Instructions a read of 4 KiB, whatever else ran meanwhile included.

    On the virtual clock a nanosecond is one.
    """
    page = [mmap.mmap(-1, 4096)]
    read = os.preadv
    idle, begin = idle_ns(), time.perf_counter_ns()
    for _ in itertools.repeat(None, reads):
        read(descriptor, page, 0)
    busy = time.perf_counter_ns() - begin - (idle_ns() - idle)
    return busy / reads


def batches(plan, disks, variant, queue_mode):
    """One figure for each batch; what a new map has to learn is left out."""
    with mapped(disks, variant, queue_mode) as device, opened(device.path) as descriptor:
        per_read(descriptor, plan.reads)
        return [per_read(descriptor, plan.reads) for _ in range(plan.batches)]


def measure(plan, disks, variants):
    for queue_mode, paths, variant in itertools.product(QUEUE_MODES, plan.paths, variants):
        found = batches(plan, disks[:paths], variant, queue_mode)
        guest.record(measured="instructions", disk=plan.disk, queue_mode=queue_mode,
                     paths=paths, selector=variant, repeat=plan.repeat, batches=found)
        guest.say("%s, %d paths, %s: %.0f instructions an I/O"
                  % (queue_mode, paths, variant, statistics.median(found)))


def run(plan):
    """Each variant over disks of its kind: those made without stamps stay so, whatever a selector asks for.

    Those that make the module listen come last, as the others would pay for it, too.
    """
    gc.disable()
    for stamped, listening in ((True, False), (False, False), (True, True)):
        variants = [name for name in plan.selectors
                    if stamped == (name != UNSTAMPED) and listening == (name in LISTENING)]
        if variants:
            with quick_disks(plan.disk, max(plan.paths), stamped) as disks:
                measure(plan, disks, variants)


if __name__ == "__main__":
    guest.main(run, CountPlan)
