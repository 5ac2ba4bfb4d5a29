"""Scenario files: read, and refused with the place and the reason if something is wrong."""
import shlex
import tomllib
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Callable, Dict, List

from tests.bench.selectors import IO_AFFINITY, NATIVE

from .plan import (CPUS_IN_REAL_TIME, ISCSI, LOCAL, NULL_BLK, NVME_TCP, REAL, SELECTORS, TASKS, TCM_LOOP, TEST_DISK,
                   VIRTUAL, Change, Job, Scenario)

DIRECTORY = Path(__file__).parent / "scenarios"
NUMBERS = range(1, 13)
CLOCKS = [VIRTUAL, REAL]
WORKLOADS = ["read", "write", "randread", "randwrite", "randrw"]
DISK = ["delay_us", "service_us", "mbps", "tags", "tail_every", "tail_us", "hang"]
LINK = ["delay_ms", "rate_mbit", "loss_percent"]
PATH_KEYS = {  # what a path of each transport can be told, beside being down
    TEST_DISK: DISK,
    TCM_LOOP: DISK,
    NULL_BLK: ["delay_us"],
    ISCSI: LINK + ["down"],
    NVME_TCP: LINK + ["down"],
}
TYPES = {"str": str, "int": int, "float": (int, float), "bool": bool}


class ScenarioError(ValueError):
    """What is wrong with a file, and where in it."""


def check_keys(where: str, table: object, known: List[str], needed: List[str] = []) -> None:
    if not isinstance(table, dict):
        raise ScenarioError(f"{where}: a table is wanted, not {table!r}")
    for key in table:
        if key not in known:
            raise ScenarioError(f"{where}: unknown key {key!r}; known are {', '.join(known)}")
    for key in needed:
        if key not in table:
            raise ScenarioError(f"{where}: {key!r} is missing")


def build(kind: type, where: str, table: object, **given: object):
    """A dataclass from the file's table; types that TOML has are checked, `given` ones are not."""
    known = {each.name: each for each in fields(kind) if each.name not in given}
    needed = [name for name, each in known.items()
              if each.default is MISSING and each.default_factory is MISSING]
    check_keys(where, table, list(known), needed)
    for key, value in table.items():
        wanted = TYPES.get(getattr(known[key].type, "__name__", ""))
        if wanted and (not isinstance(value, wanted) or isinstance(value, bool) != (wanted is bool)):
            raise ScenarioError(f"{where}: {key} = {value!r} is of the wrong type")
    return kind(**table, **given)


def one_of(where: str, value: object, choices: List[object]) -> None:
    if value not in choices:
        raise ScenarioError(f"{where}: {value!r} is none of {', '.join(map(str, choices))}")


def check_numbers(where: str, table: Dict[str, object]) -> None:
    for key, value in table.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)) or value < 0:
            raise ScenarioError(f"{where}: {key} = {value!r} is not a number from 0 on")


def check_depths(where: str, depths: object) -> None:
    if not isinstance(depths, list) or not depths or depths != sorted(set(depths)) or not all(
            isinstance(depth, int) and 1 <= depth <= 1024 for depth in depths):
        raise ScenarioError(f"{where}: depths are a rising list of numbers from 1 to 1024, not {depths!r}")


def parse_paths(where: str, transport: str, tables: object) -> List[Dict[str, float]]:
    if not isinstance(tables, list) or not 2 <= len(tables) <= 16:
        raise ScenarioError(f"{where}: paths: 2 to 16 tables are wanted")
    for number, table in enumerate(tables):
        check_keys(f"{where}: paths[{number}]", table, PATH_KEYS[transport])
        check_numbers(f"{where}: paths[{number}]", table)
    return tables


def parse_job(where: str, table: object) -> Job:
    job = build(Job, where, table)
    one_of(f"{where}: rw", job.rw, WORKLOADS)
    check_depths(where, job.depths)
    if job.seconds <= 0 or job.warm < 0:
        raise ScenarioError(f"{where}: seconds are more than 0, and warm no less than 0")
    return job


def parse_change(where: str, table: object, transport: str, paths: int) -> Change:
    change = build(Change, where, table)
    one_of(f"{where}: path", change.path, list(range(paths)))
    check_keys(f"{where}: set", change.set, PATH_KEYS[transport])
    check_numbers(f"{where}: set", change.set)
    return change


def parse_list(where: str, table: dict, key: str, parse: Callable) -> list:
    items = table.pop(key, [])
    if not isinstance(items, list):
        raise ScenarioError(f"{where}: {key} is a list of tables")
    return [parse(f"{where}: {key}[{number}]", item) for number, item in enumerate(items)]


def parse(where: str, name: str, table: dict) -> Scenario:
    table = dict(table)
    for key, choices in (("transport", list(PATH_KEYS)), ("clock", CLOCKS), ("number", NUMBERS)):
        if key not in table:
            raise ScenarioError(f"{where}: {key!r} is missing")
        one_of(f"{where}: {key}", table[key], choices)
    paths = parse_paths(where, table["transport"], table.pop("paths", None))
    jobs = parse_list(where, table, "jobs", parse_job)
    changes = parse_list(where, table, "changes", lambda at, item: parse_change(
        at, item, table["transport"], len(paths)))
    scenario = build(Scenario, where, table, name=name, paths=paths, jobs=jobs, changes=changes)
    check_whole(where, scenario)
    return scenario


def check_whole(where: str, scenario: Scenario) -> None:
    """What no key can tell alone."""
    if bool(scenario.jobs) == bool(scenario.task):
        raise ScenarioError(f"{where}: jobs or a task is wanted, and not both")
    if scenario.task:
        one_of(f"{where}: task", scenario.task, list(TASKS))
        if scenario.changes or (scenario.task == "copy" and scenario.transport != ISCSI):
            raise ScenarioError(f"{where}: a task is without changes, and copy for {ISCSI}")
    labels = [job.name for job in scenario.jobs]
    if len(set(labels)) < len(labels):
        raise ScenarioError(f"{where}: two jobs are called the same; give them a label")
    if scenario.transport == NULL_BLK and (scenario.task or scenario.changes):
        raise ScenarioError(f"{where}: {NULL_BLK} keeps no data, and is as it is made: no task, no changes")
    for selector in scenario.selectors:
        check_selector(where, scenario, selector)
    if scenario.groups and (sum(scenario.groups) != len(scenario.paths) or min(scenario.groups) < 1):
        raise ScenarioError(f"{where}: groups: sizes that make up the {len(scenario.paths)} paths")
    check_arguments(f"{where}: stress_ng", scenario.stress_ng)
    for index in scenario.flood:
        one_of(f"{where}: flood", index, list(range(len(scenario.paths))))
        if scenario.transport in LOCAL:
            raise ScenarioError(f"{where}: flood is for paths with a network")
    if scenario.changes:
        if len(list(scenario.cells())) != 1 or scenario.jobs[0].rw == "randrw":
            raise ScenarioError(f"{where}: with changes, one job of reads or of writes at one depth")
        if max(change.at for change in scenario.changes) >= scenario.jobs[0].seconds:
            raise ScenarioError(f"{where}: a change after the end of the job")


def check_arguments(where: str, arguments: str) -> None:
    try:
        shlex.split(arguments)
    except ValueError as error:
        raise ScenarioError(f"{where}: {arguments!r}: {error}") from None


def check_selector(where: str, scenario: Scenario, selector: str) -> None:
    one_of(f"{where}: selectors", selector, SELECTORS)
    if selector.startswith(NATIVE) and scenario.transport != NVME_TCP:
        raise ScenarioError(f"{where}: {selector} is for {NVME_TCP}")
    if selector == IO_AFFINITY and (scenario.clock != REAL or len(scenario.paths) > CPUS_IN_REAL_TIME):
        raise ScenarioError(f"{where}: {selector} wants a CPU for each path: real time, {CPUS_IN_REAL_TIME} paths")


def load(path: Path) -> Scenario:
    try:
        table = tomllib.loads(path.read_text())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ScenarioError(f"{path.name}: {error}") from None
    return parse(path.name, path.stem, table)


def load_all(directory: Path = DIRECTORY) -> Dict[str, Scenario]:
    """By name, in the order of the list in README.md."""
    found = [load(path) for path in sorted(directory.glob("*.toml"))]
    return {scenario.name: scenario for scenario in sorted(found, key=lambda each: each.number)}
