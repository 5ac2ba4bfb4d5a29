"""Which machines and maps are measured, as data."""
from dataclasses import dataclass, field
from typing import Dict, List

PROGRAM_MEGABYTES = 4500    # more than the marks' row should take, and less than most machines have


@dataclass(frozen=True)
class Row:
    """One line of the table; what `more` has goes to the program as it is."""
    name: str
    cpus: int
    paths: int
    nodes: int = 1
    maps: int = 1
    busy: int = 100         # per cent of the maps
    runs: int = 1           # of which the median counts
    more: Dict[str, int] = field(default_factory=dict)

    def arguments(self, megabytes: int) -> List[str]:
        given = dict(cpus=self.cpus, nodes=self.nodes, paths=self.paths, maps=self.maps, busy=self.busy,
                     megabytes=megabytes, **self.more)
        return [f"{key}={value}" for key, value in given.items()]


FEW, MANY = "two-paths", "64-paths"     # whose I/Os are compared
MARKED, IDLE, LOAD = "thousand", "thousand-idle", "load"

# An I/O is measured on one map; where there are many, windows are.
HEAVY = dict(batches=0, warm=10, windows=25)
ROWS = [
    Row("guest", 1, 2, runs=3),
    Row(FEW, 8, 2, runs=5),
    Row("eight-paths", 8, 8, runs=3),
    Row("32-paths", 8, 32, runs=3),
    Row(MANY, 8, 64, runs=5),
    Row("server", 64, 8),
    Row("large-two-paths", 256, 2),
    Row("large", 256, 8),
    Row("large-32-paths", 256, 32),
    Row("large-64-paths", 256, 64),
    Row("large-nodes", 256, 8, nodes=8),
    Row("large-nodes-sizes", 256, 8, nodes=8, more=dict(sizes=4)),
    Row("large-nodes-64-paths", 256, 64, nodes=8),
    Row("huge", 512, 8, nodes=8),
    Row("huge-64-paths", 512, 64, nodes=8),
    Row("hundred", 64, 8, maps=100, more=HEAVY),
    Row("hundred-idle", 64, 8, maps=100, busy=1, more=HEAVY),
    Row("thousand-guest", 8, 8, maps=1000, more=HEAVY),
    Row(MARKED, 256, 8, maps=1000, more=HEAVY),
    Row(IDLE, 256, 8, maps=1000, busy=1, more=HEAVY),
    Row("thousand-nodes", 256, 8, nodes=8, maps=1000, more=HEAVY),
    Row(LOAD, 256, 64, maps=9, more=dict(batches=0, warm=1, windows=2)),
]

# Memory of a CPU and path is what the mixed difference of these says: each CPU used each path.
SMALL_CPUS, LARGE_CPUS, SMALL_PATHS, LARGE_PATHS = 64, 256, 8, 24
CORNERS = [Row(f"memory-{cpus}-{paths}", cpus, paths, more=dict(batches=0, warm=1, windows=2, touch=1))
           for cpus in (SMALL_CPUS, LARGE_CPUS) for paths in (SMALL_PATHS, LARGE_PATHS)]
