"""The host's side: a guest for each scenario, and how far all of them are."""
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import List, Sequence, Tuple

from tests.exact.bench import HISTORICAL_SERVICE_TIME as HST_DRIVER
from tests.exact.bench import KERNEL, run_guest
from tests.exact.commit import commit
from tests.vm.kernels import Kernel
from tests.vm.module_layer import layer
from tests.vm.progress import CommandFailed, say
from tests.vm.qemu import Machine

from .plan import DONE, HISTORICAL_SERVICE_TIME, VIRTUAL, GuestPlan
from .results import Record

CPUS_IN_REAL_TIME = 2
COPY_WAYS = 2  # in which offload.py copies


class Progress:
    """Lines of all guests, with how many figures there are and how long the rest will take."""

    def __init__(self, total: int):
        self.total = total
        self.done = 0
        self.start = time.monotonic()
        self.lock = threading.Lock()  # guests are watched by threads; protects `done`

    def listener(self, name: str) -> "Listener":
        return Listener(self, name)

    def tell(self, name: str, line: str) -> None:
        with self.lock:
            self.done += line.startswith(DONE)
            done = self.done
        if line.startswith(DONE):
            line = line[len(DONE):]
        say(f"[{done}/{self.total}{self.left(done)}] {name}: {line}")

    def left(self, done: int) -> str:
        if not done:
            return ""
        seconds = (time.monotonic() - self.start) / done * (self.total - done)
        return f", {seconds / 60:.0f} min left" if seconds > 90 else f", {seconds:.0f} s left"


class Listener:
    """Cuts a guest's output into lines."""

    def __init__(self, progress: Progress, name: str):
        self.progress = progress
        self.name = name
        self.rest = b""

    def feed(self, chunk: bytes) -> None:
        *lines, self.rest = (self.rest + chunk).split(b"\n")
        for line in lines:
            if line.strip():
                self.progress.tell(self.name, line.decode(errors="replace").rstrip())


def figures_in(plan: GuestPlan) -> int:
    scenario = plan.the_scenario()
    return plan.runs * (COPY_WAYS if scenario.copy_mib else len(list(scenario.cells())))


def machine_for(plan: GuestPlan) -> Machine:
    if plan.the_scenario().clock == VIRTUAL:
        return Machine(icount=True)
    return Machine(cpus=CPUS_IN_REAL_TIME)


def without_hst(plans: Sequence[GuestPlan], kernel: Kernel) -> None:
    """historical-service-time is compiled for one kernel only; elsewhere it is left out."""
    if kernel != KERNEL and any(HISTORICAL_SERVICE_TIME in plan.selectors for plan in plans):
        say(f"{HISTORICAL_SERVICE_TIME} is left out: it is compiled for {KERNEL.name} only")
        for plan in plans:
            plan.selectors = [name for name in plan.selectors if name != HISTORICAL_SERVICE_TIME]


def drivers_for(plans: Sequence[GuestPlan]) -> list:
    """What Debian does not compile, where it is wanted."""
    return [HST_DRIVER] if any(HISTORICAL_SERVICE_TIME in plan.selectors for plan in plans) else []


def run(plans: Sequence[GuestPlan], kernel: Kernel, at_a_time: int) -> Tuple[List[Record], List[str]]:
    """All records, each with the commit of the sources when it began; and what went wrong."""
    without_hst(plans, kernel)
    content = layer(kernel, drivers=drivers_for(plans))
    stamp = commit()
    progress = Progress(sum(map(figures_in, plans)))
    records, failures = [], []
    pool = ThreadPoolExecutor(max_workers=at_a_time)
    try:
        running = [pool.submit(run_guest, plan, content, kernel, machine_for(plan),
                               progress.listener(plan.subject).feed) for plan in plans]
        for run_of_one in running:
            try:
                records += [{**record, "commit": stamp} for record in run_of_one.result()]
            except (CommandFailed, OSError) as error:
                failures.append(str(error))
    finally:  # when interrupted: no further guests
        pool.shutdown(cancel_futures=True)
    return records, failures
