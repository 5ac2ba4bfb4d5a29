"""Reads, writes and flushes that take different times on different paths.

A name is O and what the paths are: near for one of them beside an equal path, in turn, mirrored, slow for writes.
A number is the per cent of writes where that is not half of the I/Os; d is deep, s is a server that limits.
"""
from .scenarios import KB, closed

OLTP = [[8 * KB, 1]]
FLUSHES = [[0, 1], [4 * KB, 2]]


def path(read_us, write_us, service_us=20, **more):
    """Latencies of an idle path."""
    return dict(delay_us=read_us - service_us, write_delay_us=write_us - service_us, service_us=service_us, sigma=0.1,
                **more)


def mixed(paths, depth, writes=0.5, **more):
    """Of four jobs."""
    return closed(paths, 4, 4, depth, writes=writes, **more)


# A site of a stretched cluster that answers reads itself, and has writes of the other one, beside a middle way.
NEAR_FOR_READS = [path(200, 4000), path(1000, 1000)]
IN_TURN = [path(200, 2000, 5), path(2000, 200, 5)]
# Both sites have to have a write before it is done, whichever path it takes.
MIRRORED = [path(200, 1200), path(1200, 2200)]
MIRRORED_BY_OWNER = [path(200, 1200), path(1200, 1200)]
SLOW_WRITES = [path(500, 4000), path(500, 500)]
PARITY = [path(500, 500, 30, write_service_us=240), path(500, 500, 30)]

OPERATIONS = {
    "O-near": mixed(NEAR_FOR_READS, 4),
    "O-near1": closed(NEAR_FOR_READS, 4, 1, 1, writes=0.5),
    "O-near30": mixed(NEAR_FOR_READS, 4, writes=0.3),
    "O-neard": mixed(NEAR_FOR_READS, 32),
    "O-turn": mixed(IN_TURN, 4),
    "O-turn30": mixed(IN_TURN, 4, writes=0.3, sizes=OLTP),
    "O-turnd": mixed(IN_TURN, 32),
    "O-mirror": mixed(MIRRORED, 4),
    "O-owner": mixed(MIRRORED_BY_OWNER, 4),
    "O-owner30": mixed(MIRRORED_BY_OWNER, 4, writes=0.3, sizes=OLTP),
    "O-slow": mixed(SLOW_WRITES, 4),
    "O-slow30": mixed(SLOW_WRITES, 4, writes=0.3, sizes=OLTP),
    "O-slow4": mixed(SLOW_WRITES * 2, 8, writes=0.3, sizes=OLTP),
    "O-slows": mixed(PARITY, 16),
    "O-slows30": mixed(PARITY, 16, writes=0.3, sizes=OLTP),
    "O-equal30": mixed([path(500, 1500)] * 2, 8, writes=0.3, sizes=OLTP),
    "O-flush": mixed([path(500, 500, flush_delay_us=4000), path(700, 700, flush_delay_us=700)], 4, writes=1,
                     sizes=FLUSHES),
    "O-flush2": mixed([path(500, 500, flush_delay_us=2000)] * 2, 4, writes=1, sizes=FLUSHES),
}
