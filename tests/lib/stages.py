"""Where the time of a test run goes: stages are noted as they end, by whatever process, and shown at the end.

The table is for people; build/times.json has it too, with the seconds of each test, so that whoever
adds a test sees its price.
"""
import json
import os
import time
from collections import defaultdict
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Dict, Iterator, List

from tests.vm.places import CHECKOUT, log_file

TIMES = CHECKOUT / "build" / "times.json"
STARTED = "LW_STARTED"      # the environment's: when make began, in seconds since 1970
# In the order of the table. Guests and the host's tests run at the same time.
KINDS = ["setup", "tree", "layer", "tests", "guest", "wait"]


def journal() -> Path:
    return log_file("stages.jsonl")


def begin() -> float:
    """When the run began, perhaps before Python did; what was noted earlier is of another run."""
    now = time.time()
    start = float(os.environ.get(STARTED, now))
    kept = [json.dumps(each) + "\n" for each in noted() if each["start"] >= start]
    journal().write_text("".join(kept))
    if start < now:
        note("setup", "packages and trees", start, now - start)
    return start


def note(kind: str, name: str, start: float, seconds: float, **more) -> None:
    """One line at once: guests run in processes of their own."""
    line = json.dumps({"kind": kind, "name": name, "start": start, "seconds": round(seconds, 1), **more})
    with journal().open("a") as file:
        file.write(line + "\n")


@contextmanager
def stage(kind: str, name: str) -> Iterator[Dict[str, object]]:
    """Note how long the block takes; what it puts into the dict is noted, too."""
    start, more = time.time(), {}
    try:
        yield more
    finally:
        note(kind, name, start, time.time() - start, **more)


def noted() -> List[dict]:
    """All but what a kill or a full disk cut short."""
    path, found = journal(), []
    for line in path.read_text().splitlines() if path.exists() else []:
        with suppress(ValueError):
            found.append(json.loads(line))
    return found


def host_stages(durations: Dict[str, float], start: float) -> List[dict]:
    """The host's tests by directory, from the seconds of each. What tests/vm takes is waiting for guests."""
    found: Dict[str, List[float]] = defaultdict(list)
    for test, seconds in durations.items():
        found[test.split("::")[0].rpartition("/")[0]].append(seconds)
    return [{"kind": "wait" if name == "tests/vm" else "tests", "name": name, "start": start,
             "seconds": round(sum(each), 1), "tests": len(each)} for name, each in found.items()]


def table(stages: List[dict], start: float) -> List[str]:
    """Lines for people: begin, seconds, what it was."""
    lines = [f"{'stage':7} {'begin':>6} {'seconds':>7} {'tests':>6}  what"]
    for each in sorted(stages, key=lambda each: (KINDS.index(each["kind"]), each["start"], -each["seconds"])):
        begun = "" if each["kind"] in ("tests", "wait") else f"{each['start'] - start:.0f}"
        lines.append(f"{each['kind']:7} {begun:>6} {each['seconds']:7.0f} "
                     f"{each.get('tests', ''):>6}  {each['name']}")
    return lines


def finish(start: float, durations: Dict[str, float]) -> List[str]:
    """The table; the file is written, too."""
    stages = noted() + host_stages(durations, start)
    seconds = round(time.time() - start)
    prices = {test: price for each in stages for test, price in each.pop("prices", {}).items()}
    slowest = {test: took for test, took in durations.items() if not test.startswith("tests/vm/test_guests")}
    TIMES.write_text(json.dumps({"seconds": seconds, "stages": stages, "tests": {
        test: round(took, 2) for test, took in sorted({**slowest, **prices}.items())}}, indent=1) + "\n")
    return table(stages, start) + [f"each test's seconds: {TIMES.relative_to(CHECKOUT)}", f"time: {seconds} s"]
