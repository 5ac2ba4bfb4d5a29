"""The files that the guests' records bring about."""
import json
from pathlib import Path
from typing import Dict, List, Sequence

from tests.bench.records import Record, read_list
from tests.lib.whole_file import write_whole
from tests.vm.progress import say

from . import exact_reaction as reaction
from . import exact_results as results
from .exact_scenarios import SCENARIOS


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
