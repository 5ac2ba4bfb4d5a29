"""In the guest: disks without delay, and maps over them."""
import contextlib

from tests.bench.cost.cost_plan import BESIDE, BY_OPERATION, POLICY, TEST_DISK, VARIANTS
from tests.lib import bpf
from tests.lib.disks import NullBlk, path_disks
from tests.lib.multipath import Multipath
from tests.lib.sysfs import MapFiles


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


@contextlib.contextmanager
def mapped(disks, variant, queue_mode):
    """The variant's map; BESIDE has another one, which does nothing."""
    with contextlib.ExitStack() as stack:
        names = [(BY_OPERATION, "lwbeside")] * (variant == BESIDE) + [(variant, "lwtest")]
        for of, name in names:
            selector, arguments = VARIANTS[of]
            made = stack.enter_context(Multipath(disks, selector, queue_mode, name, selector_args=arguments))
        if variant == POLICY:
            MapFiles(made)["policy"] = stack.enter_context(bpf.pinned(bpf.own(), "leaves"))
        yield made
