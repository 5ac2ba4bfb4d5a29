"""A real transport under a request-based map: iSCSI on two addresses, multipathd."""
# promise service/transports

import pytest

from tests.lib import fio, iscsi
from tests.lib.command import sh, wait_until
from tests.lib.lio import ram_disk
from tests.lib.multipath import parse_status
from tests.lib.multipathd import running

PORTALS = ["127.0.0.2", "127.0.0.3"]


@pytest.fixture
def paths():
    with ram_disk() as disk, iscsi.target_by_configfs(disk, PORTALS), \
            iscsi.sessions(PORTALS) as found:
        yield found


def statuses(name):
    return {each.number: each for each in parse_status(sh("dmsetup", "status", name))}


def usable(name):
    return [number for number, each in statuses(name).items() if each.usable]


@pytest.mark.upstream
@pytest.mark.facts
@pytest.mark.time_limit(180)
def test_iscsi_paths_share_the_load_and_one_may_go(paths):
    kept, lost = paths
    with running() as daemon:
        name = daemon.wait_for_map(paths)
        assert " latency-weighted 0 2 1 " in sh("dmsetup", "table", name)
        with fio.on_each(paths, "/dev/mapper/" + name, ios=20) as job:
            wait_until(lambda: all(int(each.words[1]) for each in statuses(name).values()), "each has a latency")
            iscsi.logout(PORTALS[1])
            wait_until(lambda: lost.number not in usable(name), "the path is failed or gone",
                       timeout=30)
            used = kept.used()
            wait_until(lambda: kept.used() > used + 20, "the other path carries on")
            job.stop()
