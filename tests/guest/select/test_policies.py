"""A BPF program chooses the path of each I/O, as far as the module lets it."""
# promise steering/policy: A BPF program chooses the path of each I/O of a map, sees true values, and may leave the
#   choice to the module; probes go on | full: `guests-*`

import contextlib
import os
import struct
import time

import pytest

from tests.guest.lib import tracefs
from tests.guest.lib.parametrized import both_modes
from tests.guest.lib.policies import REFUSED, Beside, Policy, limit_us, two_paths
from tests.lib import bpf
from tests.lib.bpf import OFFSET, PATH
from tests.lib.command import load_module, read_text, sh, write_text
from tests.lib.disks import path_disks
from tests.lib.multipath import Multipath
from tests.lib.scenario import SELECTOR, SELECTOR_MODULE, Load

pytestmark = pytest.mark.facts


@both_modes
def test_program_has_its_way_and_leaves_probes(queue_mode):
    """The other path gets its probes, so it stays known, and no other I/O."""
    with two_paths(queue_mode) as (disks, mapped, policy, load), bpf.pinned(bpf.fixed(1), "second") as pin:
        disks[1].set(delay_us=8000)                 # the module would rather take the first one
        policy.attach(pin)
        policy.wait_for(load, "chose")
        first = Beside(mapped, disks[0])
        start = policy.shown()
        policy.wait_for(load, "chose", 500)
        load.wait_until(lambda: first.files.number("probes") > first.probes, "the first path is probed", timeout=30)
        other = first.count()
        now = policy.shown()
        # A machine that stands still makes a path stall; then the module keeps its own choice.
        assert other <= sum(now[reason] - start[reason] for reason in REFUSED)
        assert now["bad_index"] == 0 and now["nested"] == 0 and now["too_many_paths"] == 0
        policy.detach()
        load.wait_until(lambda: first.count() > other + 20, "the module chooses again", timeout=30)


@both_modes
def test_program_may_leave_the_choice(queue_mode):
    with two_paths(queue_mode) as (_, _, policy, load), bpf.pinned(bpf.own(), "leaves") as pin:
        policy.attach(pin)
        policy.wait_for(load, "own", 500)
        shown = policy.shown()
        assert shown["name"] == "leaves" and shown["version"] == bpf.VERSION
        assert shown["chose"] == 0 and all(shown[reason] == 0 for reason in REFUSED)
        assert shown["mean_ns"] > 0


@both_modes
@pytest.mark.parametrize("index", [2, 77, -1])
def test_no_path_is_no_choice(queue_mode, index):
    """The program also scribbles over all that it sees; the next I/O finds it as it is."""
    scribbles = [bpf.store(offset, 0x7fffffff) for offset in range(0, bpf.SIZE - 64, 4)]
    code = bpf.policy(*scribbles, bpf.store(OFFSET["choice"], index))
    with two_paths(queue_mode) as (_, _, policy, load), bpf.pinned(code, "wrong") as pin:
        policy.attach(pin)
        policy.wait_for(load, "bad_index", 300)
        shown = policy.shown()
        assert shown["chose"] == shown["own"] == 0


class Shown:
    """The struct that a program saw last."""

    def __init__(self, descriptor):
        self.bytes = bpf.looked_up(descriptor, OFFSET["mark"])

    def __getitem__(self, field):
        return struct.unpack_from("<Q" if field == "cgroup" else "<I", self.bytes, OFFSET[field])[0]

    def of_path(self, index, field):
        at = OFFSET["path"] + bpf.PATH_SIZE * index + PATH[field]
        return struct.unpack_from("<Q" if field == "cost" else "<I", self.bytes, at)[0]


def device_number(text):
    major, minor = map(int, text.split(":"))
    return major << 20 | minor


def name_hash(name):
    """FNV-1a"""
    found = 2166136261
    for byte in name.encode():
        found = (found ^ byte) * 16777619 % (1 << 32)
    return found


@contextlib.contextmanager
def group_of(process):
    """A cgroup with the process in it; its id."""
    root = "/run/lw-cgroup2"
    os.makedirs(root, exist_ok=True)
    sh("mount", "-t", "cgroup2", "cgroup2", root)
    group = root + "/lwtest"
    os.mkdir(group)
    try:
        write_text(group + "/cgroup.procs", process)
        yield os.stat(group).st_ino
        write_text(root + "/cgroup.procs", process)
    finally:
        os.rmdir(group)
        sh("umount", root)


@both_modes
def test_program_sees_what_is_true(queue_mode):
    with two_paths(queue_mode, bs="16k") as (disks, mapped, policy, load), \
            bpf.bpf_map(bpf.ARRAY, 4, OFFSET["mark"], 1) as descriptor, \
            bpf.pinned(bpf.shows(descriptor), "shows") as pin:
        disks[0].set(delay_us=2000)
        policy.attach(pin)
        with group_of(load.fio.process.pid) as group:
            policy.wait_for(load, "own", 300)
            seen = Shown(descriptor)
        assert seen["version"] == bpf.VERSION
        assert seen["map"] == device_number(read_text("/sys/block/%s/dev" % os.path.basename(mapped.path)))
        assert seen["name"] == name_hash(mapped.name)
        assert seen["bytes"] in (16384, 4096), seen["bytes"]          # udev reads, too
        assert seen["op"] == 0 and seen["cpu"] < os.cpu_count() and seen["node"] == 0
        assert seen["nr"] == 2 and seen["own"] == seen["choice"] < 2
        assert seen["cgroup"] == (group if queue_mode == "bio" else 0)
        for index, disk in enumerate(disks):
            assert seen.of_path(index, "dev") == device_number(disk.number)
            assert seen.of_path(index, "state") == 0
            assert seen.of_path(index, "latency_ns") > 900_000
            assert seen.of_path(index, "base_ns") > 0
            assert seen.of_path(index, "ios") <= 8 and seen.of_path(index, "kib") <= 8 * 16
            assert seen.of_path(index, "knee") > 0
            assert seen.of_path(index, "cost") > 0


@both_modes
def test_trace_tells_of_the_policy(queue_mode):
    load_module(SELECTOR_MODULE)
    tracefs.mount()
    with two_paths(queue_mode) as (disks, _, policy, load), bpf.pinned(bpf.fixed(1), "second") as pin:
        disks[1].set(delay_us=8000)
        policy.attach(pin)
        with tracefs.Events("lw_choose") as events:
            policy.wait_for(load, "chose")
        major, minor = disks[1].number.split(":")
        chosen = events.of("lw_choose", reason="policy")
        assert chosen and all(event["dev"] == "%s:%s" % (major, minor) for event in chosen)


# promise service/policy-and-faults: With any choice of a BPF program, a failed or hanging path gets only the I/Os
#   of the module's own rules | full: `guests-*`
@both_modes
def test_hanging_path_is_left_to_the_module(queue_mode):
    """However a program insists, a path that hangs gets no I/O but the module's own probes."""
    with two_paths(queue_mode) as (disks, mapped, policy, load), bpf.pinned(bpf.fixed(1), "insists") as pin:
        policy.attach(pin)
        policy.wait_for(load, "chose")
        with disks[1].hanging():
            state = mapped_state(mapped, disks[1])
            with Load(mapped, iodepth=4) as second:
                second.wait_until(lambda: state.refused(policy), "the module keeps its choice", timeout=60)
                stuck = Beside(mapped, disks[1])
                served = disks[0].used()
                before = policy.shown()["bad_state"]
                second.wait_until(lambda: disks[0].used() - served > 300, "the other path goes on", timeout=60)
                assert stuck.count() <= 0
                assert policy.shown()["bad_state"] - before > 0
                disks[1].set(hang=0)
                policy.wait_for(second, "chose")


class mapped_state:
    """Whether the module takes a path for one that hangs: then a choice of it is refused."""

    def __init__(self, mapped, disk):
        self.mapped, self.disk, self.before = mapped, disk, None

    def refused(self, policy):
        now = policy.shown()["bad_state"]
        self.before = now if self.before is None else self.before
        return now - self.before >= 50


# promise service/policy-and-faults
@both_modes
def test_failed_path_is_left_to_the_module(queue_mode):
    with two_paths(queue_mode) as (disks, mapped, policy, load), bpf.pinned(bpf.fixed(1), "insists") as pin:
        policy.attach(pin)
        policy.wait_for(load, "chose")
        mapped.fail_path(disks[1])
        policy.wait_for(load, "bad_state", 20)
        failed = Beside(mapped, disks[1])
        policy.wait_for(load, "bad_state", 300)
        assert failed.count() == 0
        mapped.reinstate_path(disks[1])
        policy.wait_for(load, "chose")


@pytest.mark.expect_dm_error("group of 17 paths keeps the module's choice: a policy sees 16")
def test_large_group_keeps_the_choice():
    with path_disks(2) as disks, Multipath((disks * 9)[:17], SELECTOR) as mapped, \
            Load(mapped, iodepth=4) as load, bpf.pinned(bpf.fixed(1), "insists") as pin:
        policy = Policy(mapped)
        load.begin()
        policy.attach(pin)
        policy.wait_for(load, "too_many_paths")
        assert policy.shown()["chose"] == 0


def test_group_of_sixteen_paths_has_a_policy():
    with path_disks(2) as disks, Multipath(disks * 8, SELECTOR) as mapped, \
            Load(mapped, iodepth=4) as load, bpf.pinned(bpf.fixed(15), "insists") as pin:
        policy = Policy(mapped)
        load.begin()
        policy.attach(pin)
        policy.wait_for(load, "chose")
        assert policy.shown()["too_many_paths"] == 0


# promise service/slow-policy
@pytest.mark.expect_dm_error(r"policy slow \(program \d+\) took more than 1 us in the mean for a second: detached")
def test_slow_program_is_detached():
    with two_paths("rq") as (_, _, policy, load), bpf.pinned(bpf.slow(2000), "slow") as pin:
        with limit_us(0):
            policy.attach(pin)
            policy.wait_for(load, "own")
            time.sleep(2)
            assert policy.shown()["mean_ns"] > 1000
        with limit_us(1):
            load.wait_until(lambda: not policy.shown(), "the program is detached", timeout=60)
        load.begin()
