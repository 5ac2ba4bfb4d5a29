"""In the guest: disks without delay, and maps over them."""
import contextlib

from tests.bench.cost.cost_plan import TEST_DISK, VARIANTS
from tests.lib.disks import NullBlk, path_disks
from tests.lib.multipath import Multipath


@contextlib.contextmanager
def null_disks(count):
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(NullBlk("lwquick%d" % index, 0, irqmode=2))
               for index in range(count)]


def quick_disks(kind, count, stamped=True):
    """Each completes an I/O at once, by an interrupt; only the test disk can do without stamps.

    Not from within the call that begins it (null_blk's irqmode 0, and 1 on one CPU): that is
    what a driver does that was too busy, and latency-weighted learns nothing from it.
    """
    return path_disks(count, stamps="NY"[stamped]) if kind == TEST_DISK else null_disks(count)


def mapped(disks, variant, queue_mode):
    selector, arguments = VARIANTS[variant]
    return Multipath(disks, selector, queue_mode, selector_args=arguments)
