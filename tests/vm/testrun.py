"""Guest tests on one kernel: boot, run pytest in the guest, bring its results to the host."""
import json
import re
import shlex
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, List, Optional, Sequence, Set, Tuple

from tests.lib import stages
from tests.lib.kernel_log import log_name

from . import death, guest, module_layer
from .kernels import Kernel
from .places import new_run_dir
from .progress import say
from .qemu import Machine

CALLS_SHOWN = 10         # of a complaint that names our modules; the console has all
START_LIMIT = 60         # seconds until pytest begins its first test: ten times what it takes
VIRTUAL_PATIENCE = 10    # on the virtual clock, on which a CPU that is busy for a second takes about one
TEST_ENDED = re.compile(rb"(tests/\S+) (?:PASSED|FAILED|SKIPPED|ERROR)")   # as pytest -v says
SECONDS_TO_SAY_SO = 60   # for a test that the guest itself ends: until the host hears of it


@dataclass
class Report:
    """What became of one test."""
    outcome: str         # passed, failed or skipped
    text: str = ""       # the failure as the guest's pytest shows it, or the reason of the skip
    duration: float = 0
    outvoted: str = ""   # a failure that two repetitions did not show


@dataclass
class Life:
    """What one guest did of the tests that it was given."""
    tests: List[str]
    result: guest.Result
    reports: Dict[str, Report]  # of those that ended, by test id
    running: Optional[str]      # the test that did not

    def unfinished(self) -> List[str]:
        """What another guest could still run. The test in which this one died comes last there,
        so that it takes no other one along if it does the same again."""
        if any(self.collection(test) for test in self.tests):
            return []
        left = [test for test in self.tests if test not in self.reports]
        return sorted(left, key=lambda test: test == self.running)

    def collection(self, test: str) -> Optional[Report]:
        """Why pytest could not read the test's file, if so."""
        return self.reports.get(test.split("::")[0])

    def ended_badly(self) -> bool:
        """A guest shall report all its tests, and then end as these reports say."""
        failures = any(report.outcome == "failed" for report in self.reports.values())
        return bool(self.unfinished()) or self.result.outcome != ("failed" if failures else "passed")

    def calls_of_ours(self) -> List[str]:
        """What shows that a module of ours killed the guest, or had a part in it."""
        return death.calls_of_ours(self.result.run_dir) if self.result.died else []

    def obituary(self) -> str:
        when = f"in {self.running}" if self.running else \
            "between two tests" if self.unfinished() else "after its tests"
        ours = self.calls_of_ours()
        return "\n".join([f"the guest ended {when}. {self.result.explain()}",
                          *(["the kernel's complaint names our modules:", *ours[:CALLS_SHOWN]] if ours else [])])

    def report(self, test: str) -> Report:
        return self.reports.get(test) or self.collection(test) or Report("failed", self.why_missing(test))

    def why_missing(self, test: str) -> str:
        if test == self.running:
            return f"the guest ended in this test. {self.result.explain()}"
        before = f" in {self.running}" if self.running else ""
        return f"no result, the guest ended{before}. {self.result.explain()}"

    def logs(self, test: str) -> str:
        names = ["console.log", "out/dmesg.log", f"out/{log_name(test)}"]
        there = [name for name in names if (self.result.run_dir / name).exists()]
        return f"logs: {self.result.run_dir}: {', '.join(there)}"


@dataclass
class GuestRun:
    """One guest, or two if the first one died before all its tests had ended."""
    lives: List[Life]

    def life_of(self, test: str) -> Life:
        """The guest that finished it, if any did."""
        return next((life for life in self.lives if test in life.reports), self.lives[-1])

    def report(self, test: str) -> Report:
        return self.life_of(test).report(test)

    def logs(self, test: str) -> str:
        return self.life_of(test).logs(test)

    def fault(self) -> str:
        """How guests ended, if there is a reason to fail: the last one did not end as it should, or
        a module of ours was seen in a death. A second guest that ends well does not refute that."""
        if self.lives[-1].ended_badly():
            return "\n".join(life.obituary() for life in self.lives)
        return "\n".join(life.obituary() for life in self.lives if life.calls_of_ours())

    def forgiven(self) -> str:
        """How the first guest ended, if nobody knows why, and a second one did the rest well."""
        return "" if self.fault() else "\n".join(life.obituary() for life in self.lives[:-1])


class Told:
    """The sign of life of a guest that runs tests: what it tells of them, and how long each may take.

    Its output is none: a kernel that complains without an end is no progress.
    """

    def __init__(self, results: Path, patience: float, to_say_so: float):
        self.results = results
        self.patience = patience
        self.to_say_so = to_say_so
        self.size = 0
        self.limit = START_LIMIT

    def __call__(self) -> Tuple[int, float]:
        size = self.results.stat().st_size if self.results.exists() else 0
        if size != self.size:
            self.size = size
            limits = [record["limit"] for record in records(self.results) if "limit" in record]
            self.limit = limits[-1] + self.to_say_so if limits else START_LIMIT
        return self.size, self.limit * self.patience


def run(kernel: Kernel, tests: List[str], directory: str, label: str = "tests",
        with_module: bool = True, machine: Optional[Machine] = None, extra: Optional[Path] = None,
        patience: int = 1, to_say_so: float = SECONDS_TO_SAY_SO, drivers: Sequence = ()) -> GuestRun:
    """Run guest tests (ids relative to the checkout, all below `directory`) on the kernel.

    Time limits are multiplied by `patience`, by the kernel's own, or on the virtual clock by ten, in
    the guest and here; the host's own are a little longer.
    Of a guest that dies, a second one runs what is unfinished. Those that the emulator ends, the first before
    its first test or the second, do not count.
    """
    layer = module_layer.layer(kernel, with_module, drivers)
    machine = machine or Machine.of(kernel)
    patience = max(patience, kernel.patience, VIRTUAL_PATIENCE if machine.icount else 1)
    environment = {"LW_PATIENCE": patience}
    if kernel.config:
        environment["LW_UNJUDGED"] = 1

    def live(some: List[str], label: str) -> Life:
        command = pytest_command(some, directory, environment)
        run_dir = new_run_dir(f"{kernel.name}-{label}")
        lines = LinePrefix(kernel.name, label)
        with stages.stage("guest", f"{kernel.name} {label}") as more:
            result = guest.boot_once(kernel, command, run_dir,
                                     Told(run_dir / "out/results.jsonl", patience, to_say_so), machine, layer,
                                     on_output=lines.feed, extra=extra)
            more.update(tests=len(lines.prices), prices=lines.prices)
        say(f"{kernel.name}: {result.explain()}")
        return Life(some, result, *read_results(result.out / "results.jsonl"))

    def another_if_emulated(life: Life, also_begun: bool) -> Life:
        for _ in range(guest.BOOTS - 1):
            begun = bool(life.reports or life.running)
            if not death.by_emulator(life.result.run_dir) or (begun and not also_begun):
                break
            say(f"{kernel.name}: the emulator ended this one")
            life = live(life.tests, f"{label}-once-more")
        return life

    lives = [another_if_emulated(live(tests, label), also_begun=False)]
    unfinished = lives[0].unfinished()
    if unfinished:
        say(f"{kernel.name}: a fresh guest for {len(unfinished)} of {len(tests)} tests")
        lives.append(another_if_emulated(live(unfinished, f"{label}-again"), also_begun=True))
    return GuestRun(lives)


# dm-lw writes no byte code: without these lines Python would compile it at each of hundreds of calls.
COMPILE_DM_LW = [
    "mkdir -p /run/lw-tools/upper /run/lw-tools/work",
    "mount -t overlay -o lowerdir=/lw/src/tools,upperdir=/run/lw-tools/upper,workdir=/run/lw-tools/work tools /lw/src/tools",
    "python3 -m compileall -q /lw/src/tools/dm_lw",
]


def pytest_command(tests: List[str], directory: str, environment: Dict[str, int]) -> str:
    options = ["-v", "-p", "no:cacheprovider", "-c", "/dev/null", "--rootdir=/lw/src",
               f"--confcutdir=/lw/src/{directory}", "--tb=short", "--color=no",
               "--junitxml=/lw/out/junit.xml"]
    return "\n".join([
        # plugins found by entry points cost seconds and are none of ours
        "export PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1",
        *(f"export {name}={value}" for name, value in environment.items()),
        *COMPILE_DM_LW,
        "cd /lw/src",
        "exec python3 -m pytest " + shlex.join(options + tests),
    ])


def records(path: Path) -> List[dict]:
    """What the guest told; if it died while it wrote a line, without that one."""
    lines = path.read_text().split("\n")[:-1] if path.exists() else []
    return [json.loads(line) for line in lines]


def read_results(path: Path) -> Tuple[Dict[str, Report], Optional[str]]:
    """Reports by test id, and the test that was started but never ended."""
    reports: Dict[str, Report] = {}
    open_tests: Set[str] = set()
    too_late: Dict[str, Report] = {}
    for record in records(path):
        test = record["id"]
        if record["when"] == "start":
            open_tests.add(test)
            continue
        if record["when"] == "limit":
            too_late[test] = Report("failed", record["text"], record["duration"])
            continue
        if record["when"] in ("teardown", "collect"):
            open_tests.discard(test)
        merge(reports.setdefault(test, Report("passed")), record)
    running = open_tests.pop() if open_tests else None
    if running:
        reports.pop(running, None)
    if running in too_late:     # and then the guest died in its clean-up: it has failed all the same
        reports[running] = too_late[running]
    return reports, running


def merge(report: Report, record: dict) -> None:
    """Setup, call and teardown make one outcome: the worst."""
    badness = ["passed", "skipped", "failed"]
    report.outcome = max(report.outcome, record["outcome"], key=badness.index)
    report.text = "\n".join(filter(None, [report.text, record["text"]]))
    report.duration += record["duration"]
    report.outvoted += record.get("outvoted", "")


class LinePrefix:
    """Streams a guest's output to stderr, each line with the kernel's name and the time.

    `prices` are the host's seconds from the end of a test to that of the next one, where the
    guest's own clock may be a virtual one.
    """

    def __init__(self, name: str, label: str = ""):
        self.name = name
        self.label = label
        self.start = self.last = time.monotonic()
        self.rest = b""
        self.prices: Dict[str, float] = {}

    def feed(self, chunk: bytes) -> None:
        *lines, self.rest = (self.rest + chunk).split(b"\n")
        for line in lines:
            if line.strip():
                self.show(line.decode(errors="replace").rstrip())
            self.count(line)

    def count(self, line: bytes) -> None:
        """What comes before the first test is the guest's, not the test's."""
        ended, now = TEST_ENDED.match(line), time.monotonic()
        if ended:
            self.prices[f"{self.name}-{self.label} {ended[1].decode()}"] = now - self.last
        if ended or not self.prices:
            self.last = now

    def show(self, line: str) -> None:
        say(f"{self.name} {time.monotonic() - self.start:4.0f} s: {line}")
