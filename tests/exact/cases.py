"""What is measured: paths, depths and sizes of I/O, as plain data.

tests/sim runs the very same cases, so nothing here may need a guest.
"""
from dataclasses import dataclass
from typing import Dict, List, Tuple


@dataclass(frozen=True)
class Case:
    """Random reads on a map of these paths, in a closed loop of each of the depths."""
    paths: List[Dict[str, int]]  # for each: delay_us, service_us, mbps, tags; tests/disk/model.c
    depths: Tuple[int, ...]
    sizes: Tuple[Tuple[int, int], ...] = ((4096, 100),)  # bytes, and the per cent of the I/Os
    request_based: bool = True


def path(delay_us: int, service_us: int = 0, mbps: int = 0, tags: int = 256) -> Dict[str, int]:
    return {"delay_us": delay_us, "service_us": service_us, "mbps": mbps, "tags": tags}


MIXED = ((4096, 60), (65536, 30), (1048576, 10))

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
}
