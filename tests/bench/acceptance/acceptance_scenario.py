"""Scenario files: read, and refused with the place and the reason if something is wrong."""
import dataclasses
import math
import re
import tomllib
from pathlib import Path
from typing import Callable, Dict, List

from tests.bench.scenario_values import (Range, ScenarioError, build, check_arguments, check_depths,
                                         check_fio_options, check_keys, check_number, check_options, one_of, shown)
from tests.bench.selectors import IO_AFFINITY, NATIVE
from tests.lib.disks import AS_READS
from tests.lib.fio_series import WARM

from . import io_sizes as sizes
from .acceptance_plan import (CPUS_IN_REAL_TIME, ISCSI, LOCAL, MEDIAN, MIXED, NULL_BLK, NVME_TCP, REAL, SELECTORS,
                              TASKS, TCM_LOOP, TEST_DISK, VIRTUAL, WORST, WRITES, Change, Job, Scenario)

DIRECTORY = Path(__file__).parent / "scenarios"
LONG_ONES = DIRECTORY / "long"
NUMBERS = Range(1, 13, whole=True)
CLOCKS = [VIRTUAL, REAL]
PATHS = Range(2, 16, whole=True)
MOST_US = 60_000_000            # of the test disk, too
MICROSECONDS = Range(0, MOST_US, whole=True)
OF_WRITES = Range(AS_READS, MOST_US, whole=True)
SWITCH = Range(0, 1, whole=True)
DISTRIBUTIONS = ["uniform", "normal", "pareto", "paretonormal"]     # netem's
DISK = {"delay_us": MICROSECONDS, "service_us": MICROSECONDS, "mbps": Range(0, 1_000_000, whole=True),
        "tags": Range(1, 1024, whole=True), "tail_every": Range(0, 1_000_000, whole=True), "tail_us": MICROSECONDS,
        "tail_next": Range(0, 1_000_000, whole=True), "write_delay_us": OF_WRITES, "write_service_us": OF_WRITES,
        "write_mbps": Range(AS_READS, 1_000_000, whole=True), "rest_us": MICROSECONDS,
        "hang": SWITCH}
LINK = {"delay_ms": Range(0, 5000), "jitter_ms": Range(0, 5000), "distribution": DISTRIBUTIONS,
        "rate_mbit": Range(0, 100_000), "loss_percent": Range(0, 50), "down": SWITCH}
PATH_KEYS = {  # what a path of each transport can be told, and its values
    TEST_DISK: DISK,
    TCM_LOOP: DISK,
    NULL_BLK: {"delay_us": MICROSECONDS},
    ISCSI: LINK,
    NVME_TCP: LINK,
}
SCENARIO_NUMBERS = {"disk_us": MICROSECONDS, "task_mib": Range(1, 64, whole=True),
                    "repeat": Range(1, 100, whole=True)}
JUDGED = [MEDIAN, WORST]
PER_CENT = Range(0, 100, whole=True)
MIX = ["rwmixread", "rwmixwrite"]       # of fio; the optimum depends on them
JOB_NUMBERS = {"seconds": Range(0.1, 600), "warm": Range(0, 600)}
CHANGE_AT = Range(0, 600)
CHANGE_EVERY = Range(0.01, 600)
MOST_LABEL = 100
MOST_BUFFERS = 512 << 20        # bytes in flight: a part of the guest's memory
# Of fio; several jobs as one (numjobs) would not be counted together.
TAKEN = ["name", "filename", "directory", "rw", "bs", "bssplit", "bsrange", "iodepth", "runtime", "time_based",
         "ramp_time", "numjobs", "stonewall", "thread", "group_reporting", "output-format", "exec_prerun",
         "exec_postrun"]
TAKEN_BESIDE = ["name", "output-format", "runtime", "time_based", "thread"]


def parse_paths(where: str, transport: str, tables: object) -> List[Dict[str, float]]:
    if not isinstance(tables, list) or len(tables) not in PATHS:
        count = len(tables) if isinstance(tables, list) else shown(tables)
        raise ScenarioError(f"{where}: paths: 2 to 16 tables are wanted, not {count}")
    for number, table in enumerate(tables):
        check_path(f"{where}: paths[{number}]", table, transport)
    return tables


def check_path(where: str, table: object, transport: str) -> None:
    known = PATH_KEYS[transport]
    check_keys(where, table, list(known))
    for key, value in table.items():
        if isinstance(known[key], Range):
            check_number(where, key, value, known[key])
        else:
            one_of(f"{where}: {key}", value, known[key])


def parse_job(where: str, table: object) -> Job:
    job = build(Job, where, table)
    one_of(f"{where}: rw", job.rw, list(WRITES))
    check_depths(where, job.depths)
    for key, allowed in JOB_NUMBERS.items():
        check_number(where, key, getattr(job, key), allowed)
    check_sizes(where, job, [key for key in ("bs", "bssplit", "bsrange") if key in table])
    check_fio_options(f"{where}: options", job.options, TAKEN)
    for key in MIX:
        check_number(f"{where}: options", key, job.options.get(key, 0), PER_CENT)
    return job


def check_sizes(where: str, job: Job, given: List[str]) -> None:
    if len(given) > 1:
        raise ScenarioError(f"{where}: {' and '.join(given)}: one of them is wanted")
    try:
        largest = sizes.largest(job.bs, job.bssplit, job.bsrange)
    except ValueError:
        key = given[0]
        raise ScenarioError(f"{where}: {key} = {shown(getattr(job, key))} is no size; {sizes.WORDS}") from None
    if largest * job.depths[-1] > MOST_BUFFERS:
        raise ScenarioError(f"{where}: depths = {shown(job.depths)}: with I/Os of {largest} bytes the guest has memory "
                            f"for a depth of {MOST_BUFFERS // largest}")


def parse_beside(where: str, table: object, seconds: float) -> Job:
    """One that has a depth, and unless told otherwise goes on as long as the one that counts."""
    known = [*Job.__dataclass_fields__, "depth"]
    check_keys(where, table, [key for key in known if key not in ("depths", "warm", "label")], ["rw", "depth"])
    rest = {key: value for key, value in table.items() if key != "depth"}
    return parse_job(where, {"seconds": seconds, **rest, "depths": [table["depth"]]})


def parse_change(where: str, table: object, transport: str, paths: int, end: float) -> List[Change]:
    """One, or as many as there are until the end of the job, if it is made again and again."""
    change = build(Change, where, table)
    check_number(where, "at", change.at, CHANGE_AT)
    check_number(where, "path", change.path, Range(0, paths - 1, whole=True))
    check_path(f"{where}: set", change.set, transport)
    if "every" not in table:
        return [change]
    check_number(where, "every", change.every, CHANGE_EVERY)
    count = max(1, math.ceil((end - change.at) / change.every))
    return [dataclasses.replace(change, at=round(change.at + number * change.every, 6), every=0)
            for number in range(count)]


def parse_list(where: str, table: dict, key: str, parse: Callable) -> list:
    items = table.pop(key, [])
    if not isinstance(items, list):
        raise ScenarioError(f"{where}: {key} is a list of tables, not {shown(items)}")
    return [parse(f"{where}: {key}[{number}]", item) for number, item in enumerate(items)]


def parse(where: str, name: str, table: dict) -> Scenario:
    table = dict(table)
    transport = table.get("transport", TEST_DISK)
    one_of(f"{where}: transport", transport, list(PATH_KEYS))
    one_of(f"{where}: clock", table.get("clock", VIRTUAL), CLOCKS)
    if "number" in table:
        check_number(where, "number", table["number"], NUMBERS)
    check_keys(where, table, known_keys(), ["title", "paths"])
    paths = parse_paths(where, transport, table.pop("paths"))
    jobs = parse_list(where, table, "jobs", parse_job)
    end = end_of(jobs, table.get("judged"))
    beside = parse_list(where, table, "beside", lambda at, item: parse_beside(at, item, end))
    changes = parse_list(where, table, "changes", lambda at, item: parse_change(at, item, transport, len(paths), end))
    scenario = build(Scenario, where, table, name=name, paths=paths, jobs=jobs, beside=beside,
                     changes=sum(changes, []))
    check_whole(where, scenario)
    return scenario


def end_of(jobs: List[Job], judged: object) -> float:
    """Of the only job where something changes or runs beside: seconds after the first I/O."""
    return 0 if not jobs else jobs[0].seconds + (jobs[0].warm if judged == WORST else 0)


def known_keys() -> List[str]:
    """All but the name, which is the file's."""
    return [name for name in Scenario.__dataclass_fields__ if name != "name"]


def check_whole(where: str, scenario: Scenario) -> None:
    """What no key can tell alone."""
    for key, allowed in SCENARIO_NUMBERS.items():
        check_number(where, key, getattr(scenario, key), allowed)
    one_of(f"{where}: judged", scenario.judged, JUDGED)
    check_work(where, scenario)
    check_long(where, scenario)
    check_names(where, scenario)
    check_selectors(where, scenario)
    check_groups(where, scenario)
    check_options(f"{where}: arguments", scenario.arguments)
    check_arguments(f"{where}: stress_ng", scenario.stress_ng)
    for number, options in enumerate(scenario.background):
        check_fio_options(f"{where}: background[{number}]", options, TAKEN_BESIDE)
    check_flood(where, scenario)
    check_jitter(where, scenario)
    check_changes(where, scenario)


def check_work(where: str, scenario: Scenario) -> None:
    if bool(scenario.jobs) == bool(scenario.task):
        raise ScenarioError(f"{where}: jobs or a task is wanted, and not both")
    if scenario.task:
        one_of(f"{where}: task", scenario.task, list(TASKS))
        if scenario.changes or (scenario.task == "copy" and scenario.transport != ISCSI):
            raise ScenarioError(f"{where}: a task is without changes, and copy for {ISCSI}")
    if scenario.transport == NULL_BLK and (scenario.task or scenario.changes):
        raise ScenarioError(f"{where}: {NULL_BLK} keeps no data, and is as it is made: no task, no changes")


def check_long(where: str, scenario: Scenario) -> None:
    if scenario.long and (scenario.task or len(list(scenario.cells())) != 1):
        raise ScenarioError(f"{where}: judged = {WORST!r}: one job at one depth is wanted, and no task")
    if scenario.beside and not scenario.long:
        raise ScenarioError(f"{where}: beside is for judged = {WORST!r}")


def check_names(where: str, scenario: Scenario) -> None:
    """fio's jobs are called so, and their files."""
    labels = [job.key for job in scenario.jobs]
    if len(set(labels)) < len(labels):
        raise ScenarioError(f"{where}: two jobs are called the same; give them a label")
    for number, label in enumerate(labels):
        if len(label) > MOST_LABEL or label.startswith(WARM):
            raise ScenarioError(f"{where}: jobs[{number}]: label = {shown(label)}: labels have up to {MOST_LABEL} "
                                f"characters, and do not begin with {WARM}")


def check_selectors(where: str, scenario: Scenario) -> None:
    if not scenario.selectors:
        raise ScenarioError(f"{where}: selectors = []: at least one is wanted, of {', '.join(SELECTORS)}")
    for number, selector in enumerate(scenario.selectors):
        check_selector(where, scenario, selector)
        if selector in scenario.selectors[:number]:
            raise ScenarioError(f"{where}: selectors: {selector!r} is there twice")


def check_selector(where: str, scenario: Scenario, selector: str) -> None:
    one_of(f"{where}: selectors", selector, SELECTORS)
    if selector.startswith(NATIVE) and scenario.transport != NVME_TCP:
        raise ScenarioError(f"{where}: {selector} is for {NVME_TCP}")
    if selector == IO_AFFINITY and (scenario.clock != REAL or len(scenario.paths) > CPUS_IN_REAL_TIME):
        raise ScenarioError(f"{where}: {selector} wants a CPU for each path: real time, {CPUS_IN_REAL_TIME} paths")


def check_groups(where: str, scenario: Scenario) -> None:
    paths = len(scenario.paths)
    allowed = Range(1, paths, whole=True)
    if scenario.groups and (not all(size in allowed for size in scenario.groups) or sum(scenario.groups) != paths):
        raise ScenarioError(f"{where}: groups: sizes that make up the {paths} paths, not {shown(scenario.groups)}")


def check_flood(where: str, scenario: Scenario) -> None:
    for index in scenario.flood:
        check_number(where, "flood", index, Range(0, len(scenario.paths) - 1, whole=True))
        if scenario.transport in LOCAL:
            raise ScenarioError(f"{where}: flood is for paths with a network")
    if len(set(scenario.flood)) < len(scenario.flood):
        raise ScenarioError(f"{where}: flood = {shown(scenario.flood)}: a path is there twice")


def check_changes(where: str, scenario: Scenario) -> None:
    if scenario.changes:
        if not scenario.long and (len(list(scenario.cells())) != 1 or scenario.jobs[0].rw == MIXED):
            raise ScenarioError(f"{where}: with changes, one job of reads or of writes at one depth")
        if max(change.at for change in scenario.changes) >= end_of(scenario.jobs, scenario.judged):
            raise ScenarioError(f"{where}: a change after the end of the job")
    for index, path in enumerate(states(scenario)[-1]):
        for key in ("hang", "down"):
            if path.get(key):
                raise ScenarioError(f"{where}: paths[{index}]: {key} = 1 to the end: fio would wait for its I/Os "
                                    f"for ever; a last change has to set {key} = 0")


def check_jitter(where: str, scenario: Scenario) -> None:
    """It goes both ways, and a packet cannot arrive before it was sent."""
    for paths in states(scenario):
        for index, path in enumerate(paths):
            delay, jitter = path.get("delay_ms", 0), path.get("jitter_ms", 0)
            if jitter > delay:
                raise ScenarioError(f"{where}: paths[{index}]: jitter_ms = {jitter} is not a number from 0 to "
                                    f"the path's delay_ms, which is {delay}")


def states(scenario: Scenario) -> List[List[Dict[str, float]]]:
    """What the paths are at first and after each change."""
    found = [scenario.paths]
    for change in sorted(scenario.changes, key=lambda each: each.at):
        paths = list(found[-1])
        paths[change.path] = {**paths[change.path], **change.set}
        found.append(paths)
    return found


def read(path: Path, where: str) -> dict:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ScenarioError(f"{where}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ScenarioError(f"{where}: no text in UTF-8, which TOML is") from None
    except RecursionError:
        raise ScenarioError(f"{where}: no TOML that can be read: nested too deeply") from None
    except ValueError as error:
        raise ScenarioError(f"{where}: no TOML: {error}") from None


def load(path: Path, where: str = "") -> Scenario:
    where = where or path.name
    return parse(where, path.stem, read(path, where))


def load_all(directory: Path = DIRECTORY) -> Dict[str, Scenario]:
    """By name, in the order of the list in README.md."""
    found = [load(path) for path in sorted(directory.glob("*.toml"))]
    return {scenario.name: scenario for scenario in sorted(found, key=lambda each: each.number)}


def load_long() -> Dict[str, Scenario]:
    """Those of LONG=1, which are no part of the suite's cells and marks."""
    return load_all(LONG_ONES)


def load_files(paths: List[Path]) -> Dict[str, Scenario]:
    """Somebody's own, by name, as they were given. Pictures, logs and guests are called by the names."""
    found: Dict[str, Scenario] = {}
    for path in paths:
        if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,63}", path.stem):
            raise ScenarioError(f"{path}: a scenario is called as its file is: up to 64 letters, digits, - and _, "
                                f"and then .toml, not {shown(path.name)}")
        if path.stem in found:
            raise ScenarioError(f"{path}: another file is called {path.stem}, too; rename one of them")
        found[path.stem] = load(path, str(path))
    return found
