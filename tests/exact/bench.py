"""The host's side: guests, two at a time, and the files they bring about."""
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Callable, Dict, List, Optional, Sequence, Tuple

from tests.lib.commit import commit
from tests.vm import guest
from tests.vm.kernel_source import Driver
from tests.vm.kernels import KERNELS, Kernel
from tests.vm.module_layer import layer
from tests.vm.places import new_run_dir
from tests.vm.progress import CommandFailed, say
from tests.vm.qemu import Machine
from tests.vm.testrun import LinePrefix

from . import reaction, results
from .plan import Plan
from .scenarios import SCENARIOS

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
              extra: Optional[Path] = None, seconds_per_run: float = SECONDS_PER_RUN) -> List[results.Record]:
    """What the plan's program in the guest recorded; `extra` as guest.boot takes it."""
    run_dir = new_run_dir(f"{kernel.name}-{plan.label}")
    (run_dir / "out").mkdir()
    (run_dir / "out/plan.json").write_text(plan.to_json())
    ended = guest.boot(kernel, GUEST_COMMAND.format(module=plan.module), machine, content,
                       timeout=seconds_per_run * (1 + plan.runs), quiet_limit=seconds_per_run,
                       on_output=on_output or LinePrefix(plan.subject).feed, run_dir=run_dir, extra=extra)
    if not ended.passed:
        raise CommandFailed(f"{plan.subject}: {ended.explain()}")
    return results.read_records(ended.out / "results.jsonl")


def run_guests(plans: Sequence[Plan], at_a_time: int) -> Tuple[List[results.Record], List[str]]:
    """All records, each with the commit of the sources when it began; and what went wrong."""
    content = layer(KERNEL, drivers=[HISTORICAL_SERVICE_TIME])
    stamp = commit()
    records, failures = [], []
    pool = ThreadPoolExecutor(max_workers=at_a_time)
    try:
        for run in [pool.submit(run_guest, plan, content) for plan in plans]:
            try:
                records += [{**record, "commit": stamp} for record in run.result()]
            except (CommandFailed, OSError) as error:
                failures.append(str(error))
    finally:  # when interrupted: no further guests
        pool.shutdown(cancel_futures=True)
    return records, failures


def keep_figures(records: Sequence[results.Record], path: Path) -> None:
    """Those that were there stay, unless measured anew."""
    old = json.loads(path.read_text()) if path.exists() else []
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(results.merged(old, records), indent=1) + "\n")


def traces_report(records: Sequence[results.Record], directory: Path) -> str:
    """Tables and marks of the scenarios; traces and pictures are left in the directory."""
    from .picture import draw  # takes a second: not for --help

    directory.mkdir(parents=True, exist_ok=True)
    by_scenario: Dict[str, Dict[str, reaction.Trace]] = {}
    for record in records:
        by_scenario.setdefault(record["scenario"], {})[record["selector"]] = record
    reports = []
    for name, traces in by_scenario.items():
        draw(SCENARIOS[name], traces, directory / f"trace-{name}.png")
        (directory / f"trace-{name}.json").write_text(json.dumps(traces) + "\n")
        reports.append(reaction.report(name, SCENARIOS[name], traces))
    say(f"traces and pictures are in {directory}")
    return "\n\n".join(reports)
