"""Test beds, in the guest: paths that can be changed, and a device over them for each selector."""
import contextlib

from tests.bench.acceptance.acceptance_plan import ISCSI, NULL_BLK, NVME_TCP, TCM_LOOP, TEST_DISK
from tests.bench.acceptance.maps import multipath
from tests.bench.acceptance.network_beds import iscsi_bed, nvme_bed
from tests.lib.disks import NullBlk, path_disks
from tests.lib.lio import loop_path

MOST_TAGS = 1024                # more than any scenario has I/Os in flight on a path


class DiskBed:
    """Programmable test disks, which are the paths or are behind them: exact, in virtual time."""

    def __init__(self, scenario, disks, paths):
        self.disks = disks
        self.paths = paths
        self.configured = scenario.paths
        self.scenario = scenario

    def prepare(self):
        """As the scenario says, whatever a run before has made of them."""
        for index, parameters in enumerate(self.configured):
            self.disks[index].reset()
            self.change(index, parameters)

    def change(self, index, parameters):
        self.disks[index].set(**parameters)

    def carried_bytes(self):
        """Each path's data of all reads and writes so far."""
        return [disk.get("bytes") for disk in self.disks]

    def device(self, selector):
        return multipath(self.paths, selector, self.scenario)


@contextlib.contextmanager
def test_disk_bed(scenario):
    with path_disks(len(scenario.paths), queue_depth=MOST_TAGS) as disks:
        yield DiskBed(scenario, disks, disks)


@contextlib.contextmanager
def tcm_loop_bed(scenario):
    """SCSI without a network: LIO before the test disk of each path."""
    with path_disks(len(scenario.paths), queue_depth=MOST_TAGS) as disks, contextlib.ExitStack() as stack:
        paths = [stack.enter_context(loop_path(disk.path, index)) for index, disk in enumerate(disks)]
        yield DiskBed(scenario, disks, paths)


class NullBed:
    """null_blk: nothing but a timer between an I/O and its end."""

    def __init__(self, scenario, disks):
        self.paths = disks
        self.scenario = scenario

    def prepare(self):
        """The disks never change."""

    def device(self, selector):
        return multipath(self.paths, selector, self.scenario)


@contextlib.contextmanager
def null_blk_bed(scenario):
    with contextlib.ExitStack() as stack:
        disks = [stack.enter_context(NullBlk("nullb%d" % index, path.get("delay_us", 0), hw_queue_depth=MOST_TAGS))
                 for index, path in enumerate(scenario.paths)]
        yield NullBed(scenario, disks)


BEDS = {TEST_DISK: test_disk_bed, TCM_LOOP: tcm_loop_bed, NULL_BLK: null_blk_bed, ISCSI: iscsi_bed,
        NVME_TCP: nvme_bed}


def bed(scenario):
    """Entered, it is what the scenario asks for."""
    return BEDS[scenario.transport](scenario)
