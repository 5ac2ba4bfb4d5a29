"""What an I/O takes on this machine itself: the module's code beside the kernel's own selectors, in a program."""
import os
from pathlib import Path
from typing import List

from tests.bench.records import Record
from tests.bench.selectors import DEBIANS, HISTORICAL_SERVICE_TIME, OURS
from tests.kernel_shim.native import native_program as program
from tests.vm.kernel_source import path_selectors
from tests.vm.places import CHECKOUT
from tests.vm.progress import say

HERE = Path(__file__).resolve().parent / "native"
BUILD = CHECKOUT / "build" / "cost" / "native"

NATIVE_SELECTORS = [*DEBIANS, HISTORICAL_SERVICE_TIME, OURS]
NATIVE_PATHS = [2, 4, 8, 16, 32, 64]
NOTHING = "nothing"         # a selector that does nothing: what the program itself takes
MOST_THREADS = 64
ROUNDS, MICROSECONDS = 61, 2000



def thread_counts() -> List[int]:
    """One, two, and one for each CPU: as far as there are so many."""
    cpus = min(len(os.sched_getaffinity(0)), MOST_THREADS)
    return sorted({count for count in (1, 2, cpus) if count <= cpus})


def build(directory: Path = BUILD) -> Path:
    return program.build(HERE, directory, "bench", PEERS=path_selectors())


def measure(bench: Path, threads: int, paths: int, rounds: int = ROUNDS,
            microseconds: int = MICROSECONDS) -> List[Record]:
    """A record for each selector: ns of an I/O on each CPU, median and quarters of the rounds."""
    found = program.run(bench, threads, paths, rounds, microseconds)
    own = found[NOTHING][1]
    return [{"measured": "native", "threads": threads, "paths": paths, "selector": name,
             "disturbed": found["disturbed"], "program_ns": own / 1000,
             **{key: (value - own) / 1000 for key, value in zip(("low", "ns", "high"), found[name])}}
            for name in NATIVE_SELECTORS]


def run(directory: Path) -> List[Record]:
    bench, records = build(directory), []
    for threads in thread_counts():
        for paths in NATIVE_PATHS:
            records += measure(bench, threads, paths)
            say(f"native, {threads} threads, {paths} paths: " + ", ".join(
                f"{record['selector']} {record['ns']:.0f} ns" for record in records[-len(NATIVE_SELECTORS):]))
    return records
