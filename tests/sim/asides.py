"""Reads beside I/Os of another kind that take far longer: writes, mirrored writes, discards, flushes.

A row counts with all its jobs, and as the reads alone see it, since a path's latency is not theirs any more. Names that
end with -op are with by_operation.
"""
from .noise import beside, job
from .scenarios import KB, MB

READS = [[4 * KB, 80], [128 * KB, 20]]
TIMES = dict(warmup_ms=5000, runtime_ms=10000)


def path(read_us, write_us, service_us=20, **more):
    """Latencies of an idle path; writes do not take longer in its server."""
    return dict(delay_us=read_us - service_us, write_delay_us=write_us - service_us, service_us=service_us, sigma=0.2,
                **more)


def pair(near_us, far_us, write_us, far_write_us=0, **more):
    return [path(near_us, write_us, **more), path(far_us, far_write_us or write_us, **more)]


def reads(depth, **more):
    return job("reads", 0, depth, **more)


def writes(name, depth, cpu=1, **more):
    return job(name, cpu, depth, writes=1, **more)


def with_writes(paths, read_depth, write_depth, **more):
    return beside(paths, [reads(read_depth, **more), writes("writes", write_depth)], **TIMES)


def with_discards(depth, **more):
    """Discards of 1M, which no link carries."""
    return beside(pair(170, 620, 50000, write_mbps=0, **more),
                  [reads(8, sizes=READS), writes("discards", depth, sizes=[[MB, 1]])], **TIMES)


# Both sites have to have a write before it is done; so there are two jobs for each half of the mirror.
MIRRORED = beside(pair(200, 1200, 1200, 2200),
                  [reads(8), writes("first half", 8), writes("second half", 8, cpu=2)], **TIMES)

BOTH_WAYS = {
    "A-writes": with_writes(pair(170, 620, 2000), 8, 16),
    "A-writes64": with_writes(pair(170, 620, 2000), 8, 64),
    "A-writesd": with_writes(pair(170, 620, 2000), 32, 16),
    "A-slow": with_writes(pair(1500, 6000, 20000), 8, 16),
    "A-farther": with_writes(pair(170, 620, 4000, 600), 8, 16),
    "A-discards": with_discards(4, mbps=2000),
    "A-narrow": with_discards(4, mbps=1000),
    "A-mirror": MIRRORED,
}
ASIDES = {
    **BOTH_WAYS,
    **{f"{name}-op": dict(one, options=dict(by_operation=1)) for name, one in BOTH_WAYS.items()},
    "A-flush": beside([path(170, 170, flush_delay_us=10000), path(620, 620, flush_delay_us=10000)],
                      [reads(8), writes("flushes", 4, sizes=[[0, 1]])], **TIMES),
    "A-same": with_writes(pair(170, 620, 170, 620), 8, 4),
}
