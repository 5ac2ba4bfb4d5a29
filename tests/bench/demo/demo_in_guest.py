"""The demo's part in the guest: `python3 -m tests.bench.demo.demo_in_guest`.

Reads /lw/out/plan.json, writes a line to /lw/out/results.jsonl for each run. Errors are
one line on the standard output and status 1.
"""
import os
import sys
import time

from tests.bench.demo import san
from tests.bench.demo.demo_plan import ONE, Plan
from tests.bench.demo.workload import measure
from tests.bench.in_guest import OUT, record
from tests.bench.selectors import ALONE, OURS
from tests.lib import multipathd
from tests.lib.command import CommandError, sh, wait_until
from tests.lib.fio import Fio

TOOL = os.path.abspath("tools/dm-lw")
SHOWN = 30                      # seconds of load at most while dm-lw looks
START = time.monotonic()


def say(text):
    print("%4.0f s  %s" % (time.monotonic() - START, text), flush=True)


def switch(daemon, name, selector):
    """Have multipathd give the map this selector, and see that the kernel has it."""
    daemon.configure(selector + " 0")
    daemon.reconfigure()
    wait_until(lambda: " %s 0 " % selector in sh("dmsetup", "table", name),
               "the map has " + selector, timeout=30)


def device_of(daemon, name, configuration, disks):
    """Where fio is to run for a configuration, made ready."""
    if configuration == ALONE:
        return disks[0].path
    switch(daemon, name, configuration)
    return "/dev/mapper/" + name


def measure_and_record(plan, repetition, configuration, device, disks, depth):
    results = measure(device, disks, plan.workloads, depth, plan.seconds)
    for workload, figures in results.items():
        record(repetition=repetition, configuration=configuration, workload=workload, **figures)
        say("%-16s  %-9s  %5.0f IOPS, p99 %5.1f ms, %4.1f %% on the slow path, CPU %3.0f %%"
            % (configuration, workload, figures["iops"], figures["p99_ms"],
               100 * figures["slow_share"], 100 * figures["cpu_busy"]))


def run_all(plan, daemon, name, disks):
    say("one I/O at a time on the fast path, to know its latency")
    measure_and_record(plan, 0, ONE, disks[0].path, disks, 1)
    runs = list(plan.in_turn())
    for number, (repetition, configuration) in enumerate(runs, 1):
        say("run %d of %d: %s" % (number, len(runs), configuration))
        device = device_of(daemon, name, configuration, disks)
        measure_and_record(plan, repetition, configuration, device, disks, plan.depth)


def show(plan, daemon, name):
    """What an administrator sees of it, while it is in use."""
    device = device_of(daemon, name, OURS, [])
    with Fio(device, SHOWN, plan.depth):
        time.sleep(1)
        say("dm-lw stat 1 3\n" + sh(TOOL, "stat", "1", "3"))


def set_up(plan):
    """The SAN, and a map on it: multipathd, the map's name, the disks."""
    sh("modprobe", "dm-latency-weighted", *plan.arguments.split())
    module = sh("modinfo", "-F", "filename", "dm-latency-weighted").strip()
    say("Linux %s, %s" % (sh("uname", "-r").strip(), module))
    disks = san.san(plan, say)
    daemon = multipathd.Multipathd(OUT + "multipathd.log")
    daemon.configure()
    daemon.start()
    name = daemon.wait_for_map(disks)
    say("multipathd made the map " + name)
    print(daemon.ask("show", "topology"), flush=True)
    return daemon, name, disks


def demo(plan):
    daemon, name, disks = set_up(plan)
    run_all(plan, daemon, name, disks)
    if OURS in plan.configurations:
        show(plan, daemon, name)
    record(status=sh("dmsetup", "status", name), table=sh("dmsetup", "table", name))


def main():
    with open(OUT + "plan.json") as file:
        plan = Plan.from_json(file.read())
    try:
        demo(plan)
    except (CommandError, OSError, RuntimeError, TimeoutError, LookupError) as error:
        say("error: " + " ".join(str(error).split()))
        return 1
    return 0


if __name__ == "__main__":
    result = main()
    sys.stdout.flush()
    # The guest is thrown away: logging out of the SAN would only take time.
    os._exit(result)
