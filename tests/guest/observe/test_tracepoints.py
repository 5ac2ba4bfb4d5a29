"""Tracepoints through tracefs: each event comes when it should, with values that are true."""
# promise output/true-values

import contextlib
import glob
import os
import re
import statistics
import subprocess
import time

import pytest

from tests.guest.lib import tracefs
from tests.guest.lib.parametrized import both_modes, in_full, one_mode, variant
from tests.guest.lib.repeat import UNJUDGED
from tests.guest.lib.tracefs import Events
from tests.lib import fio
from tests.lib.command import CommandError, limit, load_module, read_text, settle, sh, wait_until
from tests.lib.disks import NullBlk, path_disks
from tests.lib.multipath import ACTIVE, FAILED, PROBING, STAMPS, Multipath
from tests.lib.scenario import SELECTOR, SELECTOR_MODULE, Load

pytestmark = [
    pytest.mark.virtual_time,
    pytest.mark.observe,
]

EXAMPLES = os.path.join(os.path.dirname(__file__), "../../../docs/examples")

# What scripts in the field rely on: new fields are added at the end.
FORMATS = {
    "lw_window": (
        "dev_t dev, u32 flags, u32 inflight, u32 noise_percent, u32 block_cost, u64 elapsed_us, "
        "u64 done, u64 latency_us, u64 base_us, u64 knee, u64 load, u64 rate, u64 outlier_us",
        "dev=%d:%d latency_us=%llu base_us=%llu noise_percent=%u knee=%llu load=%llu rate=%llu "
        "block_cost=%u inflight=%u done=%llu elapsed_us=%llu flags=%s outlier_us=%llu"),
    "lw_state": ("dev_t map, dev_t dev, u32 was, u32 is", "map=%d:%d dev=%d:%d was=%s is=%s"),
    "lw_choose": (
        "dev_t map, dev_t dev, u64 bytes, u64 cost_us, u32 inflight, u32 reason",
        "map=%d:%d dev=%d:%d bytes=%llu reason=%s cost_us=%llu inflight=%u"),
}


@pytest.fixture(autouse=True)
def mounted():
    load_module(SELECTOR_MODULE)
    tracefs.mount()


def number(mapped):
    return read_text("/sys/block/%s/dev" % os.path.basename(mapped.path))


@pytest.mark.facts
@pytest.mark.parametrize("event", FORMATS)
def test_format_is_stable(event):
    own, printed = tracefs.fields(event)
    assert (", ".join("%s %s" % field for field in own), printed) == FORMATS[event]


@both_modes
def test_windows_tell_the_truth(queue_mode):
    """On a path of 5 ms, with 4 I/Os of 8 KiB in flight, whose size makes no difference."""
    with path_disks(1) as (disk,), Multipath([disk], SELECTOR, queue_mode) as mapped:
        disk.set(delay_us=5000)
        settle()
        with Load(mapped, iodepth=4, bs="8k") as load:
            load.begin(ios=300)
            with Events("lw_window") as events:
                span = load.watch(1)
            stamped = mapped.learned(disk).source == STAMPS
    windows = events.of("lw_window", dev=disk.number)
    assert len(windows) == len(events.of("lw_window")) == pytest.approx(1000 / 24, abs=3)
    elapsed = sum(window["elapsed_us"] for window in windows) / 1e6
    assert elapsed == pytest.approx(1, abs=0.06)
    assert sum(window["done"] for window in windows) / elapsed == pytest.approx(span.rate, rel=0.05)
    rate = statistics.mean(window["rate"] for window in windows)
    assert rate == pytest.approx(span.rate, rel=0.05)
    for window in windows:
        for name in ("latency_us", "base_us"):
            assert window[name] == pytest.approx(5050, rel=0.06), name
        assert window["inflight"] <= 4
        assert 3 <= window["load"] <= 4 <= window["knee"]
        assert window["noise_percent"] <= 5
        # udev's reads, before the path was slow and of other lengths, teach some thousandths, which fade.
        assert window["block_cost"] <= 20
        flags = window["flags"].split("|")
        assert "validated" in flags and "stalled" not in flags and ("stamped" in flags) == stamped


def windows_run(seconds):
    """How often any window is closed meanwhile, by the kernel's own tracepoint of work queues."""
    with Events("workqueue/workqueue_execute_start") as events:
        time.sleep(seconds)
    return sum("lw_window_work" in line for line in events.lines)


@pytest.mark.facts
@pytest.mark.parametrize("queue_mode, listed", [("rq", 1), variant("bio", 2), variant("rq", 2), variant("bio", 1)])
def test_idle_map_has_no_windows(queue_mode, listed):
    """Nor one whose table has a path twice: what the first has closed is no work for the second."""
    with path_disks(2) as disks, Multipath(disks * listed, SELECTOR, queue_mode) as mapped:
        for disk in disks:
            disk.set(delay_us=5000)     # or an emulated CPU does nothing but I/O
        settle()
        with Load(mapped) as load:
            load.warm_up(*disks)
            assert windows_run(1) > 0
        wait_until(lambda: windows_run(0.5) == 0, "windows rest")
        assert windows_run(1) == 0
        assert not any(mapped.learned(disk).inflight for disk in disks)


def test_states_are_told_when_they_change():
    """A path that becomes slow, hangs, fails and comes back; each step once, as status has it."""
    with path_disks(2) as (good, odd):
        for disk in (good, odd):
            disk.set(delay_us=5000)
        with Events("lw_state") as events, Multipath([good, odd], SELECTOR) as mapped, \
                Load(mapped) as load:
            known = number(mapped)

            def wait_for(state):
                load.wait_until(lambda: mapped.learned(odd).state == state, "state %d" % state)

            load.warm_up(good, odd)
            wait_for(ACTIVE)
            with odd.hanging():
                wait_for(PROBING)
            wait_for(ACTIVE)
            mapped.fail_path(odd)
            assert mapped.learned(odd).state == FAILED
            mapped.reinstate_path(odd)
            wait_for(ACTIVE)
            before_reload = time.monotonic()
            mapped.reload()
            load.warm_up(good, odd)
    changes = events.of("lw_state", map=known, dev=odd.number)
    assert changes[0]["was"] == "new"
    for first, then in zip(changes, changes[1:]):
        assert first["is"] == then["was"] != then["is"]
    states = [change["is"] for change in changes]
    assert [state for state in states if state in ("active", "failed")] == \
        ["active", "active", "failed", "active"]
    assert states.index("active") < states.index("probing") < states.index("failed")
    # what a new table's selector is told at its begin is no change
    assert changes[-1]["time"] <= before_reload
    assert {change["is"] for change in events.of("lw_state", dev=good.number)} == {"active"}


@one_mode
def test_each_choice_is_told(queue_mode):
    """As many as the disks have I/Os, on the path that had it, and why."""
    with path_disks(2) as (fast, slow), Multipath([fast, slow], SELECTOR, queue_mode) as mapped:
        fast.set(delay_us=5000)
        slow.set(delay_us=35000)
        settle()
        fio.run(mapped.path, runtime=1)
        settle()
        before = {disk: disk.used() for disk in (fast, slow)}
        # By Little's law alone, the window in which only the last I/O of the first run ended took a quarter off.
        least_us = 4500 if mapped.learned(fast).source == STAMPS else 3500
        with Events("lw_choose") as events:
            fio.run(mapped.path, runtime=None, iodepth=8, bs=None, number_ios=1000,
                    bssplit="4k/80:64k/20")
        for disk in (fast, slow):
            choices = events.of("lw_choose", map=number(mapped), dev=disk.number)
            choices = [choice for choice in choices if choice["bytes"]]
            assert len(choices) == disk.used() - before[disk]
            assert {choice["bytes"] for choice in choices} <= {4096, 65536}
            for choice in choices:
                if choice["reason"] == "cost":
                    assert choice["cost_us"] >= least_us
                else:
                    assert choice["cost_us"] == 0
                assert choice["inflight"] <= 8
        by_path = {disk: {choice["reason"] for choice in events.of("lw_choose", dev=disk.number)}
                   for disk in (fast, slow)}
        assert by_path == {fast: {"cost"}, slow: {"probe"}}


def test_reasons():
    """A run goes on; a full path is waited for; a stalled one gets what must go somewhere."""
    with path_disks(2) as disks:
        for disk in disks:
            disk.set(delay_us=5000)
        with Multipath(disks, SELECTOR, selector_args=["min_contiguous_kb", 64]) as mapped:
            fio.run(mapped.path, runtime=1, iodepth=4)
            with Events("lw_choose") as events:
                fio.run(mapped.path, runtime=0.5, iodepth=4)
        reasons = [event["reason"] for event in events.of("lw_choose")]
        assert reasons.count("run") > len(reasons) / 3
        assert reasons.count("cost") > len(reasons) / 20
        for disk in disks:
            disk.set(tags=2)
        with Multipath(disks, SELECTOR) as mapped:
            fio.run(mapped.path, runtime=1, iodepth=16)
            with Events("lw_choose") as events:
                fio.run(mapped.path, runtime=0.5, iodepth=16)
        assert events.of("lw_choose", reason="full")
        disks[0].set(tags=256)
        with Multipath(disks[:1], SELECTOR) as mapped, Load(mapped) as load:
            load.begin()
            with disks[0].hanging(), Events("lw_choose") as events:
                load.wait_until(lambda: mapped.learned(disks[0]).state == PROBING, "it stalls")
                with fio.Fio(mapped.path, runtime=0.2, iodepth=1) as more:
                    wait_until(lambda: mapped.learned(disks[0]).inflight > 8, "one more I/O")
                    disks[0].set(hang=0)
                    more.wait()
        assert events.of("lw_choose", reason="stalled")


@contextlib.contextmanager
def example(name, *arguments):
    """A script of docs/examples at work; afterwards it has cleaned up after itself."""
    with subprocess.Popen([os.path.join(EXAMPLES, name), *arguments], text=True,
                          stdout=subprocess.PIPE) as script:
        instances = os.path.join(tracefs.TRACEFS, "instances")
        enable = "lw-*/events/%s/*/enable" % tracefs.SYSTEM
        try:
            wait_until(lambda: "1" in [read_text(file) for file in glob.glob(os.path.join(instances, enable))],
                       name + " has begun")
            yield script
        finally:        # else Popen would wait for it, and it for another event
            script.terminate()
        assert script.wait(limit(10)) == 0
    assert os.listdir(instances) == []


def counts_choices(busiest):
    script = os.path.join(EXAMPLES, "choose.sh")
    triggers = read_text("%s/events/%s/lw_choose/trigger" % (tracefs.TRACEFS, tracefs.SYSTEM))
    if "hist" not in triggers.split():
        with pytest.raises(CommandError, match="this kernel cannot count events"):
            sh(script, "1")
        return
    head, *rows = sh(script, "1").splitlines()
    assert head.split() == ["path", "reason", "ios", "bytes"]
    path, reason, ios, size = max(map(str.split, rows), key=lambda row: int(row[2]))
    assert (path, reason) == (busiest.number, "cost")
    # Read while it goes on: an I/O may be counted, and its bytes not yet.
    assert int(ios) > 1000 and int(size) >= 4096 * (int(ios) - 8)


def test_examples_for_the_shell():
    """What docs/examples has for those who have no bpftrace."""
    with path_disks(2) as (fast, slow), Multipath([fast, slow], SELECTOR) as mapped:
        fast.set(delay_us=5000)
        slow.set(delay_us=35000)
        with Load(mapped) as load:
            load.warm_up(fast, slow, ios=1)
            with example("window.sh", "latency_us > 10000") as script:
                line = script.stdout.readline()
                assert re.match(r"\d+\.\d+ dev=%s latency_us=3\d{4} " % slow.number, line)
            assert sh("sh", "-c", "%s/window.sh | head -n 1" % EXAMPLES)
            with example("state.sh") as script:
                mapped.fail_path(slow)
                assert re.match(r"\d\d:\d\d:\d\d map %s %s: \w+ -> failed$" % (number(mapped), slow),
                                script.stdout.readline())
                mapped.reinstate_path(slow)
            counts_choices(fast)
    assert os.listdir(os.path.join(tracefs.TRACEFS, "instances")) == []


def instructions(mapped):
    """Of an I/O from fio to the path and back; in virtual time a nanosecond is one."""
    # 50000 are minutes on a kernel that checks itself, where nobody judges the figure.
    return 1e9 / fio.run(mapped.path, runtime=None, iodepth=1, ioengine="psync",
                         number_ios=2000 if UNJUDGED else 50000, io_size="200M").iops


@in_full
def test_off_costs_nothing():
    """The same as before it was ever on; and on does cost something, so this can see it."""
    with NullBlk("lwquick", completion_us=0, irqmode=0) as disk:
        with Multipath([disk], SELECTOR) as mapped:
            instructions(mapped)                # cold
            never = instructions(mapped)
            with Events("lw_window", "lw_state", "lw_choose"):
                on = instructions(mapped)
            off = instructions(mapped)
    print("%.0f ns an I/O, %.0f with all events on, %.0f off again" % (never, on, off))
    assert on > 1.01 * never
    # fio tells milliseconds: one in 600
    assert off == pytest.approx(never, rel=0.005)
