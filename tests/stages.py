"""Where the time of a test run goes: stages are noted as they end, by whatever process, and shown at the end.

The table is for people; build/times.json has it too, with the seconds of each test, so that whoever
adds a test sees its price.
"""
import json
import os
import time
from collections import defaultdict
from contextlib import contextmanager
from pathlib import Path
from typing import Dict, Iterator, List

from tests.vm.places import CHECKOUT, log_file

FILE = "LW_STAGES"                      # the environment's; whoever starts a run names the file
TIMES = CHECKOUT / "build" / "times.json"
# In the order of the table. Guests and the host's tests run at the same time.
KINDS = ["setup", "tree", "layer", "tests", "guest", "wait"]


def begin(set_up: float = 0.0) -> float:
    """Start a new list; what was set up before Python could run took `set_up` seconds. The time of the start."""
    path = log_file("stages.jsonl")
    path.write_text("")
    os.environ[FILE] = str(path)
    start = time.time() - set_up
    if set_up:
        note("setup", "packages", start, set_up)
    return start


def note(kind: str, name: str, start: float, seconds: float, **more) -> None:
    """One line at once: guests run in processes of their own."""
    if FILE in os.environ:
        line = json.dumps({"kind": kind, "name": name, "start": start, "seconds": round(seconds, 1), **more})
        with open(os.environ[FILE], "a") as file:
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
    return [json.loads(line) for line in Path(os.environ[FILE]).read_text().splitlines()]


def host_stages(durations: Dict[str, float], start: float) -> List[dict]:
    """The host's tests by directory, from the seconds of each. What tests/vm takes is waiting for guests."""
    found: Dict[str, List[float]] = defaultdict(list)
    for test, seconds in durations.items():
        found[test.rpartition("/")[0] or test].append(seconds)
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
