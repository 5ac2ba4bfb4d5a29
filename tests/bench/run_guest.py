"""The host's side of a benchmark: one guest that does a plan, and what it recorded."""
from pathlib import Path
from typing import Callable, List, Optional

from tests.vm import guest
from tests.vm.kernel_source import Driver
from tests.vm.kernels import KERNELS, Kernel
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
