"""The host's side: guests, two at a time, and the files they bring about."""
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Dict, List, Sequence, Tuple

from tests.bench.plan import Plan
from tests.bench.records import Record, read_list
from tests.bench.run_guest import HISTORICAL_SERVICE_TIME, KERNEL, run_guest
from tests.lib.commit import commit
from tests.lib.whole_file import write_whole
from tests.vm.module_layer import layer
from tests.vm.progress import CommandFailed, say

from . import exact_reaction as reaction
from . import exact_results as results
from .exact_scenarios import SCENARIOS


def run_guests(plans: Sequence[Plan], at_a_time: int) -> Tuple[List[Record], List[str]]:
    """All records, each with the commit of the sources when it began; and what went wrong."""
    stamp = commit()    # before the module is compiled, which may take minutes
    content = layer(KERNEL, drivers=[HISTORICAL_SERVICE_TIME])
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


def kept_figures(path: Path) -> List[Record]:
    """Those of earlier runs."""
    return results.merged(read_list(path, results.KEYS), []) if path.exists() else []


def keep_figures(records: Sequence[Record], path: Path) -> None:
    """Those that were there stay, unless measured anew."""
    write_whole(path, json.dumps(results.merged(kept_figures(path), records), indent=1) + "\n")


def by_scenario(records: Sequence[Record]) -> Dict[str, Dict[str, reaction.Trace]]:
    """And by selector."""
    found: Dict[str, Dict[str, reaction.Trace]] = {}
    for record in records:
        found.setdefault(record["scenario"], {})[record["selector"]] = record
    return found


def traces_report(records: Sequence[Record]) -> str:
    """Tables and marks of the scenarios."""
    return "\n\n".join(reaction.report(name, SCENARIOS[name], traces)
                       for name, traces in by_scenario(records).items())


def keep_traces(records: Sequence[Record], directory: Path) -> None:
    """Traces and pictures."""
    from .exact_picture import draw  # takes a second: not for --help

    for name, traces in by_scenario(records).items():
        (directory / f"trace-{name}.json").write_text(json.dumps(traces) + "\n")
        draw(SCENARIOS[name], traces, directory / f"trace-{name}.png")
    say(f"traces and pictures are in {directory}")
