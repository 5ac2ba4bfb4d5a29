"""The demo's command line: `sudo python3 -m tests.bench.demo`, from the checkout; see README.md."""
import json
import os
import time
from pathlib import Path
from typing import Callable, List

from tests.bench.records import Record
from tests.bench.run_guest import KERNEL, Guests
from tests.lib.whole_file import write_whole
from tests.vm import command_line, guest
from tests.vm.image import tree
from tests.vm.places import CHECKOUT
from tests.vm.progress import CommandFailed, say
from tests.vm.qemu import Machine, accel

from .demo_plan import CONFIGURATIONS, WARM, WORKLOADS, Plan
from .demo_results import evaluate
from .demo_table import report

OUT = CHECKOUT / "build" / "demo"
# Shorter page walks for an emulated CPU; and no check of its clock, which a busy host
# can make fail.
APPEND = ["no5lvl", "tsc=reliable"]


def parse(arguments):
    plan = Plan()
    count, positive = command_line.number(int, 1, 1024), command_line.number(float, 0.001, 1000000)
    parser = command_line.parser(
        "tests.bench.demo", "Boots a guest with a SAN of two paths, one of them slow, and shows how the selectors do.")
    parser.add_argument("--selectors", nargs="+", choices=CONFIGURATIONS, metavar="NAME",
                        default=plan.configurations, help="of: " + ", ".join(CONFIGURATIONS))
    parser.add_argument("--workloads", nargs="+", choices=WORKLOADS, metavar="NAME",
                        default=plan.workloads, help="of: " + ", ".join(WORKLOADS))
    parser.add_argument("--depth", type=count, default=plan.depth, help="I/Os in flight (%(default)s)")
    parser.add_argument("--reps", type=count, default=plan.repetitions, help="runs of each (%(default)s)")
    parser.add_argument("--seconds", type=positive, default=plan.seconds, help="of each run (%(default)s)")
    parser.add_argument("--delay-ms", type=positive, default=plan.delay_ms, help="the slow path's (%(default)s)")
    parser.add_argument("--rate-mbit", type=positive, default=plan.rate_mbit, help="of both paths (%(default)s)")
    parser.add_argument("--disk-ms", type=positive, default=plan.disk_ms, help="of the array (%(default)s)")
    parser.add_argument("--module-args", default="", metavar="'NAME=VALUE ...'", help="for modprobe")
    parser.add_argument("--real-time", action="store_true",
                        help="two CPUs and the real clock, as always with KVM")
    parser.add_argument("--out", type=Path, default=OUT, metavar="DIR",
                        help="for table.txt, results.json and picture.png (build/demo)")
    parser.add_argument("--strict", action="store_true", help="exit with status 3 if a mark is missed")
    return parser.parse_args(arguments)


def plan_of(options) -> Plan:
    return Plan(configurations=list(dict.fromkeys(options.selectors)),
                workloads=list(dict.fromkeys(options.workloads)), depth=options.depth,
                repetitions=options.reps, seconds=options.seconds, delay_ms=options.delay_ms,
                rate_mbit=options.rate_mbit, disk_ms=options.disk_ms, arguments=options.module_args)


def machine_for(real_time: bool) -> Machine:
    """An emulated CPU's own time says little: count its instructions instead."""
    virtual = not real_time and accel(tree(KERNEL.suite), KERNEL) == "tcg"
    say("clock: " + ("virtual (a nanosecond is an instruction), so the figures do not depend on the host's speed"
                     if virtual else "real, so other load on this machine shows in the figures"))
    return Machine(icount=virtual, append=APPEND)


def runs_of(plan: Plan, real_time: bool) -> List[Record]:
    """Boot, run the plan, and return what the guest recorded."""
    if os.geteuid() != 0:
        raise CommandFailed("the demo needs root, for the guest's tree and its chroot")
    machine, guests = machine_for(real_time), Guests()
    say(f"booting {KERNEL.name}'s kernel, {KERNEL.series}")
    (outcome,) = guests.run([plan], 1, machine=lambda _: machine, on_output=lambda _: guest.to_stdout,
                            seconds_per_run=lambda _: 180 + 30 * (WARM + plan.seconds) * len(plan.workloads))
    if isinstance(outcome, Exception):
        raise outcome
    return outcome


def write_reports(plan: Plan, result: dict, text: str, draw: Callable, out: Path) -> None:
    (out / "table.txt").write_text(text)
    write_whole(out / "results.json", json.dumps(result, indent=1) + "\n")
    draw(plan, result, out / "picture.png")


def demo(options) -> int:
    from .demo_picture import draw  # takes a second: not for --help; may fail: not after the runs

    start = time.monotonic()
    options.out.mkdir(parents=True, exist_ok=True)  # an error with it ends this now, not after the runs
    plan = plan_of(options)
    result = evaluate(plan, runs_of(plan, options.real_time))
    text = report(plan, result)
    print("\n" + text, flush=True)
    write_reports(plan, result, text, draw, options.out)
    say(f"done in {time.monotonic() - start:.0f} s; table.txt, results.json and picture.png are in {options.out}")
    return 3 if options.strict and not all(mark["met"] for mark in result["marks"]) else 0


if __name__ == "__main__":
    command_line.run(parse, demo, expected=(ImportError,))
