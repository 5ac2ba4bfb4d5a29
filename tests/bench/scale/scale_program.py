"""The native program: built by make, run for each row."""
import statistics
from pathlib import Path
from typing import Dict

from tests.bench.records import Record
from tests.kernel_shim.native import native_program as native
from tests.vm.places import CHECKOUT

from .scale_plan import PROGRAM_MEGABYTES, Row

HERE = Path(__file__).resolve().parent
BUILD = CHECKOUT / "build" / "scale"



def build(directory: Path = BUILD) -> Path:
    return native.build(HERE, directory, "scale")


def megabytes() -> int:
    """What the program may take: leave others some of what is free."""
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return min(PROGRAM_MEGABYTES, int(line.split()[1]) * 3 // 4096)
    return PROGRAM_MEGABYTES


def once(program: Path, row: Row, limit: int) -> Dict[str, int]:
    return native.run(program, *row.arguments(limit))


def measure(program: Path, row: Row, limit: int) -> Record:
    """The row, and of each figure the median of its runs."""
    found = [once(program, row, limit) for _ in range(row.runs)]
    middle = {key: statistics.median_low(one[key] for one in found) for key in found[0]}
    return {"row": row.name, "cpus": row.cpus, "nodes": row.nodes, "paths": row.paths, "wanted_maps": row.maps,
            **middle}
