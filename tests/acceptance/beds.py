"""Test beds, in the guest: paths that can be changed, and a device over them for each selector."""
import contextlib

from tests.acceptance.maps import multipath
from tests.acceptance.network_beds import iscsi_bed, nvme_bed
from tests.acceptance.plan import ISCSI, NVME_TCP, TEST_DISK
from tests.dm.lib.disks import path_disks

MOST_TAGS = 1024                # more than any scenario has I/Os in flight on a path


class DiskBed:
    """The programmable test disk: exact, in virtual time."""

    def __init__(self, scenario, disks):
        self.paths = disks
        self.configured = scenario.paths
        self.groups = scenario.groups

    def prepare(self):
        """As the scenario says, whatever a run before has made of them."""
        for index, parameters in enumerate(self.configured):
            self.paths[index].reset()
            self.change(index, parameters)

    def change(self, index, parameters):
        self.paths[index].set(**parameters)

    def carried_bytes(self):
        """Data of all reads and writes so far."""
        return sum(path.get("bytes") for path in self.paths)

    def device(self, selector):
        return multipath(self.paths, selector, self.groups)


@contextlib.contextmanager
def test_disk_bed(scenario):
    with path_disks(len(scenario.paths), queue_depth=MOST_TAGS) as disks:
        yield DiskBed(scenario, disks)


BEDS = {TEST_DISK: test_disk_bed, ISCSI: iscsi_bed, NVME_TCP: nvme_bed}


def bed(scenario):
    """Entered, it is what the scenario asks for."""
    return BEDS[scenario.transport](scenario)
