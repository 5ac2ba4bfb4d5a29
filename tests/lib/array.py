"""An array in a namespace of its own, on two networks: iSCSI, with several logical units."""
import contextlib

from . import iscsi
from .command import sh
from .disks import path_disks
from .network import Link, make_namespace

NAMESPACE = "array"


class Array:
    """`links` are the networks; each logical unit has a path by each of them."""

    def __init__(self, links, luns):
        self.links = links
        self.luns = luns

    def paths(self, lun):
        """One by each link, in their order."""
        return [iscsi.disk_at(link.address, lun) for link in self.links]

    def all_paths(self):
        return [path for lun in range(self.luns) for path in self.paths(lun)]


@contextlib.contextmanager
def array(luns=2):
    """Logged in on both networks within."""
    with contextlib.ExitStack() as stack:
        backing = stack.enter_context(path_disks(luns))
        for disk in backing:
            disk.set(delay_us=5000)
        make_namespace(NAMESPACE)
        stack.callback(sh, "ip", "netns", "delete", NAMESPACE)
        links = [Link(NAMESPACE, number) for number in (1, 2)]
        addresses = [link.address for link in links]
        stack.enter_context(iscsi.target_by_configfs(
            backing[0].path, addresses, NAMESPACE, [each.path for each in backing[1:]]))
        stack.enter_context(iscsi.sessions(addresses))
        yield Array(links, luns)
