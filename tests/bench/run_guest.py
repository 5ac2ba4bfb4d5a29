"""The host's side of all benchmarks: guests that do plans, some at a time, and what they recorded."""
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple, Union

from tests.lib.commit import commit
from tests.vm import guest
from tests.vm.kernel_source import Driver
from tests.vm.kernels import KERNELS, Kernel
from tests.vm.module_layer import layer
from tests.vm.places import new_run_dir
from tests.vm.progress import CommandFailed
from tests.vm.qemu import Machine
from tests.vm.testrun import LinePrefix

from .plan import Plan
from .records import Record, read_records

KERNEL = KERNELS["trixie"]
VIRTUAL = Machine(icount=True)
HISTORICAL_SERVICE_TIME = Driver("dm-historical-service-time",
                                 "drivers/md/dm-ps-historical-service-time.c")
GUEST_COMMAND = ("cd /lw/src && LW_PATIENCE=10 PYTHONDONTWRITEBYTECODE=1 "
                 "exec python3 -m {module}")
SECONDS_PER_RUN = 300  # of the host; far above what any takes, even on a busy one


def run_guest(plan: Plan, content: Path, kernel: Kernel = KERNEL,
              machine: Machine = VIRTUAL,
              on_output: Optional[Callable[[bytes], None]] = None,
              extra: Optional[Path] = None, seconds_per_run: float = SECONDS_PER_RUN) -> List[Record]:
    """What the plan's program in the guest recorded; `extra` as guest.boot takes it."""
    run_dir = new_run_dir(f"{kernel.name}-{plan.label}")
    (run_dir / "out").mkdir()
    (run_dir / "out/plan.json").write_text(plan.to_json())
    ended = guest.boot(kernel, GUEST_COMMAND.format(module=plan.module), machine, content,
                       timeout=seconds_per_run * (1 + plan.runs), quiet_limit=seconds_per_run,
                       on_output=on_output or LinePrefix(plan.subject).feed, run_dir=run_dir, extra=extra)
    if not ended.passed:
        raise CommandFailed(f"{plan.subject}: {ended.explain()}")
    return read_records(ended.out / "results.jsonl")


Outcome = Union[List[Record], Exception]


class Guests:
    """Of one kernel, with the module as it is now."""

    def __init__(self, kernel: Kernel = KERNEL, drivers: Sequence[Driver] = ()):
        self.commit = commit()      # before the module is compiled, which may take minutes
        self.kernel = kernel
        self.content = layer(kernel, drivers=drivers)

    def run(self, plans: Sequence[Plan], at_a_time: int, **options: Callable[[Plan], object]) -> Iterator[Outcome]:
        """In their order, of each plan its records with the commit, or why there are none.

        The options are those of run_guest(), as functions of the plan.
        """
        arguments = [{name: option(plan) for name, option in options.items()} for plan in plans]
        if at_a_time == 1:      # in this thread, where ctrl-C ends the guest at once
            yield from map(self.outcome, plans, arguments)
            return
        with ThreadPoolExecutor(max_workers=at_a_time) as pool:
            yield from pool.map(self.outcome, plans, arguments)     # when interrupted: no further guests

    def outcome(self, plan: Plan, arguments: Dict[str, object]) -> Outcome:
        try:
            return [{**record, "commit": self.commit}
                    for record in run_guest(plan, self.content, self.kernel, **arguments)]
        except (CommandFailed, OSError) as error:
            return error


def gathered(outcomes: Iterable[Outcome],
             keep: Callable[[List[Record]], None] = lambda _: None) -> Tuple[List[Record], List[str]]:
    """All records, and what went wrong; `keep` is told all that there are after each guest."""
    records: List[Record] = []
    failures: List[str] = []
    for outcome in outcomes:
        if isinstance(outcome, Exception):
            failures.append(str(outcome))
        else:
            records += outcome
            keep(records)
    return records, failures
