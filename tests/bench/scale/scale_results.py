"""Records of the program: what they come to, held against the marks, shown."""
from typing import Dict, List, Optional

from tests.bench.marks import Mark, summary
from tests.bench.records import Record

from .scale_plan import (CORNERS, FEW, IDLE, LARGE_CPUS, LARGE_PATHS, LOAD, MANY, MARKED, SMALL_CPUS,
                         SMALL_PATHS)


def by_row(records: List[Record]) -> Dict[str, Record]:
    return {record["row"]: record for record in records}


def wanted_busy(record: Record) -> float:
    """Busy maps, had there been memory for all."""
    return record["busy"] * record["wanted_maps"] / record["maps"]


def io_ns(record: Record) -> Optional[float]:
    """Of an I/O in a deep load on one map; what the program itself takes is not in it."""
    return (record["io_ps"] - record["null_ps"]) / 1000 if "io_ps" in record else None


def spread_ns(record: Record) -> float:
    """Of an I/O where each map has one now and then: caches are cold if there are many maps."""
    return (record["spread_ns"] - record["spread_null_ns"]) / record["ios"]


def window_us(record: Record) -> float:
    return record["window_ns"] / max(record["windows"], 1) / 1000


def window_percent(record: Record) -> float:
    """Of one CPU, for all maps that are busy."""
    return 100 * record["window_ns"] / record["spans_ns"] * wanted_busy(record) / record["busy"]


def idle_windows(record: Record, windows: int) -> int:
    """Of maps that had no I/O in the measured time, and of all after the last I/O."""
    return (max(record["windows"] - windows * record["busy"], 0) + record["queued"] - record["busy"] +
            record["restless"])


def bytes_each(records: List[Record]) -> Optional[float]:
    """Of a possible CPU and path: what grows with both, whatever it is called and whoever allocates it."""
    rows = by_row(records)
    if not all(corner.name in rows for corner in CORNERS):
        return None
    sign = {(SMALL_CPUS, SMALL_PATHS): 1, (LARGE_CPUS, LARGE_PATHS): 1}
    mixed = sum(sign.get((corner.cpus, corner.paths), -1) * rows[corner.name]["used_bytes"] for corner in CORNERS)
    return mixed / ((LARGE_CPUS - SMALL_CPUS) * (LARGE_PATHS - SMALL_PATHS))


def marks(records: List[Record], windows: int) -> List[Mark]:
    """In the order of the last line; of rows that were measured."""
    rows, each, found = by_row(records), bytes_each(records), []
    if MARKED in rows:
        found.append(Mark("window_percent", "windows of 1,000 busy maps of 8 paths on 256 CPUs, per cent of one CPU",
                          window_percent(rows[MARKED]), 30, form=".1f"))
    if each is not None:
        found.append(Mark("bytes", "memory of a possible CPU and path, bytes", each, 256, form=".0f"))
    if FEW in rows and MANY in rows:
        found.append(Mark("io64", "an I/O at 64 paths against one at 2", io_ns(rows[MANY]) / io_ns(rows[FEW]), 3,
                          form=".2f"))
    if IDLE in rows:
        found.append(Mark("idle", "windows of idle maps", idle_windows(rows[IDLE], windows), 0, form=".0f"))
    if LOAD in rows:
        found.append(Mark("load", "a table of 64 paths on 256 CPUs, ms", rows[LOAD]["load_ns"] / 1e6, 100, form=".1f"))
    return found


HEADING = (f"{'row':20} {'CPUs':>4} {'nodes':>5} {'paths':>5} {'maps':>5} {'busy':>5} {'ns/IO':>6} {'apart':>6} "
           f"{'us/window':>9} {'% of CPU':>8} {'MB':>7} {'bytes':>6} {'load ms':>7}")


def line(record: Record) -> str:
    deep = io_ns(record)
    each = record["bytes"] / (record["cpus"] * record["paths"] * record["maps"])
    return (f"{record['row']:20} {record['cpus']:4} {record['nodes']:5} {record['paths']:5} {record['maps']:5} "
            f"{record['busy']:5} {'' if deep is None else format(deep, '.0f'):>6} {spread_ns(record):6.0f} "
            f"{window_us(record):9.1f} {window_percent(record):8.2f} {record['bytes'] / 1e6:7.1f} {each:6.0f} "
            f"{record['load_ns'] / 1e6:7.2f}")


def notes(records: List[Record]) -> List[str]:
    """What the table does not say by itself."""
    found = [f"{record['row']}: memory was enough for {record['maps']} of {record['wanted_maps']} maps; the part of a "
             "CPU is reckoned for all" for record in records if record["maps"] < record["wanted_maps"]]
    found += [f"{record['row']}: synchronize_rcu() was called {record['rcu_waits']} times for {record['maps']} tables; "
              "each would take milliseconds" for record in records if record["rcu_waits"]]
    deep = [record for record in records if "io_ps" in record]
    if deep:
        own, clock, flags = (sorted(record[key] for record in deep)[len(deep) // 2] / 1000
                             for key in ("null_ps", "clock_ps", "flags_ps"))
        found.append(f"taken off ns/IO: {own:.1f} ns that the program itself takes; left in it, since a kernel pays "
                     f"for it, too: {clock:.1f} ns for each look at the clock, {flags:.1f} for each saving of flags")
    return found


def report(records: List[Record], windows: int) -> str:
    """Table, notes, marks, and the line for machines."""
    corners = {corner.name for corner in CORNERS}
    shown = [record for record in records if record["row"] not in corners]
    found = marks(records, windows)
    parts = ["\n".join([HEADING, *map(line, shown)])] if shown else []
    if notes(shown):
        parts.append("\n".join(notes(shown)))
    if found:
        parts.append(summary(found))
    return "\n\n".join(parts + [verdict(found)])


LAST = ("window_percent", "bytes", "io64")


def verdict(found: List[Mark]) -> str:
    figures = [f"{mark.name}={mark.shown}" for mark in found if mark.name in LAST]
    return " ".join(["scale:", *figures])
