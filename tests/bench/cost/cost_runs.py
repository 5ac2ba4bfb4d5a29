"""The host's side: guests, and the files they bring about."""
import json
from pathlib import Path
from typing import List, Sequence

from tests.bench.records import Record
from tests.bench.run_guest import VIRTUAL, Guests
from tests.lib.commit import commit
from tests.lib.whole_file import write_whole
from tests.vm.kernels import Kernel
from tests.vm.progress import say
from tests.vm.qemu import Machine

from . import cost_results as results
from . import native
from .cost_plan import CountPlan, RatePlan


def run(kernel: Kernel, counts: Sequence[CountPlan], rates: Sequence[RatePlan],
        at_a_time: int) -> List[Record]:
    """In virtual time some guests at a time; in real time each alone."""
    guests, records = Guests(kernel), []
    for part, workers, machine in ((counts, at_a_time, lambda _: VIRTUAL), (rates, 1, lambda plan: Machine(cpus=plan.cpus))):
        for outcome in guests.run(part, workers, machine=machine):
            if isinstance(outcome, Exception):
                raise outcome
            records += outcome
    return [{**record, "kernel": kernel.name} for record in records]


def run_native(directory: Path) -> List[Record]:
    """On the host itself, when no guest runs any more."""
    stamp = commit()
    return [{**record, "commit": stamp} for record in native.run(directory)]


def keep(records: List[Record], directory: Path) -> None:
    """Figures and marks."""
    marks = [{"name": mark.name, "about": mark.about, "value": mark.value, "limit": mark.limit,
              "met": mark.met} for mark in results.marks(records)]
    write_whole(directory / "results.json", json.dumps({"records": records, "marks": marks}, indent=1) + "\n")
    say(f"figures are in {directory}/results.json")


def picture(records: List[Record], directory: Path) -> None:
    """Of the guests' figures."""
    from .cost_picture import draw  # takes a second: not for --help

    if any(record["measured"] != "native" for record in records):
        draw(records, directory / "cost.png")
