"""Selectors side by side on the test disk, to be run in a guest in virtual time.

"make bench-exact" boots it (QEMU -icount, one CPU): the figures then do not depend
on the host, and a second run gives the same ones.
"""
import argparse
import math
import sys

from tests.dm.lib import fio
from tests.dm.lib.disks import path_disks
from tests.dm.lib.multipath import Multipath

OURS = "latency-weighted"
PEERS = ["round-robin", "queue-length", "service-time"]

# name: the paths (parameters of tests/disk), depths, and what fio does besides 4k random reads
CASES = {
    "1/10 ms": ([dict(delay_us=1000), dict(delay_us=10000)], [1, 8], {}),
    "5/35 ms": ([dict(delay_us=5000), dict(delay_us=35000)], [1, 8, 32], {}),
    "equal, 1 ms": ([dict(delay_us=1000)] * 2, [1, 16], {}),
    # 1000 IOPS after 2 ms, 2000 IOPS after 10.5 ms
    "capped": ([dict(delay_us=1000, service_us=1000), dict(delay_us=10000, service_us=500)],
               [8, 32, 64], {}),
    # what the demo does: 1000 IOPS each, one path 30 ms farther
    "capped, +30 ms": ([dict(delay_us=2000, service_us=1000), dict(delay_us=32000, service_us=1000)],
                       [4, 16, 64], {}),
    "mixed sizes": ([dict(delay_us=1000, mbps=200), dict(delay_us=5000, mbps=50)], [16, 64],
                    dict(bssplit="4k/60:64k/30:1M/10", bs=None)),
}


def measure(selector, parameters, depth, options, runtime):
    """(fio's result, the last path's share of the I/Os)"""
    with path_disks(len(parameters)) as disks:
        for disk, settings in zip(disks, parameters):
            disk.set(**settings)
        with Multipath(disks, selector, "rq") as mapped:
            before = [disk.used() for disk in disks]
            result = fio.run(mapped.path, runtime=runtime, iodepth=depth, ramp_time=1, **options)
            used = [disk.used() - start for disk, start in zip(disks, before)]
    return result, used[-1] / sum(used)


def run_case(name, depth, runtime):
    """Print a line per selector; ours against the best of the others in throughput."""
    parameters, _, options = CASES[name]
    iops = {}
    for selector in PEERS + [OURS]:
        result, share = measure(selector, parameters, depth, options, runtime)
        iops[selector] = result.iops
        print(f"{name:16} {depth:5} {selector:18} {result.iops:8.0f} {result.mean_us:9.0f}"
              f" {result.p99_us:9.0f} {100 * share:8.1f}", flush=True)
    return iops[OURS] / max(iops[peer] for peer in PEERS)


def main():
    parser = argparse.ArgumentParser(prog="tests.exact", description=__doc__.split("\n")[0])
    parser.add_argument("--case", action="append", choices=list(CASES), help="default: all")
    parser.add_argument("--runtime", type=int, default=3, metavar="S",
                        help="virtual seconds for each figure (default 3)")
    chosen = parser.parse_args()
    print(f"{'paths':16} depth {'selector':18} {'IOPS':>8} {'mean us':>9} {'p99 us':>9} {'slow %':>8}")
    ratios = [run_case(name, depth, chosen.runtime)
              for name in chosen.case or CASES for depth in CASES[name][1]]
    gmean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"exact: gmean={gmean:.3f} worst={min(ratios):.3f}")
    return 0


sys.exit(main())
