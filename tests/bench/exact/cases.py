"""What is measured: paths, depths and sizes of I/O, as plain data.

tests/sim runs the very same cases, so nothing here may need a guest.
"""
from dataclasses import dataclass, field
from typing import Dict, List, Tuple


@dataclass(frozen=True)
class Case:
    """Random reads, and some writes, on a map of these paths, in a closed loop of each of the depths."""
    paths: List[Dict[str, int]]  # for each: delay_us, service_us, mbps, tags, others; tests/modules/disk/model.c
    depths: Tuple[int, ...]
    sizes: Tuple[Tuple[int, int], ...] = ((4096, 100),)  # bytes, and the per cent of the I/Os
    request_based: bool = True
    writes: int = 0              # per cent of the I/Os
    arguments: Dict[str, int] = field(default_factory=dict)     # latency-weighted's, in the table line


def path(delay_us: int, service_us: int = 0, mbps: int = 0, tags: int = 256, **others: int) -> Dict[str, int]:
    return {"delay_us": delay_us, "service_us": service_us, "mbps": mbps, "tags": tags, **others}


MIXED = ((4096, 60), (65536, 30), (1048576, 10))
SMALL_AND_LARGE = ((4096, 95), (1048576, 5))
CACHE = {"tail_permille": 300, "tail_us": 8000}  # 30 % of the I/Os miss it
APART = {"by_operation": 1}      # reads and writes

CASES: Dict[str, Case] = {
    "1/10 ms": Case([path(1000), path(10000)], (1, 8, 32, 128)),
    "5/35 ms": Case([path(5000), path(35000)], (1, 8, 32, 128)),
    "equal, 1 ms": Case([path(1000)] * 2, (1, 16)),
    "2 equal, 5 ms": Case([path(5000)] * 2, (1, 16, 128)),
    "4 equal, 5 ms": Case([path(5000)] * 4, (1, 16, 128)),
    # 1000 IOPS after 2 ms, 2000 IOPS after 10.5 ms
    "capped": Case([path(1000, service_us=1000), path(10000, service_us=500)],
                   (4, 8, 16, 32, 64, 128)),
    # what the demo does: 1000 IOPS each, one path 30 ms farther
    "capped, +30 ms": Case([path(2000, service_us=1000), path(32000, service_us=1000)],
                           (4, 8, 16, 32, 64, 128)),
    # 1000 IOPS each after 5 ms: both are full from depth 10 on
    "equal, capped": Case([path(4000, service_us=1000)] * 2, (4, 16, 64)),
    "mixed sizes": Case([path(1000, mbps=200), path(5000, mbps=50)], (4, 16, 64), MIXED),
    "bandwidth 10:1, 64k": Case([path(1000, mbps=200), path(1000, mbps=20)], (4, 16, 64),
                                ((65536, 100),)),
    "bandwidth 10:1, 1M": Case([path(1000, mbps=1000), path(1000, mbps=100)], (4, 16, 64),
                               ((1048576, 100),)),
    # Noise of real paths, as tests/sim/noise.py has it: M-eq4, M-eq4b, M-eq4d, C-70, C-70near, S-mix, D-10near.
    "4 equal, 5 % 1M": Case([path(580, service_us=540)] * 4, (32,), SMALL_AND_LARGE),
    "2 GB/s each, 5 % 1M": Case([path(580, service_us=540, mbps=2000)] * 4, (32, 64), SMALL_AND_LARGE),
    "70 % hits, +2 ms": Case([path(180, service_us=20, **CACHE), path(2180, service_us=20, **CACHE)], (4, 16)),
    "70 % hits near": Case([path(180, service_us=20, **CACHE), path(2180, service_us=20)], (4, 16)),
    "lognormal, mixed": Case([path(500, service_us=20, mbps=1000, sigma_permille=500),
                              path(5000, service_us=20, mbps=1000, sigma_permille=500)], (8, 32), MIXED),
    "slow writes near": Case([path(180, service_us=20, write_delay_us=4980), path(1180, service_us=20)], (4, 16),
                             writes=10),
    # D-raid with times four times as long, which the guest's CPU can follow: 11904 IOPS
    "RAID, 60 % writes": Case([path(delay, service_us=120, write_service_us=480) for delay in (1200, 1200, 3200, 3200)],
                              (32,), ((8192, 100),), writes=60),
    # O-near and O-turn of tests/sim/operations.py without chance, ten and twenty times as long
    "reads near, writes far": Case([path(1980, service_us=20, write_delay_us=39980), path(9980, service_us=20)],
                                   (4, 32), writes=50, arguments=APART),
    "reads or writes near": Case([path(3980, service_us=20, write_delay_us=39980),
                                  path(39980, service_us=20, write_delay_us=3980)],
                                 (4, 32), writes=50, arguments=APART),
}
