"""What the kernel said during a test, and whether a test may pass after it."""

import os
import re

from .checkers import OURS

# Any of these fails a test, whoever caused it; no test can allow them.
WARNINGS = re.compile("|".join([
    r"\bWARNING:", r"\bBUG\b", r"\bOops\b", r"Call Trace:", r"cut here",
    r"general protection fault", r"unable to handle", r"Kernel panic",
    r"INFO: task .* blocked for more than",
    r"soft lockup", r"hard LOCKUP", r"workqueue lockup",
    r"rcu.*stall", r"INFO: rcu", r"suspicious RCU usage",
    r"possible (circular|recursive) locking", r"inconsistent lock state",
    r"possible irq lock inversion", r"bad unlock balance", r"held lock freed",
    r"INFO: trying to register non-static key", r"INFO: lockdep is turned off",
    r"scheduling while atomic", r"sleeping function called",
    r"refcount_t:", r"list_(add|del) (corruption|double add)", r"ODEBUG:",
    r"KASAN|KCSAN|KFENCE|UBSAN", r"unreferenced object",
    # An old directory and a new one of that name; the block layer's own are late, too, on older kernels.
    r"debugfs: (?!.* parent 'block').* already present!", r"kobject_add_internal failed for .* with -EEXIST",
]))

# Known faults of the kernel in which we have no part, by the line that names them.
FOREIGN = re.compile("|".join([
    # 7.2, when an iSCSI session ends while its target's power management is busy
    r"workqueue: WQ_MEM_RECLAIM iscsi_ctrl_\S+:__iscsi_unbind_session .*is flushing "
    r"!WQ_MEM_RECLAIM pm:pm_runtime_work",
    # 5.10, when a second host connects while the target still takes the first one's connection apart
    r"workqueue: WQ_MEM_RECLAIM nvmet_tcp_wq:nvmet_tcp_io_work .*is flushing !WQ_MEM_RECLAIM events:",
    # 6.12, when a CPU goes on whose queue one task too many is counted, it seems the scheduler's own
    # deadline server: "2 total", says the list that follows, and names one. Our only thread, the
    # workqueue's rescuer, is bound to no CPU.
    r"^Dying CPU not properly vacated!",
    # a bio that dm-mpath marked REQ_FAILFAST_TRANSPORT, with any selector, is put before read-ahead, which
    # is a request with all of REQ_FAILFAST_MASK; 3ce6a115980c (6.3) takes bios of read-ahead for that, too
    r"WARNING: .*\bblk_rq_set_mixed_merge\b",
    # 6.12 with lockdep: LIO walks its lists under mutexes of its own, and does not say so
    r"^drivers/target/\S+ RCU-list traversed in non-reader section!!",
    # when memory is made short for a map's first table, which needs a cache for its bios
    r"^__kmem_cache_create\w*\(bio-\d+\) failed with error",
    # 6.12: dm's queue, whose drivers must not sleep, gives a request to one of NVMe over TCP, whose may:
    # the block layer warns of that, and RCU where it does sleep
    r"sleeping function called from invalid context at block/blk-mq\.c:", r"\bnvme_tcp_queue_rq\+0x",
    # a file that is closed waits for the host, while the guest's own clock goes on
    r"\bv9fs_evict_inode\+0x",
]))
# How a trace begins and ends.
TRACES = {"[ cut here ]": "[ end trace", "WARNING: suspicious RCU usage": "</TASK>",
          "__kmem_cache_create": "</TASK>", "sleeping function called": "</TASK>",
          "blocked for more than": "</TASK>"}

# The kernel's other parts have data races, too; what is reported of them is not about us.
BEGIN_OF_RACE, END_OF_RACE = "BUG: KCSAN: ", re.compile("^=+$")
# The head of one of its two accesses; the calls follow, the innermost first, down to where an interrupt came.
ACCESS = re.compile(r" by (task \d+|interrupt) on cpu \d+:$")
INTERRUPT = " asm_"
MODULE = "[dm_latency_weighted]"
NEAR = 3            # calls: what is done for ours by memcpy, a list, a tree, and not by all that ours made happen
# The time that a task's plug has cached: the block layer reads it where an interrupt of that task ends a
# request, which it may do by a disk of ours. And what a work has in its word of state: mod_delayed_work() may be
# called for one work on two CPUs, here for the queue of a disk of ours that was busy, and 6.12 does not mark its read.
FOREIGN_RACE = re.compile(r"data-race in ((__submit_bio|blk_finish_plug) / blk_mq_end_request|"
                          r"clear_pending_if_disabled / try_to_grab_pending)$")

# The line by which a report begins.
HEAD = re.compile(r"\b(BUG|WARNING|INFO):|KASAN|KFENCE|UBSAN|^__kmem_cache_create")

ERROR_LEVEL, WARNING_LEVEL = 3, 4       # which DMERR and DMWARN use
OUR_PREFIX = "device-mapper: multipath latency-weighted:"
# A path that is slow is what many tests make; test_reports.py has those where none is.
REPORT = re.compile(r": path (\S+) (became slow|recovered) [\d.]+ s ago: was (\d+) us, is (\d+) us$")

# Lines that tell, on the console too, which test begins, and that it hangs.
BEGINS, HANGS = "lw: begins ", "lw: hangs: "

# Between these, show_blocked_tasks() printed call traces on purpose.
SHOWN, SHOWN_END = "sysrq: Show Blocked State", "lw: end of blocked tasks"


def show_blocked_tasks():
    """Have the kernel print the stacks of tasks that wait uninterruptibly."""
    with open("/proc/sysrq-trigger", "w") as trigger:
        trigger.write("w")
    write_line(SHOWN_END)


def write_line(text):
    """Into the kernel's log, as information."""
    with open("/dev/kmsg", "w") as kmsg:
        kmsg.write("<6>%s\n" % text)


class KernelLog:
    """Reads /dev/kmsg from where it was left: no line escapes between tests."""

    def __init__(self):
        self.kmsg = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)
        os.lseek(self.kmsg, 0, os.SEEK_END)

    def read(self):
        """(level, seconds since the boot, text) of each record since the last call."""
        while True:
            try:
                record = os.read(self.kmsg, 8192).decode(errors="replace")
            except BlockingIOError:
                return
            except BrokenPipeError:
                yield 4, 0, "WARNING: kernel log overran, records are lost"
                continue
            header, _, text = record.partition(";")
            level, _, microseconds = header.split(",")[:3]
            yield int(level) & 7, int(microseconds) / 1e6, text.split("\n")[0]

    def new_records(self):
        """(level, text) of each record since the last call."""
        return ((level, text) for level, _, text in self.read())

    def close(self):
        os.close(self.kmsg)


def log_name(test):
    """Of the file, in /lw/out, with the kernel's log of a test that failed."""
    return "kernel-%s.log" % re.sub(r"[^\w.-]+", "-", test.split("/")[-1]).strip("-")[:200]


class LogOfTest:
    """What the kernel says during a test, kept in a file if the test fails."""

    def begin(self, test):
        self.test = test
        self.failed = False
        self.log = KernelLog()
        write_line(BEGINS + test)

    def end(self, directory):
        if self.failed:
            with open(os.path.join(directory, log_name(self.test)), "w") as file:
                file.writelines("[%12.6f] %s\n" % (seconds, text) for _, seconds, text in self.log.read())
        self.log.close()


def of_others(block):
    """What another CPU began to tell while this was printed."""
    return [record for record in block if HEAD.search(record[1])][1:]


def is_foreign(trace):
    """A known fault, and the module is not among the calls."""
    return (any(FOREIGN.search(text) for _, text in trace)
            and not any(MODULE in text for _, text in trace))


def without_foreign(records):
    """The records without the traces of faults that are not ours."""
    trace, end = [], None
    for record in records:
        if not trace:
            end = next((TRACES[begin] for begin in TRACES if begin in record[1]), None)
        if not end:
            yield record
            continue
        trace.append(record)
        if end in record[1]:
            yield from of_others(trace) if is_foreign(trace) else trace
            trace = []
    yield from trace


def stacks(race):
    """The calls of each access of a race."""
    found = []
    for _, text in race:
        if ACCESS.search(text):
            found.append([])
            inside = True
        elif found and inside:
            inside = bool(text.strip()) and not text.startswith(INTERRUPT)
            found[-1].append(text)
    return found


def is_ours(race):
    """The module is among the calls; or what tests bring along is, near to one access or in both."""
    found = stacks(race)
    module = any(MODULE in call for calls in found for call in calls)
    near = any(OURS.search(call) for calls in found for call in calls[:NEAR])
    both = len(found) > 1 and all(any(map(OURS.search, calls)) for calls in found)
    return module or ((near or both) and not FOREIGN_RACE.search(race[0][1]))


def without_foreign_races(records):
    """The records without what KCSAN reports of code that is not ours, nor done for ours."""
    race = []
    for record in records:
        if not race and BEGIN_OF_RACE not in record[1]:
            yield record
            continue
        race.append(record)
        if END_OF_RACE.search(record[1]):
            yield from race if is_ours(race) else of_others(race)
            race = []
    yield from race


def tells_of_error(level, text):
    """The module warns where something is missing afterwards; dm where a path fails."""
    return text.startswith("device-mapper:") and not REPORT.search(text) and (
        level <= ERROR_LEVEL or level == WARNING_LEVEL and text.startswith(OUR_PREFIX))


def judged(records):
    """The records without known faults of others, and without what was shown on purpose."""
    shown = False
    for level, text in without_foreign_races(without_foreign(records)):
        shown = text != SHOWN_END and (shown or text == SHOWN)
        if not shown and not text.startswith(BEGINS):
            yield level, text


def complaints(records, expected_errors):
    """The lines for which a test fails.

    Warnings always count; device-mapper errors, and what the module warns of,
    unless one of the regular expressions `expected_errors` finds them.
    """
    found = []
    for level, text in judged(records):
        expected = any(re.search(regex, text) for regex in expected_errors)
        if WARNINGS.search(text) or (tells_of_error(level, text) and not expected):
            found.append(text)
    return found
