"""NVMe over TCP under multipathd, without the kernel's own NVMe multipathing.

Newer versions of multipathd make such a map bio-based by themselves, so this is
where the bio-based half of the selector meets real life.
"""
# promise steering/never-issued, service/transports

import pytest

from tests.lib import fio
from tests.lib.command import sh, wait_until
from tests.lib.lio import ram_disk
from tests.lib.multipath import Multipath, parse_status
from tests.lib.multipathd import running
from tests.lib.nvmet import leaves_paths_to_dm, nvme_paths
from tests.lib.scenario import EQUAL, SELECTOR, Load
from tests.lib.sysfs import MapFiles

OURS = "latency-weighted 0"


@pytest.fixture
def paths():
    if not leaves_paths_to_dm():
        pytest.skip("nvme_core is loaded with its own multipathing")
    with ram_disk() as disk, nvme_paths(disk, ports=[4420, 4421]) as found:
        yield found


def statuses(name):
    return parse_status(sh("dmsetup", "status", name))


@pytest.mark.facts
@pytest.mark.time_limit(180)
def test_nvme_paths_make_a_map_and_share_the_load(paths):
    with running(OURS) as daemon:
        name = daemon.wait_for_map(paths)
        table = sh("dmsetup", "table", name)
        assert " latency-weighted 0 2 1 " in table
        if daemon.version() >= (0, 11):         # trixie's
            assert "queue_mode bio" in table
        with fio.on_each(paths, "/dev/mapper/" + name) as job:
            wait_until(lambda: all(int(status.words[1]) for status in statuses(name)), "each has a latency")
            job.stop()
        assert all(status.usable for status in statuses(name))
        daemon.reconfigure()
        if daemon.version() >= (0, 9):          # before, it always meant to reload
            assert daemon.reloads() == 0
        assert sh("dmsetup", "table", name) == table


@pytest.mark.virtual_time
@pytest.mark.facts
def test_worker_that_ends_what_it_started_is_no_busy_driver(paths):
    """One CPU, request-based: one worker starts I/Os and, in another work, ends them within 100 us."""
    with Multipath(paths, SELECTOR, selector_args=EQUAL) as mapped, Load(mapped, iodepth=4) as load:
        load.begin()
        for path in paths:
            at = MapFiles(mapped).path(path)
            # Not by the disk's count, which has udev's I/Os, too.
            load.wait_until(lambda: at.number("done") >= 500, "%s has served 500 I/Os" % path, timeout=40)
            # Not by its state: which of the two has more I/Os is chance where a busy worker is a fast one.
            assert at.number("full") <= at.number("done") / 100
            assert at.number("ignored_unissued") <= at.number("done") / 100
