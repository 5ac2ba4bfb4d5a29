"""Test beds with a network: an array in a namespace of its own, a network for each path."""
import contextlib

from tests.bench.acceptance.maps import multipath
from tests.bench.acceptance.stress import flow
from tests.bench.selectors import NATIVE
from tests.lib import iscsi, nvmet
from tests.lib.command import read_text, udev_waits
from tests.lib.disks import NullBlk
from tests.lib.network import Link, make_namespace

NAMESPACE = "array"
DISK_MB = 256
DOWN = {"loss_percent": 100}    # no error, no carrier lost: I/O hangs


class NetworkBed:
    """What the beds of all transports have in common: links that can be changed."""

    def __init__(self, scenario, links, disk):
        self.configured = scenario.paths
        self.scenario = scenario
        self.links = links
        self.flooded_links = [links[index] for index in scenario.flood]
        self.disk = disk
        self.paths = []

    def prepare(self):
        """As the scenario says, whatever a run before has made of them."""
        self.state = [{} for _ in self.links]
        for index, parameters in enumerate(self.configured):
            self.change(index, parameters)

    def change(self, index, parameters):
        self.state[index].update(parameters)
        impairments = dict(self.state[index])
        down = impairments.pop("down", 0)
        self.links[index].impair(**(DOWN if down else impairments))

    def carried_bytes(self):
        """By each network so far, both ways."""
        return [sum(int(read_text("/sys/class/net/%s/statistics/%s_bytes" % (link.here, way)))
                    for way in ("rx", "tx")) for link in self.links]

    @contextlib.contextmanager
    def flooded(self):
        """As long as the networks have somebody else's flows to carry."""
        with contextlib.ExitStack() as stack:
            for link in self.flooded_links:
                stack.enter_context(flow(link))
            yield

    def ideal(self):
        """For logins, which would take seconds otherwise."""
        for link in self.links:
            link.impair()


class IscsiBed(NetworkBed):
    @contextlib.contextmanager
    def device(self, selector):
        with self.flooded(), multipath(self.paths, selector, self.scenario) as device:
            yield device


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
                with self.flooded():
                    yield device
            finally:
                self.ideal()

    def portals(self):
        return [nvmet.Portal(link.address, nvmet.PORT) for link in self.links]

    @contextlib.contextmanager
    def mapped(self, selector):
        self.paths = [nvmet.disk_at(portal) for portal in self.portals()]
        with multipath(self.paths, selector, self.scenario) as device:
            yield device

    @contextlib.contextmanager
    def native(self, selector):
        self.paths = [nvmet.hidden_path_at(portal) for portal in self.portals()]
        nvmet.set_policy(selector[len(NATIVE):])
        with udev_waits():
            yield nvmet.head_device()


@contextlib.contextmanager
def network(scenario):
    """(links, the array's disk)"""
    make_namespace(NAMESPACE)
    links = [Link(NAMESPACE, number) for number, _ in enumerate(scenario.paths, 1)]
    with NullBlk("nullb0", scenario.disk_us, DISK_MB, hw_queue_depth=1024,
                 memory_backed=int(scenario.task != "")) as disk:
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
