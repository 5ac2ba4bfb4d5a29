"""Guest tests on one kernel: boot, run pytest in the guest, bring its results to the host."""
import json
import shlex
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, List, Optional, Set, Tuple

from . import guest, module_layer
from .kernels import Kernel
from .progress import say
from .qemu import Machine

BOOT_SECONDS = 120       # generous: the host may be busy
SECONDS_PER_TEST = 120   # the guest's own limit per test, where none is marked; far above what any takes


@dataclass
class Report:
    """What became of one test."""
    outcome: str         # passed, failed or skipped
    text: str = ""       # the failure as the guest's pytest shows it, or the reason of the skip
    duration: float = 0
    outvoted: str = ""   # a failure that two repetitions did not show


@dataclass
class GuestRun:
    result: guest.Result
    reports: Dict[str, Report]  # of those that ended, by test id
    running: Optional[str]      # the test that did not

    def report(self, test: str) -> Report:
        """A test passes if its own report and the guest's end say so."""
        if test not in self.reports:
            return Report("failed", self.why_missing(test))
        report = self.reports[test]
        if report.outcome != "failed" and self.fault():
            return Report("failed", self.fault(), report.duration)
        return report

    def why_missing(self, test: str) -> str:
        collection = self.reports.get(test.split("::")[0])
        if collection:
            return collection.text
        if test == self.running:
            return f"the guest ended in this test. {self.result.explain()}"
        before = f" in {self.running}" if self.running else ""
        return f"no result, the guest ended{before}. {self.result.explain()}"

    def fault(self) -> str:
        """Why nothing of the run can be believed, if so.

        When the guest died in a known test, what was reported before stands. But a guest
        that reports passes and then ends badly, or fails for no reported reason, lies.
        """
        failures = any(report.outcome == "failed" for report in self.reports.values())
        expected = "failed" if failures else "passed"
        if self.running or self.result.outcome == expected:
            return ""
        return f"reported, but then: {self.result.explain()}"


def run(kernel: Kernel, tests: List[str], directory: str, label: str = "tests",
        quiet_limit: float = SECONDS_PER_TEST + 60, with_module: bool = True,
        machine: Optional[Machine] = None, extra: Optional[Path] = None,
        patience: int = 1) -> GuestRun:
    """Run guest tests (ids relative to the checkout, all below `directory`) on the kernel.

    Time limits are multiplied by `patience`, by the kernel's own, or on the virtual clock by ten.
    """
    layer = module_layer.layer(kernel, with_module)
    lines = LinePrefix(kernel.name)
    machine = machine or Machine.of(kernel)
    patience = max(patience, kernel.patience)
    environment = {"LW_PATIENCE": max(patience, 10 if machine.icount else 1)}
    if kernel.config:
        environment["LW_UNJUDGED"] = 1
    command = pytest_command(tests, directory, environment)
    result = guest.boot(kernel, command, machine, layer, label=label,
                        timeout=BOOT_SECONDS + SECONDS_PER_TEST * patience * len(tests),
                        quiet_limit=quiet_limit * patience, on_output=lines.feed, extra=extra)
    reports, running = read_results(result.out / "results.jsonl")
    say(f"{kernel.name}: {result.explain()}")
    return GuestRun(result, reports, running)


def pytest_command(tests: List[str], directory: str, environment: Dict[str, int]) -> str:
    options = ["-v", "-p", "no:cacheprovider", "-c", "/dev/null", "--rootdir=/lw/src",
               f"--confcutdir=/lw/src/{directory}", "--tb=short", "--color=no",
               "--junitxml=/lw/out/junit.xml"]
    return "\n".join([
        # plugins found by entry points cost seconds and are none of ours
        "export PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1",
        *(f"export {name}={value}" for name, value in environment.items()),
        "cd /lw/src",
        "exec python3 -m pytest " + shlex.join(options + tests),
    ])


def read_results(path: Path) -> Tuple[Dict[str, Report], Optional[str]]:
    """Reports by test id, and the test that was started but never ended."""
    reports: Dict[str, Report] = {}
    open_tests: Set[str] = set()
    for line in path.read_text().splitlines() if path.exists() else []:
        record = json.loads(line)
        test = record["id"]
        if record["when"] == "start":
            open_tests.add(test)
            continue
        if record["when"] in ("teardown", "collect"):
            open_tests.discard(test)
        merge(reports.setdefault(test, Report("passed")), record)
    running = open_tests.pop() if open_tests else None
    if running:
        reports.pop(running, None)
    return reports, running


def merge(report: Report, record: dict) -> None:
    """Setup, call and teardown make one outcome: the worst."""
    badness = ["passed", "skipped", "failed"]
    report.outcome = max(report.outcome, record["outcome"], key=badness.index)
    report.text = "\n".join(filter(None, [report.text, record["text"]]))
    report.duration += record["duration"]
    report.outvoted += record.get("outvoted", "")


class LinePrefix:
    """Streams a guest's output to stderr, each line with the kernel's name and the time."""

    def __init__(self, name: str):
        self.name = name
        self.start = time.monotonic()
        self.rest = b""

    def feed(self, chunk: bytes) -> None:
        *lines, self.rest = (self.rest + chunk).split(b"\n")
        for line in lines:
            if line.strip():
                self.show(line.decode(errors="replace").rstrip())

    def show(self, line: str) -> None:
        say(f"{self.name} {time.monotonic() - self.start:4.0f} s: {line}")
