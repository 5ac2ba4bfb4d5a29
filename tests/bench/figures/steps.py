"""What `make figures` does, step by step, as data: existing programs with existing options."""
import re
import sys
from dataclasses import dataclass
from typing import Callable, List

from tests.bench.acceptance.acceptance_scenario import load_all, load_long
from tests.bench.exact.cases import CASES
from tests.bench.exact.exact_scenarios import SCENARIOS as TRACES
from tests.sim import lists
from tests.sim.scenarios import BATCHES, LONG_PAUSES, PAUSES
from tests.vm.places import CHECKOUT

from .readers import read_acceptance as acceptance
from .readers import read_cost as cost
from .readers import read_demo as demo
from .readers import read_exact as exact
from .readers import read_memory as memory
from .readers import read_scale as scale
from .readers import read_sim as sim

GUEST_KERNELS = ["bullseye", "trixie", "sid"]   # whose memory is measured
ONCE, THREE_TIMES = 1, 3


@dataclass(frozen=True)
class Step:
    """{out} in the command is the step's own directory, {NAME} that of another step, which comes before."""
    name: str
    command: List[str]
    read: Callable                  # directory -> results for docs/figures.json
    alone: bool = True              # else two such steps run at a time

    def argv(self, directory_of):
        places = {"out": str(directory_of(self.name)), "sim": str(directory_of("sim"))}
        return [word.format(**places) for word in self.command]


def slug(text):
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def program(module, *options):
    return [sys.executable, "-m", module, *options]


def exact_steps():
    return [Step("exact-" + slug(name),
                 program("tests.bench.exact", "--case", name, "--guests", "1", "--json", "{out}/results.json"),
                 exact.cases, alone=False) for name in CASES] + [
        Step("exact-trace-" + name,
             program("tests.bench.exact", "--trace", name, "--guests", "1", "--json", "{out}/results.json"),
             exact.trace, alone=False) for name in TRACES]


def acceptance_step(scenario):
    """Exact figures come out the same each time; the quick ones are three runs all the same."""
    repeat = ONCE if scenario.exact and not scenario.quick else THREE_TIMES
    return Step("acceptance-" + scenario.name,
                program("tests.bench.acceptance", "--scenario", scenario.name, "--repeat", str(repeat), "--guests", "1",
                        "--out", "{out}"), acceptance.read, alone=scenario.clock == "real")


def long_step(scenario):
    """As often as the scenario says: the worst run counts."""
    return Step(scenario.name, program("tests.bench.acceptance", "--scenario", scenario.name, "--guests", "1",
                                       "--out", "{out}"), acceptance.read_long, alone=False)


def sim_step(name, scenarios):
    chosen = [word for each in scenarios for word in ("--scenario", each)]
    return Step(name, program("tests.sim", *chosen, "--out", "{out}"), sim.read)


def operation_step(name, value):
    """Reads, writes and flushes that differ, with and without by_operation."""
    return Step(name, program("tests.sim", "--list", "operation", "--random", "0", "--option",
                              f"by_operation={value}", "--out", "{out}"), sim.read)


def extra_step(name):
    """A list that runs only if it is asked for; where that is one seed, with those of the main lists."""
    seeds = lists.SEEDS if lists.EXTRA_SEEDS.get(name) == [lists.TUNED] else []
    chosen = ["--seeds", ",".join(map(str, seeds))] if seeds else []
    return Step("sim-" + name, program("tests.sim", "--list", name, *chosen, "--out", "{out}"), sim.extra(name))


def memory_step(kernel):
    """Of the most maps and paths, in a fresh guest: what tests before it leave makes round-robin's look smaller."""
    return Step("memory-" + kernel, program(
        "pytest", "-p", "no:cacheprovider", str(CHECKOUT / "tests/vm/test_guests.py"), "--suite", kernel, "--long",
        "-k", "test_memory and (1000 or 256)"), memory.of_maps)


def all_steps():
    scenarios = load_all().values()
    return [
        sim_step("sim", []), sim_step("sim-pauses", PAUSES), sim_step("sim-long-pauses", LONG_PAUSES),
        sim_step("sim-batches", BATCHES),
        *(operation_step(name, value) for value, name in enumerate(["sim-by-operation-0", "sim-by-operation-1"])),
        *map(extra_step, lists.EXTRA),
        Step("sim-variants", program("tests.sim.variants", "--out", "{sim}", "--json", "{out}/variants.json"),
             sim.variants),
        Step("sizes", program("tests.bench.figures.struct_sizes", "{out}/sizes.json"), memory.sizes),
        Step("demo", program("tests.bench.demo", "--out", "{out}"), demo.read),
        *exact_steps(),
        *(acceptance_step(each) for each in scenarios if each.clock == "virtual"),
        *map(long_step, load_long().values()),
        *map(memory_step, GUEST_KERNELS),
        *(acceptance_step(each) for each in scenarios if each.clock == "real"),
        Step("cost-instructions", program("tests.bench.cost", "--only", "instructions", "--out", "{out}"),
             cost.instructions),
        Step("cost-iops", program("tests.bench.cost", "--only", "iops", "--out", "{out}"), cost.rates),
        Step("cost-native", program("tests.bench.cost", "--only", "native", "--out", "{out}"), cost.native),
        Step("scale", program("tests.bench.scale", "--out", "{out}"), scale.read),
    ]


STEPS = {step.name: step for step in all_steps()}
