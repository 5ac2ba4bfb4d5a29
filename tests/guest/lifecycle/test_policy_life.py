"""A policy lives as long as its map, over all tables, and goes with it."""
# promise lifecycle/policy-life: A policy outlives the tables of its map and goes with the map; it is changed a
#   hundred (in full: a thousand) times under load, while tables, maps and the module come and go | full: `guests-*`

import contextlib
import errno
import itertools
import threading
import time

import pytest

from tests.guest.lib.parametrized import both_modes
from tests.guest.lib.policies import Policy, two_paths, wait_until_gone
from tests.lib import bpf
from tests.lib.command import unload_module
from tests.lib.disks import path_disks
from tests.lib.multipath import Multipath, TwoGroups
from tests.lib.scenario import EQUAL, SELECTOR, SELECTOR_MODULE, Load

pytestmark = pytest.mark.facts

CHANGES = 100
MANY_CHANGES = 1000


@both_modes
def test_policy_outlives_tables(queue_mode):
    """Its counts go on, too; and the pin is not needed."""
    with two_paths(queue_mode) as (_, mapped, policy, load):
        with bpf.pinned(bpf.fixed(1), "stays") as pin:
            policy.attach(pin)
            policy.wait_for(load, "chose")
        before = policy.shown()
        for _ in range(3):
            mapped.reload()
            policy.wait_for(load, "chose")
        assert policy.identity() == before["id"] and policy.shown()["chose"] >= before["chose"] + 300


@both_modes
def test_policy_goes_with_its_map(queue_mode):
    with path_disks(2) as disks, bpf.pinned(bpf.own(), "goes") as pin:
        with Multipath(disks, SELECTOR, queue_mode) as mapped, Load(mapped) as load:
            policy = Policy(mapped)
            policy.attach(pin)
            policy.wait_for(load, "own")
            program = policy.identity()
        unload_module(SELECTOR_MODULE)
        assert bpf.exists(program)              # by its pin
    wait_until_gone(program)


def test_another_selector_ends_the_policy():
    with two_paths("rq") as (_, mapped, policy, load):
        with bpf.pinned(bpf.own(), "ends") as pin:
            policy.attach(pin)
            program = policy.identity()
        mapped.reload("round-robin")
        wait_until_gone(program)
        mapped.reload(SELECTOR)
        assert policy.shown() == {}


def test_each_map_has_its_own_policy_and_each_group_that_of_its_map():
    with path_disks(4) as disks, contextlib.ExitStack() as stack:
        for disk in disks:
            disk.set(delay_us=2000)
        pins = [stack.enter_context(bpf.pinned(bpf.fixed(index), "of%d" % index)) for index in range(2)]
        maps = [stack.enter_context(TwoGroups(disks, SELECTOR, name="lwtest%d" % index, selector_args=EQUAL))
                for index in range(2)]
        policies = [Policy(mapped) for mapped in maps]
        for policy, pin in zip(policies, pins):
            policy.attach(pin)
        assert [policy.shown()["name"] for policy in policies] == ["of0", "of1"]
        with Load(maps[1], iodepth=4) as load:
            load.warm_up(disks[1])
            policies[1].wait_for(load, "chose")
            for disk in disks[:2]:
                maps[1].fail_path(disk)         # so the second group is used
            load.warm_up(disks[3])
            policies[1].wait_for(load, "chose")


class Changes:
    """A thread that attaches and detaches, as root's programs might at any time."""

    def __init__(self, policy, pins, count, pause=0):
        self.policy, self.pins, self.count, self.pause = policy, pins, count, pause
        self.failure, self.made = None, 0
        self.thread = threading.Thread(target=self.run)

    def run(self):
        try:
            for pin in itertools.islice(itertools.cycle([*self.pins, ""]), self.count):
                self.policy.attach(pin)
                self.made += 1
                time.sleep(self.pause)
        except OSError as error:
            self.failure = error


def change_under_load(queue_mode, count):
    """Two writers, while tables come and go."""
    codes = {"first": bpf.fixed(0), "second": bpf.fixed(1), "leaves": bpf.own(), "wrong": bpf.policy(
        bpf.store(bpf.OFFSET["choice"], 77)), "costs": bpf.policy(reads_cost=True)}
    with contextlib.ExitStack() as stack:
        pins = [stack.enter_context(bpf.pinned(code, name)) for name, code in codes.items()]
        _, mapped, policy, load = stack.enter_context(two_paths(queue_mode, iodepth=8))
        writers = [Changes(policy, pins, count // 2), Changes(policy, pins[::-1], count // 2)]
        for writer in writers:
            writer.thread.start()
        while any(writer.thread.is_alive() for writer in writers):
            mapped.reload()
            load.check()
        for writer in writers:
            writer.thread.join()
        assert [writer.failure for writer in writers] == [None, None]
        assert sum(writer.made for writer in writers) == count // 2 * 2
        policy.attach(pins[list(codes).index("leaves")])
        program = policy.identity()
        policy.wait_for(load, "own")
    unload_module(SELECTOR_MODULE)
    wait_until_gone(program)


@both_modes
def test_policy_is_changed_under_load(queue_mode):
    change_under_load(queue_mode, CHANGES)


@both_modes
@pytest.mark.in_full
@pytest.mark.time_limit(600)
def test_policy_is_changed_very_often_under_load(queue_mode):
    change_under_load(queue_mode, MANY_CHANGES)


@both_modes
def test_map_goes_while_its_policy_is_changed(queue_mode):
    """Whoever writes to the file of a map that goes has written, or is told that it is gone."""
    with bpf.pinned(bpf.own(), "one") as one, bpf.pinned(bpf.fixed(0), "two") as two, path_disks(2) as disks:
        for _ in range(2):
            with Multipath(disks, SELECTOR, queue_mode) as mapped:
                # Each change is a line on the console, which takes longer than all else.
                writer = Changes(Policy(mapped), [one, two], 10000, pause=0.005)
                with Load(mapped) as load:
                    load.begin()
                    writer.thread.start()
                    load.wait_until(lambda: writer.made > 5, "the policy is changed", timeout=30)
            writer.thread.join()
            assert isinstance(writer.failure, OSError), "it wrote to what is gone"
        unload_module(SELECTOR_MODULE)


class LastingChanges(Changes):
    """They go on when the map goes and another one comes; `made` are those that a map took."""

    def run(self):
        pins = itertools.cycle([*self.pins, ""])
        while self.made < self.count and not self.failure:
            try:
                self.policy.attach(next(pins))
                self.made += 1
            except OSError as error:
                self.failure = None if error.errno in (errno.ENOENT, errno.ENODEV) else error
            time.sleep(self.pause)

    def end(self):
        self.count = 0
        self.thread.join()


@both_modes
@pytest.mark.in_full
@pytest.mark.time_limit(900)
def test_maps_tables_and_module_go_while_policies_are_changed_very_often(queue_mode):
    """Two writers to the map of that number, under load; then each program is gone."""
    codes = {"first": bpf.fixed(0), "second": bpf.fixed(1), "leaves": bpf.own(), "costs": bpf.policy(reads_cost=True)}
    programs = set()
    with path_disks(2) as disks, contextlib.ExitStack() as stack:
        pins = [stack.enter_context(bpf.pinned(code, name)) for name, code in codes.items()]
        with Multipath(disks, SELECTOR, queue_mode) as mapped:
            policy = Policy(mapped)         # which goes by the map's number
            for pin in pins:
                policy.attach(pin)
                programs.add(policy.identity())
        writers = [LastingChanges(policy, order, MANY_CHANGES // 2, pause=0.005) for order in (pins, pins[::-1])]
        for writer in writers:
            writer.thread.start()
            stack.callback(writer.end)

        def made():
            return sum(writer.made for writer in writers)

        while made() < MANY_CHANGES:
            with Multipath(disks, SELECTOR, queue_mode) as mapped, Load(mapped) as load:
                load.begin()
                wanted = min(made() + 30, MANY_CHANGES)
                while made() < wanted:
                    mapped.reload()
                    load.check()
                    assert [writer.failure for writer in writers] == [None, None]
            unload_module(SELECTOR_MODULE)
    assert len(programs) == len(codes)
    for program in programs:
        wait_until_gone(program)
