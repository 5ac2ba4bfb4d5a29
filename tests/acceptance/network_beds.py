"""Test beds with a network: an array in a namespace of its own, a network for each path."""
import contextlib

from tests.acceptance.maps import multipath
from tests.acceptance.plan import NATIVE
from tests.dm.lib import iscsi, nvmet
from tests.dm.lib.command import settle
from tests.dm.lib.disks import NullBlk
from tests.dm.lib.network import Link, make_namespace

NAMESPACE = "array"
DISK_MB = 256
DOWN = {"loss_percent": 100}    # no error, no carrier lost: I/O hangs


class NetworkBed:
    """What the beds of all transports have in common: links that can be changed."""

    def __init__(self, scenario, links, disk):
        self.configured = scenario.paths
        self.links = links
        self.disk = disk
        self.paths = []

    def prepare(self):
        for index, parameters in enumerate(self.configured):
            self.change(index, parameters)

    def change(self, index, parameters):
        """The whole of it: what is not named is as of an ideal network."""
        parameters = dict(parameters)
        down = parameters.pop("down", 0)
        self.links[index].impair(**(DOWN if down else parameters))

    def ideal(self):
        """For logins, which would take seconds otherwise."""
        for link in self.links:
            link.impair()


class IscsiBed(NetworkBed):
    def device(self, selector):
        return multipath(self.paths, selector)


class NvmeBed(NetworkBed):
    """All is made anew for each selector: the driver's own multipathing is chosen when it is loaded."""

    @contextlib.contextmanager
    def device(self, selector):
        native = selector.startswith(NATIVE)
        self.ideal()
        with nvmet.host_modules("Y" if native else "N"), \
                nvmet.target(self.disk.path, self.portals(), NAMESPACE), \
                nvmet.connected(self.portals()), \
                (self.native(selector) if native else self.mapped(selector)) as device:
            self.prepare()
            try:
                yield device
            finally:
                self.ideal()

    def portals(self):
        return [nvmet.Portal(link.address, nvmet.PORT) for link in self.links]

    @contextlib.contextmanager
    def mapped(self, selector):
        self.paths = [nvmet.disk_at(portal) for portal in self.portals()]
        settle()
        with multipath(self.paths, selector) as device:
            yield device

    @contextlib.contextmanager
    def native(self, selector):
        self.paths = [nvmet.hidden_path_at(portal) for portal in self.portals()]
        settle()
        nvmet.set_policy(selector[len(NATIVE):])
        yield nvmet.head_device()


@contextlib.contextmanager
def network(scenario):
    """(links, the array's disk)"""
    make_namespace(NAMESPACE)
    links = [Link(NAMESPACE, number) for number, _ in enumerate(scenario.paths, 1)]
    with NullBlk("nullb0", scenario.disk_us, DISK_MB, hw_queue_depth=1024) as disk:
        yield links, disk


@contextlib.contextmanager
def iscsi_bed(scenario):
    with network(scenario) as (links, disk):
        portals = [link.address for link in links]
        with iscsi.target_by_configfs(disk.path, portals, NAMESPACE), \
                iscsi.sessions(portals) as disks:
            bed = IscsiBed(scenario, links, disk)
            bed.paths = disks
            yield bed
            bed.ideal()


@contextlib.contextmanager
def nvme_bed(scenario):
    with network(scenario) as (links, disk):
        yield NvmeBed(scenario, links, disk)
