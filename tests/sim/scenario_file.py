"""Scenarios from a TOML file, as near as sensible to those of tests/bench/acceptance; README.md has the format."""
import tomllib
from dataclasses import dataclass, field
from typing import Dict, List

from tests.bench.acceptance.acceptance_scenario import CLOCKS, parse_list
from tests.bench.scenario_values import (ScenarioError, build, check_depths, check_keys, check_numbers, check_options,
                                         one_of)

WRITES = {"read": 0.0, "randread": 0.0, "write": 1.0, "randwrite": 1.0, "rw": 0.5, "randrw": 0.5}
UNITS = {"k": 1 << 10, "m": 1 << 20}
SERVER = ["service_us", "jitter", "service_sigma", "service_pareto", "miss", "miss_us", "mbps", "write_service_us",
          "write_mbps", "stall_period_ms", "stall_ms", "stall_at_ms", "gc_every_ms", "gc_min_ms", "gc_max_ms",
          "wave", "wave_period_ms", "wave_phase", "wave_service"]
PATH = SERVER + ["delay_us", "write_delay_us", "flush_delay_us", "sigma", "wave_delay", "tail", "tail_every",
                 "tail_us", "tail_pareto", "remote_us", "backend", "tags", "tags_hidden", "driver_depth", "error",
                 "error_us", "error_part",
                 "error_is_final", "hang", "hidden", "stamps", "retry_us", "no_stamp", "lost", "lost_at_ms", "lost_ms"]
SWITCHES = ["tags_hidden", "error", "error_is_final", "hang", "hidden", "stamps"]
WHOLE = ["tags", "driver_depth", "backend", "lost"]
PARTS = ["miss", "wave_phase", "tail", "error_part", "no_stamp"]
SHAPES = ["none", "sine", "square", "walk"]
MACHINE = ["cpus", "nodes", "maps", "bio", "submit_us", "complete_us", "completions_per", "reinstate_ms"]
# Keys of the acceptance suite that tell it where and how to run; here they change nothing.
ELSEWHERE = ["title", "tells", "number", "quick", "clock", "selectors", "transport"]
TRANSPORTS = ["test disk", "tcm_loop"]
LOAD = ["type", "iops", "size", "period_ms", "random", "pause_ms", "together"]
LOADS = ["closed", "poisson", "burst"]
MAX_RANGE = 64      # sizes of a bsrange
MAX_CPUS, MAX_MAPS = 256, 64


@dataclass
class Job:
    """Like the acceptance suite's; `numjobs` of them, each on a CPU of its own."""
    rw: str = "randread"
    depths: List[int] = field(default_factory=list)
    bs: str = "4k"
    bssplit: str = ""
    bsrange: str = ""
    seconds: float = 3.0
    warm: float = 1.0
    label: str = ""
    numjobs: int = 1
    writes: float = -1.0            # part of the I/Os; by rw
    load: Dict[str, object] = field(default_factory=dict)
    depth: int = 1                  # of a job beside

    @property
    def name(self):
        return self.label or f"{self.rw} {self.bssplit or self.bsrange or self.bs}"

    @property
    def closed(self):
        return self.load.get("type", "closed") == "closed"

    def flows(self, cpus, depth):
        """For the engine: they are counted together."""
        common = {"name": self.name, "sizes": self.sizes(), "load": self.load or {"type": "closed"},
                  "writes": WRITES[self.rw] if self.writes < 0 else self.writes}
        return [{**common, "cpu": number % cpus, "depth": depth} for number in range(self.numjobs)]

    def sizes(self):
        if self.bssplit:
            return [[size_of(part.split("/")[0]), float(part.split("/")[1])] for part in self.bssplit.split(":")]
        if self.bsrange:
            least, most = map(size_of, self.bsrange.split("-"))
            step = least * -(-(most // least) // MAX_RANGE)
            return [[size, 1] for size in range(least, most + 1, step)]
        return [[size_of(self.bs), 1]]


def size_of(text):
    """4k: 4096"""
    text = text.strip().lower()
    unit = UNITS.get(text[-1:], 1)
    size = int(text[:-1] if unit > 1 else text) * unit
    if not 512 <= size <= 1 << 30:
        raise ValueError(text)
    return size


def check_device(where, table, known):
    check_keys(where, table, known)
    for key, value in table.items():
        if key in SWITCHES:
            one_of(f"{where}: {key}", value, [False, True])
        elif key == "wave":
            one_of(f"{where}: {key}", value, SHAPES)
        elif key == "remote_us":
            if not isinstance(value, list):
                raise ScenarioError(f"{where}: remote_us = {value!r} is no list of numbers, one for each node")
            check_numbers(where, {f"{key}[{node}]": each for node, each in enumerate(value)})
        else:
            check_numbers(where, {key: value})
        if key in WHOLE and not isinstance(value, int):
            raise ScenarioError(f"{where}: {key} = {value!r} is no whole number")
        if key in PARTS and value > 1:
            raise ScenarioError(f"{where}: {key} = {value!r} is no part of all, from 0 to 1")


def device(where, table, known=None):
    """A path's or backend's table for the engine."""
    check_device(where, table, known or PATH)
    found = {key: bool(value) if key in SWITCHES else value for key, value in table.items() if key != "tail_every"}
    if table.get("tail_every"):
        found["tail"] = 1 / table["tail_every"]
    return found


def parse_job(where, table, beside=False):
    job = build(Job, where, table)
    for key in ("seconds", "warm", "depths") if beside else ("depth",):
        if isinstance(table, dict) and key in table:
            raise ScenarioError(f"{where}: {key}: jobs have depths, seconds and warm; beside them, depth")
    one_of(f"{where}: rw", job.rw, list(WRITES))
    check_load(f"{where}: load", job.load)
    if not beside and job.closed:
        check_depths(where, job.depths)
    if job.writes > 1 or (job.writes < 0 and "writes" in table):
        raise ScenarioError(f"{where}: writes = {job.writes!r} is no part of all, from 0 to 1")
    for key, least in (("numjobs", 1), ("depth", 1), ("warm", 0), ("seconds", 0.01)):
        if getattr(job, key) < least:
            raise ScenarioError(f"{where}: {key} = {getattr(job, key)!r} is less than {least}")
    try:
        job.sizes()
    except (ValueError, IndexError):
        raise ScenarioError(f"{where}: {job.bssplit or job.bsrange or job.bs!r} is no size; bs = \"4k\", "
                            "bssplit = \"4k/60:1m/40\" or bsrange = \"4k-64k\"") from None
    return job


def check_load(where, load):
    check_keys(where, load, LOAD)
    one_of(f"{where}: type", load.get("type", "closed"), LOADS)
    check_numbers(where, {key: value for key, value in load.items() if key not in ("type", "random", "together")})


def check_machine(where, table):
    check_numbers(where, {key: table[key] for key in MACHINE if key in table and key != "bio"})
    one_of(f"{where}: bio", table.get("bio", False), [False, True])
    for key, most in (("cpus", MAX_CPUS), ("nodes", table.get("cpus", 4)), ("maps", MAX_MAPS)):
        value = table.get(key, 1)
        if not isinstance(value, int) or not 1 <= value <= most:
            raise ScenarioError(f"{where}: {key} = {value!r} is no whole number from 1 to {most}")


def check_paths(where, paths, backends):
    if not 1 <= len(paths) <= 64:
        raise ScenarioError(f"{where}: paths: 1 to 64 tables are wanted, not {len(paths)}")
    for number, path in enumerate(paths):
        if path.get("backend", 0) >= max(len(backends), 1) or ("backend" in path and not backends):
            raise ScenarioError(f"{where}: paths[{number}]: backend = {path['backend']}: there are {len(backends)}, "
                                "counted from 0")


def parse_change(where, table, paths):
    check_keys(where, table, ["at", "path", "set"], ["at", "path", "set"])
    check_numbers(where, {"at": table["at"]})
    one_of(f"{where}: path", table["path"], list(range(paths)))
    return {"at_ms": 1000 * table["at"], "path": table["path"], **device(f"{where}: set", table["set"])}


def parse_halt(where, table):
    check_keys(where, table, ["at", "seconds"], ["at", "seconds"])
    check_numbers(where, table)
    return {"at_ms": 1000 * table["at"], "ms": 1000 * table["seconds"]}


def parse(where, name, table):
    """{name of the row: scenario}: one for each job and depth."""
    table = dict(table)
    check_keys(where, table, [*ELSEWHERE, *MACHINE, "arguments", "paths", "backends", "jobs", "beside", "changes",
                              "halts"], ["title"])
    one_of(f"{where}: transport", table.get("transport", TRANSPORTS[0]), TRANSPORTS)
    one_of(f"{where}: clock", table.get("clock", CLOCKS[0]), CLOCKS)
    check_machine(where, table)
    check_options(f"{where}: arguments", table.get("arguments", {}))
    backends = parse_list(where, table, "backends", lambda at, item: device(at, item, SERVER))
    paths = parse_list(where, table, "paths", device)
    check_paths(where, paths, backends)
    jobs = parse_list(where, table, "jobs", parse_job)
    beside = parse_list(where, table, "beside", lambda at, item: parse_job(at, item, beside=True))
    changes = parse_list(where, table, "changes", lambda at, item: parse_change(at, item, len(paths)))
    halts = parse_list(where, table, "halts", parse_halt)
    if not jobs:
        raise ScenarioError(f"{where}: jobs: at least one is wanted")
    options = {key: str(value) for key, value in table.get("arguments", {}).items()}
    common = {key: table[key] for key in MACHINE if key in table}
    common = {"cpus": 4, **common, "options": options, "paths": paths, "backends": backends,
              "changes": sorted(changes, key=lambda change: change["at_ms"]), "halts": halts}
    return dict(cell for job in jobs for cell in cells(name, job, beside, common, len(jobs)))


def cells(name, job, beside, common, jobs):
    depths = job.depths if job.closed else [1]
    for depth in depths:
        words = [name] + [job.name] * (jobs > 1) + [f"depth {depth}"] * (len(depths) > 1)
        yield " ".join(words), scenario(job, depth, beside, common)


def scenario(job, depth, beside, common):
    """The engine's. Alone, a job needs no name; where something changes, or the machine stands still, all counts."""
    cpus, warm = common["cpus"], 0 if common["changes"] or common["halts"] else job.warm
    found = {**common, "warmup_ms": 1000 * warm, "runtime_ms": 1000 * job.seconds}
    flows = job.flows(cpus, depth)
    if beside:
        return {**found, "load": {"type": "closed"},
                "jobs": flows + [flow for each in beside for flow in each.flows(cpus, each.depth)]}
    own = flows[0]
    return {**found, "load": own["load"], "sizes": own["sizes"], "writes": own["writes"],
            "jobs": [{"cpu": flow["cpu"], "depth": depth} for flow in flows]}


def load(path):
    try:
        table = tomllib.loads(path.read_text())
    except OSError as error:
        raise ScenarioError(f"{path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ScenarioError(f"{path.name}: {error}") from None
    return parse(path.name, path.stem, table)
