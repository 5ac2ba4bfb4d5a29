"""Reaction times from traces that are made up, so that the right answer is known."""
import dataclasses
from types import SimpleNamespace

import pytest

from tests.bench.acceptance.acceptance_reaction import reaction, rows, shares
from tests.bench.acceptance.acceptance_scenario import load_all
from tests.bench.acceptance.timeline import taken
from tests.lib.disks import Counted, PathDisk

STEP = load_all()["step"]  # path 0 becomes slow after 2 s and heals after 7
DOWN = load_all()["iscsi-down"]  # path 0 completes nothing from 2 s to 4 s


def trace_of(share_at):
    """A sample each 0.5 s in which path 0 has share_at(time) of 100 I/Os."""
    times = [number / 2 for number in range(20)]
    taken = [[0, 0]]
    for when in times[1:]:
        mine = round(100 * share_at(when))
        taken.append([taken[-1][0] + mine, taken[-1][1] + 100 - mine])
    return {"t": times, "taken": taken}


@pytest.mark.parametrize("left, back", [(2.5, 7.5), (3.0, 9.0)])
def test_left_and_back(left, back):
    found = reaction(trace_of(lambda when: 0.0 if left <= when < back else 0.5), STEP)
    assert found == pytest.approx((left - 2, back - 7))


def test_never():
    assert reaction(trace_of(lambda when: 0.5), STEP).left_after is None
    assert reaction(trace_of(lambda when: 0.5 if when <= 2 else 0.3), STEP).back_after is None
    shown = rows(STEP, {"round-robin": trace_of(lambda when: 0.5 if when <= 7 else 0.3)})
    assert shown == [["selector", "left path 0 after", "back after"], ["round-robin", "never", "never"]]


@pytest.mark.parametrize("at", [0, 2])
def test_without_io_before_the_change_nothing_can_be_told(at):
    late = dataclasses.replace(STEP, changes=[dataclasses.replace(STEP.changes[0], at=at), *STEP.changes[1:]])
    trace = trace_of(lambda when: 0.5)
    trace["taken"] = [[0, 0] if when <= at else taken for when, taken in zip(trace["t"], trace["taken"])]
    assert reaction(trace, late) is None
    assert rows(late, {"round-robin": trace})[1:] == [["round-robin", "no I/O before it", "unknown"]]


def write_counts(directory, completed, inflight):
    """A disk's files in sysfs; each I/O is a read."""
    (directory / "stat").write_text(f"{completed} 0 8 9 0 0 0 0 0 0 0")
    (directory / "inflight").write_text(f"{inflight} 0")


def disk_at(directory):
    disk = Counted(directory.name)
    disk.sysfs = str(directory)
    return disk


def test_round_robin_does_not_leave_a_scsi_disk_that_completes_nothing(tmp_path):
    """It gives both paths the same, until all 16 I/Os hang on the one that is down."""
    directories = [tmp_path / "sda", tmp_path / "sdb"]
    for directory in directories:
        directory.mkdir()
    bed = SimpleNamespace(paths=[disk_at(directory) for directory in directories])
    trace = {"t": [], "taken": []}
    for number in range(60):
        when, stuck = number / 10, 0
        if 2 < when <= 4:
            stuck = min(4 * (number - 20), 16)
        sent = 100 * min(number, 20) + stuck + 100 * max(0, number - 40)
        write_counts(directories[0], sent - stuck, stuck)
        write_counts(directories[1], sent, 0)
        trace["t"].append(when)
        trace["taken"].append(taken(bed))
    assert reaction(trace, DOWN).left_after is None


def test_the_test_disk_counts_what_hangs_by_itself(tmp_path):
    (tmp_path / "lw").mkdir()
    for name, count in (("reads", 7), ("writes", 2)):
        (tmp_path / "lw" / name).write_text(str(count))
    write_counts(tmp_path, completed=5, inflight=4)
    disk = PathDisk.__new__(PathDisk)   # without a device number
    disk.sysfs = str(tmp_path)
    assert taken(SimpleNamespace(paths=[disk])) == [9]


def test_no_io_is_no_share():
    (_, nothing), (_, half) = shares({"t": [0, 1, 2], "taken": [[3, 3], [3, 3], [4, 4]]}, 0)
    assert nothing != nothing and half == 0.5
