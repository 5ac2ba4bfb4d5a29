"""Which I/Os are writes, as the block layer's tracepoints tell: held against the disks' and fio's own counts.

In real time, on as many CPUs as there are: an I/O is to be told apart also where tasks and interrupts take turns.
"""
# promise output/operations-apart: Reads and writes are told apart, checked against counts of the disks and of fio;
#   discards are neither; switching `by_operation` under load does no harm | full: `guests-*`

import contextlib
import os
import time

import pytest

from tests.guest.lib.parametrized import both_modes, one_mode
from tests.guest.lib.repeat import UNJUDGED
from tests.lib import debugfs
from tests.lib.command import limit, read_text, settle, sh, unload_module, wait_until
from tests.lib.disks import path_disks
from tests.lib.fio import Fio
from tests.lib.multipath import Multipath
from tests.lib.scenario import SELECTOR, SELECTOR_MODULE
from tests.lib.sysfs import MapFiles
from tools.dm_lw import fio_output

pytestmark = [pytest.mark.facts, pytest.mark.observe]

IGNORED = ["ignored_failed", "ignored_stale", "ignored_unissued"]
COUNTS = ["done", "writes", "unknown_ops"] + IGNORED
MIX = {"rw": "randrw", "rwmixread": 70, "fsync": 16}
JOBS = {"reads": {"rw": "randread"}, "writes": {"rw": "randwrite"}, "mix": MIX}
BESIDE = {"numjobs": 4, "unified_rw_reporting": 0}      # several jobs, and reads and writes apart
IOS = 500                       # of each job
DEPTH = 4
DISCARDS = 40


@contextlib.contextmanager
def counted_map(paths, queue_mode, *arguments, **more):
    for path in paths:
        path.set(delay_us=2000)         # an emulated CPU takes its time for each I/O
    with Multipath(paths, SELECTOR, queue_mode, selector_args=["by_operation", 1, *arguments], **more) as mapped:
        mapped.keep_ios_apart()
        files = MapFiles(mapped)
        wait_for_listening(mapped, files)
        yield mapped, files
    # Switches it off while nothing is done, instead of ten seconds later in somebody's load: what the emulator
    # makes of changed code is not always right (tests/vm/death.py).
    unload_module(SELECTOR_MODULE)


def wait_for_listening(mapped, files):
    """A work switches it on, which takes a while where several CPUs have to stop for it: until a write is counted."""
    def written():
        return sum(files.path(path).number("writes") for path in mapped.paths)

    def listens():
        before = written()
        sh("dd", "if=/dev/zero", "of=" + mapped.path, "bs=4k", "count=1", "oflag=direct", "conv=notrunc")
        return written() > before or any(files.path(path)["latency_source"] == "little" for path in mapped.paths)

    time.sleep(0.5)                     # enough where no write is, as none has a time stamp
    wait_until(listens, "a write is counted")


def at_rest(files, paths):
    settle()
    wait_until(lambda: all(files.path(path).number("inflight") == 0 for path in paths), "all I/O is done")


def counts(files, paths):
    return {path: {**{name: files.path(path).number(name) for name in COUNTS}, "disk": path.get("writes")}
            for path in paths}


def grown(after, before):
    return {path: {name: after[path][name] - before[path][name] for name in after[path]} for path in after}


def grown_by_writes(files, paths, writes=30):
    """What has grown when each disk has had so many more writes."""
    before = counts(files, paths)
    wait_until(lambda: all(path.get("writes") - before[path]["disk"] >= writes for path in paths),
               "each disk has %d more writes" % writes, timeout=30)
    return grown(counts(files, paths), before)


def fio_ios(mapped, **options):
    """Reads and writes that fio did."""
    with Fio(mapped.path, iodepth=8, number_ios=IOS, **BESIDE, **options) as job:
        (done,) = fio_output.jobs(job.output())
    return done["read"]["total_ios"], done["write"]["total_ios"]


def has_stamps(files, paths):
    return any(files.path(path)["latency_source"] == "stamps" for path in paths)


def preempts_itself():
    words = os.uname().version.split()
    if "PREEMPT_DYNAMIC" in words:      # chosen at boot
        debugfs.mount()
        chosen = debugfs.DEBUGFS + "/sched/preempt"     # not without CONFIG_SCHED_DEBUG: then nobody knows
        return not os.path.exists(chosen) or bool({"(full)", "(lazy)"} & set(read_text(chosen).split()))
    return bool({"PREEMPT", "PREEMPT_RT"} & set(words))


def most_unknown():
    """A kernel that preempts itself switches tasks also between the tracepoint and select. On PREEMPT_RT
    with one CPU 2 and 8 % were seen, and 25 % where the kernel checks itself, which takes long in between."""
    if UNJUDGED:
        return 0.5
    return 0.2 if preempts_itself() else 0.01


def most_unknown_ends():
    """1.2 % were seen on debug-rt, where tasks are switched also between end_io and the tracepoint."""
    return 0.05 if UNJUDGED else 0.01


@both_modes
def test_writes_are_counted(queue_mode):
    # Long windows, as no path of a busy host may take so long that it stalls: what it holds then is not counted.
    with path_disks(2) as paths, counted_map(paths, queue_mode, "window_ms", 200) as (mapped, files):
        for name, options in JOBS.items():
            at_rest(files, paths)
            before, selects = counts(files, paths), files.number("unknown_selects")
            reads, writes = fio_ios(mapped, **options)
            at_rest(files, paths)
            found = grown(counts(files, paths), before)
            assert bool(reads) == (name != "writes") and bool(writes) == (name != "reads")
            assert sum(each["disk"] for each in found.values()) == writes
            assert files.number("unknown_selects") - selects <= (reads + writes) * most_unknown(), name
            for path, each in found.items():
                assert each["unknown_ops"] <= each["done"] * most_unknown_ends(), (name, path, each)
                most = each["disk"] if has_stamps(files, paths) else 0
                missing = each["unknown_ops"] + sum(each[ignored] for ignored in IGNORED)
                assert missing <= each["done"] / 20 and most - missing <= each["writes"] <= most, (name, path, each)


@both_modes
def test_discards_are_no_writes(queue_mode):
    """The block layer takes them for writes, but they move no data."""
    def others():
        return sum(files.path(path).number("other/done") for path in paths)

    with path_disks(2) as paths, counted_map(paths, queue_mode, "window_ms", 200) as (mapped, files):
        at_rest(files, paths)
        before, other = counts(files, paths), others()
        for at in range(DISCARDS):
            sh("blkdiscard", "--offset", at << 16, "--length", 1 << 16, mapped.path)
        at_rest(files, paths)
        found = grown(counts(files, paths), before)
        assert [each["writes"] for each in found.values()] == [0, 0]
        if has_stamps(files, paths):
            missing = sum(each["unknown_ops"] + sum(each[ignored] for ignored in IGNORED) for each in found.values())
            assert missing <= DISCARDS / 4
            wait_until(lambda: others() - other >= DISCARDS - missing, "discards are counted as others")


@one_mode
def test_nothing_is_counted_unless_asked(queue_mode):
    with path_disks(2) as paths, Multipath(paths, SELECTOR, queue_mode) as mapped:
        files = MapFiles(mapped)
        _, writes = fio_ios(mapped, **MIX)
        at_rest(files, paths)
        assert writes
        assert not any(each["writes"] or each["unknown_ops"] for each in counts(files, paths).values())


@pytest.mark.time_limit(300)
@both_modes
def test_switching_under_load(queue_mode):
    """On and off, with new tables and a path that fails and returns; then the module can go."""
    with path_disks(2) as paths:
        with counted_map(paths, queue_mode, features=["queue_if_no_path"]) as (mapped, files), \
                Fio(mapped.path, limit(300), 16, **BESIDE, **MIX) as job:
            for turn in range(50):
                files["by_operation"] = turn % 2
                if turn % 5 == 2:
                    mapped.reload(noflush=turn % 2)
                if turn % 10 == 4:
                    paths[0].set(error=1)
                    wait_until(lambda: not mapped.usable(paths[0]), "an error fails the path")
                    paths[0].set(error=0)
                    mapped.reinstate_path(paths[0])
                time.sleep(0.02 * (turn % 4))
            assert job.runs()
            job.end()
            at_rest(files, paths)
            files["by_operation"] = 1
            wait_for_listening(mapped, files)
            at_rest(files, paths)
            before = counts(files, paths)
            fio_ios(mapped, **MIX)
            at_rest(files, paths)
            found = grown(counts(files, paths), before)
            assert all(each["unknown_ops"] <= each["done"] * most_unknown_ends() for each in found.values()), found
    assert not os.path.exists("/sys/module/dm_latency_weighted")


@pytest.mark.virtual_time
@both_modes
def test_listening_ends_and_begins_under_load(queue_mode):
    """Ten seconds after nobody asks any more the tracepoints are given back. On one CPU, where the emulator makes no
    mistake about changed code."""
    with path_disks(2) as paths, counted_map(paths, queue_mode) as (mapped, files):
        for path in paths:
            path.set(delay_us=20000)
        with Fio(mapped.path, limit(60), DEPTH, unified_rw_reporting=0, **MIX) as job:
            for _ in range(2):
                files["by_operation"] = 0
                time.sleep(11)
                for each in grown_by_writes(files, paths).values():
                    assert not each["writes"] and not each["unknown_ops"], each
                files["by_operation"] = 1
                wait_for_listening(mapped, files)
                stamped = has_stamps(files, paths)
                for each in grown_by_writes(files, paths).values():
                    # what was in flight when it was switched on may end later on a slow kernel
                    assert bool(each["writes"]) == stamped, each
                    assert each["unknown_ops"] <= max(DEPTH, each["done"] / 100), each
            assert job.runs()
            job.end()
            at_rest(files, paths)
