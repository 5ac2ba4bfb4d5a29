"""What is measured late: a state that an estimate has led itself into shows only after a minute.

A name begins with its kind: X mixed sizes over pairs of paths, by depth; Q what a queue or a rest hides; K cases that
got stuck once; P a load that becomes another one again and again. Rows of other lists have -late behind their names.
"""
import random

from . import oracle
from .noise import NOISE, SMALL_AND_MB, beside, job, wave
from .scenarios import KB, MB, MIX, SCENARIOS, closed, path

SHORT_FROM = 40000      # IOPS that the paths can have: such a row is measured from 20 to 30 s, others from 60 to 90 s
UP_TO_512K = [[4 * KB, 50], [64 * KB, 40], [512 * KB, 10]]
SMALL_AND_256K = [[16 * KB, 70], [256 * KB, 30]]


def even(delay_us, service_us=0, mbps=0, **more):
    """A path without chance."""
    return dict(delay_us=delay_us, service_us=service_us, mbps=mbps, **more)


def late(scenario):
    """From 60 to 90 s; earlier if it would take long to simulate."""
    fast = (oracle.bound(scenario) or 0) >= SHORT_FROM
    return dict(scenario, warmup_ms=20000 if fast else 60000, runtime_ms=10000 if fast else 30000)


def steady(scenarios):
    return {name: scenario for name, scenario in scenarios.items() if not {"changes", "halts"} & set(scenario)}


def becomes(at_s, index=0, **other):
    return [dict(at_ms=1000 * at_s, path=index, **other)]


def phases(paths, steps, **more):
    """One job, whose phases these are."""
    return dict(closed(paths, 1, 1, 1, **more), load=dict(type="closed", phases=steps))


# -- mixed sizes

PAIRS = {
    "slow": ([even(1000, 0, 200), even(5000, 0, 50)], MIX),                     # the acceptance suite's mixed-sizes
    "gbit": ([path(300, 20, 115)] * 2, SMALL_AND_MB),
    "fc": ([path(200, 10, 2000)] * 2, SMALL_AND_MB),
    "ten": ([path(200, 10, 1150), path(300, 20, 115)], UP_TO_512K),
    "spill": ([path(50, 20, 3500, sigma=0.3), path(3000, 100, sigma=0.3)], MIX),
    "sites": ([path(300, 10, 1150), path(5000, 10, 1150)], UP_TO_512K),
    "narrow": ([path(1000, 50, 100), path(4000, 50, 400)], MIX),
    "double": ([path(500, 20, 400), path(1000, 20, 800)], SMALL_AND_MB),
}
MIXED = {f"X-{name}-{depth}": closed(paths, 1, 1, depth, sizes=sizes)
         for name, (paths, sizes) in PAIRS.items() for depth in (2, 4, 8, 16)}
MIXED.update({f"X-four-{depth}": closed([path(300, 20, 115)] * 4, 1, 1, depth, sizes=SMALL_AND_MB)
              for depth in (4, 8, 16, 32)})
MIXED["X-four512k-8"] = closed([path(300, 20, 115)] * 4, 1, 1, 8, sizes=UP_TO_512K)

# -- queues, rests and losses


def capacity_lost(first, then, service_us):
    """A burst of `first` I/Os for 5 s, then `then`, and the near path becomes narrow."""
    return phases([path(2000, 5), path(20000, 5)], [dict(ms=5000, depth=first), dict(depth=then)],
                  changes=becomes(5, service_us=service_us))


def rests(service_us, depth, period_ms, rest_ms):
    return closed([path(1500 - service_us, service_us, stall_period_ms=period_ms, stall_ms=rest_ms), path(20000, 5)],
                  1, 1, depth)


def lost(jobs, lost_ios, at_s=60, **more):
    """Of two narrow paths the near one loses I/Os, which time out half a minute later."""
    return closed([path(1000, 1000, lost=lost_ios, lost_at_ms=1000 * at_s), path(7000, 1000)], 4, jobs, 1, **more)


HIDDEN = {
    "Q-lost36": capacity_lost(116, 36, 500),
    "Q-lost18": capacity_lost(58, 18, 1000),
    "Q-lost8": capacity_lost(20, 8, 1000),
    "Q-rest32": rests(500, 32, 500, 30),
    "Q-rest64": rests(200, 64, 1000, 40),
    "Q-nearer": closed([path(8000, 300), path(20000, 5)], 1, 1, 48, changes=becomes(5, delay_us=2000)),
    "Q-farther": closed([path(2000, 5), path(20000, 5)], 1, 1, 64, changes=becomes(5, delay_us=8000)),
    "Q-gone2": lost(16, 2),
    "Q-gone4": lost(16, 4),
    "Q-gonepause": dict(lost(128, 4), load=dict(type="closed", period_ms=500, pause_ms=250)),
}

# -- what got stuck once

ARRAY = [dict(service_us=10, **wave("sine", 342, wave_service=20))]
BREATHES = wave("sine", 342, wave_delay=4)
PAUSED = dict(stall_period_ms=1660, stall_ms=500)

STUCK = {
    "K-jitter": closed([even(4000, 400, sigma=0.5)] * 2, 1, 1, 32),
    "K-tail": closed([even(400, 40, sigma=0.5, tail=0.01, tail_us=10000)] * 2, 1, 1, 32),
    "K-array": closed([even(300, 5, backend=0), even(1300, 5, backend=0)], 1, 1, 16, backends=ARRAY),
    "K-delays": closed([even(480, 20, **BREATHES), even(1480, 20, **BREATHES)], 1, 1, 16),
    "K-loses": closed([even(480, 20, sigma=0.2, tail=0.002, tail_us=200000), even(1480, 20, sigma=0.2)], 1, 1, 16,
                      sizes=[[8 * KB, 1]]),
    "K-scan": beside([even(22100, 95), even(78, 39), even(73, 53)],
                     [job("oltp", 0, 12), job("scan", 0, 200, sizes=[[8 * KB, 80], [128 * KB, 20]])], cpus=1),
    "K-pause": closed([even(1060, 63, stall_period_ms=1890, stall_ms=500), even(954, 94, **PAUSED), even(848, 69),
                       even(954, 94, **PAUSED), even(954, 94, **PAUSED)], 1, 1, 4),
    "K-spill": closed([even(282, 34, 1040)] * 2 + [even(9350, 660, 50)], 1, 1, 15, sizes=SMALL_AND_256K),
    "K-nearly": closed([even(1169, 12, sigma=0.5), even(1666, 8, sigma=0.2)], 1, 1, 32),
}

# -- loads that become others

PHASE_MS = 20000
PHASES = 15     # 20 s each: five minutes
PHASE_SIZES = [[[4 * KB, 1]], MIX, SMALL_AND_MB, UP_TO_512K, SMALL_AND_256K, [[64 * KB, 1]], [[MB, 1]]]
PHASE_PATHS = [
    [path(1000, 20, 200), path(5000, 20, 50)],
    [path(300, 20, 115)] * 2,
    [path(1000, 100, 400), path(3000, 100, 400)],
    [path(500, 540)] * 4,
    [path(500, 100, 1150), path(300, 100, 115)],
    [path(2000, 500), path(20000, 5)],
    [path(300, 50, 400, write_delay_us=2000), path(1500, 50, 400)],
    [path(500, 50, 200)] * 2 + [path(4000, 50, 800)] * 2,
]


def phase(rng):
    """Another depth, another mix of sizes, some writes, and sometimes pauses."""
    found = dict(ms=PHASE_MS, depth=rng.choice([1, 2, 4, 8, 16, 32, 64, 128]), sizes=rng.choice(PHASE_SIZES),
                 writes=rng.choice([0, 0, 0, 0.3]))
    if rng.random() < 0.3:
        period_ms = rng.choice([100, 500, 3000])
        found.update(period_ms=period_ms, pause_ms=round(period_ms * rng.choice([0.2, 0.5, 0.9])))
    return found


def changing(number):
    """The first phase is not counted: nobody knows the paths yet."""
    rng = random.Random(5000 + number)
    return dict(phases(PHASE_PATHS[number - 1], [phase(rng) for _ in range(PHASES + 1)]),
                warmup_ms=PHASE_MS, runtime_ms=PHASES * PHASE_MS, part_ms=PHASE_MS)


CHANGING = {f"P{number}": changing(number) for number in range(1, len(PHASE_PATHS) + 1)}

LONG = {
    **{f"{name}-late": late(scenario) for name, scenario in {**steady(SCENARIOS), **steady(NOISE)}.items()},
    **{name: late(scenario) for name, scenario in {**MIXED, **HIDDEN, **STUCK}.items()},
    **CHANGING,
}
