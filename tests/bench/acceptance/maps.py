"""The map, in the guest, for one selector."""
import contextlib
import os

from tests.bench.selectors import IO_AFFINITY, table_words
from tests.lib.command import udev_waits
from tests.lib.multipath import Multipath

MAP = "lwacceptance"


def in_groups(paths, sizes):
    """The paths cut into priority groups of these sizes; one group if there are none."""
    rest = iter(paths)
    return [[next(rest) for _ in range(size)] for size in sizes or [len(paths)]]


def cpu_masks(groups, cpus):
    """The CPUs dealt out to the paths of each group, as io-affinity takes them."""
    return ["%x" % sum(1 << cpu for cpu in range(index, cpus, len(group)))
            for group in groups for index, _ in enumerate(group)]


@contextlib.contextmanager
def multipath(paths, selector, scenario):
    """A map which nobody has used before, so that its selector knows nothing yet."""
    groups = in_groups(paths, scenario.groups)
    path_words = cpu_masks(groups, os.cpu_count()) if selector == IO_AFFINITY else None
    with Multipath(paths, selector, name=MAP, groups=groups, path_words=path_words,
                   selector_args=table_words(selector, scenario.arguments)) as mapped, udev_waits():
        yield mapped.path
