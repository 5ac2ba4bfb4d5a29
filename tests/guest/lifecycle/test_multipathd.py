"""Real multipathd with the drop-in that the project ships.

The paths are two tcm_loop hosts with one disk: all that multipathd looks at (a
WWID, ALUA, a checker) without a network.
"""
# promise service/transports: The module works with multipathd, iSCSI and NVMe/TCP, and the kernel loads it on
#   demand | full: `guests-*`

import json

import pytest

from tests.lib import fio
from tests.lib.command import sh, wait_until
from tests.lib.lio import loop_paths, ram_disk
from tests.lib.multipath import parse_status
from tests.lib.multipathd import running

OURS = "latency-weighted 0"


@pytest.fixture
def paths():
    with ram_disk() as disk, loop_paths(disk) as found:
        yield found


def live_table(name):
    return sh("dmsetup", "table", name).strip()


def group_of(table):
    """(selector words, path words) of a table line's only group."""
    words = table.split()
    at = words.index("latency-weighted")
    arguments = int(words[at + 1])
    count = int(words[at + 2 + arguments])
    return words[at:at + 2 + arguments], words[at + 4 + arguments:], count


def reconfigure_reloads_nothing(daemon, name):
    table = live_table(name)
    forced = daemon.version() < (0, 9)  # "reconfigure" meant what is now called "reconfigure all"
    for number in (1, 2):
        daemon.reconfigure()
        if forced:  # and was answered early: a second one right away would be the same one
            wait_until(lambda: daemon.reloads() == number, "forced reload %d" % number, timeout=30)
    assert forced or daemon.reloads() == 0
    assert live_table(name) == table


@pytest.mark.upstream
@pytest.mark.facts
@pytest.mark.time_limit(180)
def test_drop_in_makes_the_map_and_reconfigure_leaves_it(paths):
    with running(OURS) as daemon:
        name = daemon.wait_for_map(paths)
        selector, path_words, count = group_of(live_table(name))
        assert selector == ["latency-weighted", "0"]
        assert count == 2
        assert sorted(path_words) == sorted(
            word for path in paths for word in (path.number, "1"))
        reconfigure_reloads_nothing(daemon, name)
        shown_by_multipathd(daemon, name, paths)
        both_paths_work(name, paths)


def shown_by_multipathd(daemon, name, paths):
    """What multipathd read out of our status and table lines."""
    (shown,) = [each for each in daemon.maps() if each["name"] == name]
    (group,) = shown["path_groups"]
    assert group["selector"] == OURS
    assert ({path["dev"]: path["dm_st"] for path in group["paths"]}
            == {path.name: "active" for path in paths})
    assert "policy='%s'" % OURS in daemon.ask("show", "topology")
    for path in paths:
        assert path.name in daemon.ask("show", "paths")
    json.loads(daemon.ask("show", "map", name, "json"))
    statuses = parse_status(sh("dmsetup", "status", name))
    assert sorted(each.number for each in statuses) == sorted(
        path.number for path in paths)
    assert all(each.usable for each in statuses)


def both_paths_work(name, paths):
    with fio.on_each(paths, "/dev/mapper/" + name) as job:
        job.stop()


def repeat_counts(name):
    return group_of(live_table(name))[1][1::2]


@pytest.mark.upstream
@pytest.mark.facts
@pytest.mark.time_limit(180)
def test_rr_weight_causes_no_reloads(paths):
    """ALUA gives both paths 50, and multipathd compares what it reads with rr_min_io_rq, 1."""
    with running(OURS, "\trr_weight priorities\n") as daemon:
        name = daemon.wait_for_map(paths)
        assert repeat_counts(name) == ["1"] * 2
        reconfigure_reloads_nothing(daemon, name)


@pytest.mark.upstream
@pytest.mark.facts
@pytest.mark.time_limit(180)
def test_reconfigure_changes_the_selector_and_back(paths):
    with running("service-time 0") as daemon:
        name = daemon.wait_for_map(paths)
        for count, selector in enumerate([OURS, "round-robin 0", OURS], 1):
            daemon.configure(selector)
            daemon.reconfigure()        # 0.8 may answer early, as above
            wait_until(lambda: " %s " % selector in live_table(name), "the other selector", timeout=30)
            # so reloads are noticed, which other tests rely on
            assert daemon.reloads() == count
