"""The host's side: a guest for each scenario, and how far all of them are."""
import threading
import time
from pathlib import Path
from typing import Callable, List, Optional, Sequence, Tuple

from tests.bench.records import Record
from tests.bench.run_guest import HISTORICAL_SERVICE_TIME as HST_DRIVER
from tests.bench.run_guest import KERNEL, SECONDS_PER_RUN, Guests, gathered
from tests.bench.selectors import COMPILED, HISTORICAL_SERVICE_TIME, IO_AFFINITY
from tests.vm import directory_kernel, extra_packages
from tests.vm.kernel_source import Driver
from tests.vm.kernels import Kernel
from tests.vm.progress import say
from tests.vm.qemu import Machine
from tests.vm.testrun import LinePrefix

from .acceptance_plan import CPUS_IN_REAL_TIME, DONE, VIRTUAL, GuestPlan

# What Debian does not compile; most other distributions do.
DRIVERS = {HISTORICAL_SERVICE_TIME: HST_DRIVER,
           IO_AFFINITY: Driver("dm-io-affinity", "drivers/md/dm-ps-io-affinity.c")}
HOST_SECONDS_PER_SECOND = 20    # far more than a second takes of the emulated CPU's time


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


class Listener(LinePrefix):
    """One guest's lines."""

    def __init__(self, progress: Progress, name: str):
        super().__init__(name)
        self.progress = progress

    def show(self, line: str) -> None:
        self.progress.tell(self.name, line)


def figures_in(plan: GuestPlan) -> int:
    return plan.runs * plan.the_scenario().figures()


def is_virtual(plan: GuestPlan) -> bool:
    return plan.the_scenario().clock == VIRTUAL


def machine_for(plan: GuestPlan) -> Machine:
    return Machine(icount=True) if is_virtual(plan) else Machine(cpus=CPUS_IN_REAL_TIME)


def patience(plan: GuestPlan) -> float:
    """Seconds of the host for a run: enough for each scenario here, and in proportion for longer ones of others."""
    return max(SECONDS_PER_RUN, HOST_SECONDS_PER_SECOND * plan.the_scenario().seconds())


def compiled_for(plans: Sequence[GuestPlan]) -> List[str]:
    return [name for name in COMPILED if any(name in plan.selectors for plan in plans)]


def leave_out_compiled(plans: Sequence[GuestPlan], kernel: Kernel) -> None:
    """On kernels that have none, and that they are not compiled for."""
    left_out = [name for name in compiled_for(plans) if kernel != KERNEL and not is_in(kernel, DRIVERS[name])]
    if left_out:
        say(f"left out: {', '.join(left_out)}; not in this kernel, and compiled for {KERNEL.name} only")
    for plan in plans:
        plan.selectors = [name for name in plan.selectors if name not in left_out]


def is_in(kernel: Kernel, driver: Driver) -> bool:
    """Does a kernel of another distribution come with it?"""
    return bool(kernel.directory) and any(directory_kernel.look(kernel.directory).modules.rglob(f"{driver.name}.ko*"))


def drivers_for(plans: Sequence[GuestPlan], kernel: Kernel) -> List[Driver]:
    """To compile. None where the kernel comes with all that is left in the plans."""
    return [] if kernel.directory else [DRIVERS[name] for name in compiled_for(plans)]


def run(plans: Sequence[GuestPlan], kernel: Kernel, at_a_time: int,
        keep: Callable[[List[Record]], None]) -> Tuple[List[Record], List[str]]:
    """All records, and what went wrong. Guests in real time come last, one by one: they would disturb each other."""
    leave_out_compiled(plans, kernel)
    guests, progress = Guests(kernel, drivers_for(plans, kernel)), Progress(sum(map(figures_in, plans)))
    virtual = [plan for plan in plans if is_virtual(plan)]
    real = [plan for plan in plans if not is_virtual(plan)]
    return gathered((outcome for part, workers in ((virtual, at_a_time), (real, 1))
                     for outcome in guests.run(part, workers, machine=machine_for, seconds_per_run=patience,
                                               extra=lambda plan: extra_for(plan, kernel),
                                               on_output=lambda plan: progress.listener(plan.subject).feed)), keep)


def extra_for(plan: GuestPlan, kernel: Kernel) -> Optional[Path]:
    packages = plan.the_scenario().packages()
    return extra_packages.image(kernel.suite, packages) if packages else None
