"""The situations that are simulated, as data.

Names and parameters are those of a study that was made before the module. What the study leaves
open (node counts, service times of the large sets) is settled here.
"""
import random

KB, MB = 1024, 1 << 20
MIX = [[4 * KB, 60], [64 * KB, 30], [MB, 10]]
UNIFORM = [[size * KB, 1] for size in (4, 8, 16, 32, 64, 128, 256, 512, 1024)]
FAR_US = 30000


def path(delay_us, service_us, mbps=0, sigma=0.2, **more):
    return dict(delay_us=delay_us, service_us=service_us, mbps=mbps, sigma=sigma, jitter=0.5, **more)


def closed(paths, cpus, jobs, depth, **more):
    """`jobs` jobs, each on a CPU of its own, keep `depth` I/Os in flight each."""
    return dict(paths=paths, cpus=cpus, load=dict(type="closed"),
                jobs=[dict(cpu=job % cpus, depth=depth) for job in range(jobs)], **more)


def poisson(paths, cpus, iops, **more):
    return dict(paths=paths, cpus=cpus, load=dict(type="poisson", iops=iops), **more)


def burst(paths, size, period_ms, **more):
    return dict(paths=paths, cpus=4, load=dict(type="burst", size=size, period_ms=period_ms), **more)


def between(from_s, to_s, path_index, during, after):
    """The path is another one from `from_s` to `to_s` after the start."""
    return [dict(at_ms=1000 * from_s, path=path_index, **during),
            dict(at_ms=1000 * to_s, path=path_index, **after)]


def flapping(until_s):
    """Path 0 is bad for the first 300 ms of each second."""
    return [change for second in range(1, until_s)
            for change in between(second, second + 0.3, 0, dict(error=True), dict(error=False))]


def event(paths, changes, cpus=4, jobs=4, depth=8, **more):
    """2 s before, 3 s of trouble, 4 s after; measured from the beginning of the trouble."""
    return closed(paths, cpus, jobs, depth, changes=changes, warmup_ms=2000, runtime_ms=7000,
                  bucket_ms=10, event_ms=[2000, 5000], **more)


def near_and_far(service_us):
    """Two paths near to each of two nodes."""
    return [path(60, service_us, remote_us=[0, 60]), path(60, service_us, remote_us=[0, 60]),
            path(60, service_us, remote_us=[60, 0]), path(60, service_us, remote_us=[60, 0])]


PAIR = [path(500, 50), path(500, 50)]
SLOWER = dict(delay_us=500 + FAR_US)
HEALED = dict(delay_us=500)
STEP = between(2, 5, 0, SLOWER, HEALED)
FEW_TAGS = dict(tags=32, tags_hidden=True)
CAPPED_FAST = [path(200, 20), path(1000, 20)]

SCENARIOS = {
    # equal paths
    "S1a": closed([path(200, 20)] * 2, 4, 4, 16),
    "S1b": closed([path(500, 20)] * 4, 32, 32, 2),
    "S1c": poisson([path(200, 40)] * 2, 4, 40000),
    "S1d": closed([path(200, 5, 1000)] * 4, 4, 4, 16, sizes=[[MB, 1]]),
    # one path 30 ms farther
    "S2-1": closed([path(200, 20), path(200 + FAR_US, 20)], 4, 1, 1),
    "S2-1r": closed([path(200 + FAR_US, 20), path(200, 20)], 4, 1, 1),
    "S2-16": closed([path(200, 20), path(200 + FAR_US, 20)], 4, 4, 4),
    "S2-64": closed([path(200, 20), path(200 + FAR_US, 20)], 4, 4, 16),
    "S2-1k": closed([path(200, 20), path(200 + FAR_US, 20)], 4, 4, 256),
    "S2-64u": closed([path(1000, 2), path(1000 + FAR_US, 2)], 4, 4, 16),
    "S2-1ku": closed([path(8000, 4), path(8000 + FAR_US, 4)], 32, 32, 32),
    # bandwidth 10:1
    "S3-4k": closed([path(200, 10, 1000), path(200, 10, 100)], 4, 4, 16),
    "S3-1M": closed([path(200, 5, 4000), path(200, 5, 400)], 4, 4, 8, sizes=[[MB, 1]]),
    "S3-mix": closed([path(200, 5, 4000), path(200, 5, 400)], 4, 4, 16, sizes=UNIFORM),
    # latency 1:2, 1:5, 1:20
    "S4-2": closed([path(200, 20), path(400, 20)], 4, 4, 8),
    "S4-5": closed(CAPPED_FAST, 4, 4, 8),
    "S4-20": closed([path(200, 20), path(4000, 20)], 4, 4, 16),
    "S4-5o": poisson(CAPPED_FAST, 4, 45000),
    "S4-5l": poisson(CAPPED_FAST, 4, 10000),
    # something happens
    "S5": event(PAIR, STEP),
    "S5s": event(PAIR, between(2, 5, 0, dict(delay_us=2500), HEALED)),
    "S5l": event(PAIR, STEP, jobs=2, depth=1),
    "S6": event([path(200, 5, 1000)] * 2, between(2, 5, 0, dict(mbps=50), dict(mbps=1000)),
                sizes=[[64 * KB, 1]]),
    "S7": closed([path(500, 40, stall_period_ms=100, stall_ms=10), path(500, 40)], 4, 4, 16),
    "S7o": poisson([path(500, 40, stall_period_ms=100, stall_ms=10), path(500, 40)], 4, 20000),
    # mixed sizes
    "S8": closed([path(200, 5, 2000), path(200, 5, 400)], 4, 4, 8, sizes=MIX),
    "S8x": closed([path(100, 5, 200), path(400, 5, 2000)], 4, 4, 4, sizes=MIX),
    "S8o": poisson([path(100, 5, 200), path(400, 5, 2000)], 4, 5000, sizes=MIX),
    # NUMA
    "S9": closed(near_and_far(8), 32, 32, 1, nodes=2),
    "S9b": closed(near_and_far(12), 32, 32, 4, nodes=2),
    # many paths
    "S10-8": closed([path(200, 20)] * 4 + [path(400, 20)] * 2 + [path(2000, 20)] * 2, 8, 8, 8),
    "S10-32": closed([path(400, 100)] * 16 + [path(800, 100)] * 8 + [path(4000, 100)] * 8, 32, 32, 4),
    # few I/Os, bursts
    "S11": closed([path(100, 10), path(1000, 10)], 4, 1, 1),
    "S11r": closed([path(1000, 10), path(100, 10)], 4, 1, 1),
    "S4-5lr": poisson([path(1000, 20), path(200, 20)], 4, 10000),
    "S11e": closed([path(100, 10)] * 2, 4, 1, 1),
    "S11b": burst([path(200, 20), path(400, 20)], 64, 20),
    "S11c": burst([path(200, 20), path(4000, 20)], 64, 500, warmup_ms=3000, runtime_ms=9000),
    # errors
    "S12": event([path(200, 40)] * 2, between(2, 5, 0, dict(error=True), dict(error=False))),
    "S12f": closed([path(200, 40)] * 2, 4, 4, 8, changes=flapping(6), reinstate_ms=500,
                   runtime_ms=5000),
    # few tags, of a kind that only the driver knows, so that the figures are comparable with earlier ones
    "S13": closed([path(200, 20, **FEW_TAGS), path(5000, 20, **FEW_TAGS)], 4, 4, 64),
    "S13b": closed([path(500, 20, **FEW_TAGS)] * 2, 4, 4, 64),
    # tails
    "S14": closed([path(300, 30, tail=0.01, tail_us=20000), path(300, 30)], 4, 4, 8),
    "S14b": closed([path(300, 30, sigma=0.8, tail=0.005, tail_us=20000)] * 2, 4, 4, 8),
    # many CPUs, few I/Os each
    "S15": closed(CAPPED_FAST, 32, 32, 1),
    "S15b": closed([path(200, 40)] * 4, 32, 32, 2),
    "S15c": closed(CAPPED_FAST, 32, 32, 1, completions_per=8),
    "S15d": poisson([path(200, 20), path(2000, 20)], 32, 400, warmup_ms=3000, runtime_ms=20000),
    "S15n": closed(CAPPED_FAST, 32, 32, 1, nodes=4),
    "S15m": closed([path(200, 40)] * 4, 32, 32, 4, nodes=4),
    # many paths and CPUs
    "S16": poisson([path(5000, 100)] * 8, 32, 68000),
    "S16b": closed([path(1000 * ms, 40) for ms in (1, 2, 3, 4)], 32, 32, 8),
    # slow paths, for the long windows of NVMe's latency policy
    "S1L": closed([path(5000, 1000)] * 2, 4, 4, 16, warmup_ms=60000, runtime_ms=240000),
    "S2L": closed([path(5000, 1000), path(35000, 1000)], 4, 4, 8, warmup_ms=60000,
                  runtime_ms=240000),
}

# Loads that rest for a tenth of a second and go on, as programs do. Not in the list, whose figures
# are to be compared with those of before.
PAUSES = {
    name: dict(closed(paths, 1, 1, depth, warmup_ms=2000, runtime_ms=10000, **more),
               load=dict(type="closed", period_ms=500, pause_ms=100))
    for name, paths, depth, more in (
        ("P-2", [path(2000, 100), path(4000, 100)], 32, {}),
        ("P-5", [path(2000, 100), path(10000, 100)], 64, {}),
        ("P-5d", [path(2000, 100), path(10000, 100)], 128, {}),
        ("P-16", [path(2000, 1000), path(32000, 1000)], 8, {}),
        ("P-16d", [path(2000, 1000), path(32000, 1000)], 32, {}),
        ("P-128k", [path(2000, 5, 200), path(32000, 5, 200)], 16, dict(sizes=[[128 * KB, 1]])),
        ("P-256k", [path(1000, 5, 200), path(1000, 5, 20)], 8, dict(sizes=[[256 * KB, 1]])),
    )
}

# The same with ten bursts of 0.3 s, and rests that are long against a window.
LONG_PAUSES = {
    f"{name}-long": dict(scenario, runtime_ms=30000,
                         load=dict(type="closed", period_ms=3000, pause_ms=2700))
    for name, scenario in PAUSES.items()
}


def halted(paths, depth, halt_ms, **more):
    """The machine stands still three times, as a virtual one that migrates; measured from a second after the last."""
    halts = [dict(at_ms=2000 + number * (halt_ms + 700), ms=halt_ms) for number in range(3)]
    return closed(paths, 4, 4, depth, halts=halts, warmup_ms=3000 + 3 * (halt_ms + 700), runtime_ms=6000, **more)


HALTS = {
    f"{name}-{halt_ms}": halted(paths, depth, halt_ms)
    for name, paths, depth in (
        ("H-far", [path(1000, 1000), path(35000, 1000)], 8),
        ("H-far4", [path(1000, 1000), path(35000, 1000)], 4),
        ("H-unstamped", [path(1000, 1000, stamps=False), path(35000, 1000, stamps=False)], 8),
        ("H-slow", [path(1000, 4000), path(100000, 0)], 8),
    )
    for halt_ms in (300, 1500)
}


def stolen(paths, depth, least_ms, most_ms, every_ms):
    """The host takes the CPUs of the machine away, again and again, by chance."""
    chance, halts, now = random.Random(5), [], 500
    while now < 14000:
        halts.append(dict(at_ms=now + chance.expovariate(1 / every_ms), ms=chance.uniform(least_ms, most_ms)))
        now = halts[-1]["at_ms"] + halts[-1]["ms"]
    return closed(paths, 4, 4, depth, halts=halts, warmup_ms=4000, runtime_ms=10000)


STOLEN = {
    f"H-{name}-{least_ms}": stolen(paths, depth, least_ms, most_ms, every_ms)
    for name, paths, depth in (
        ("stolen", [path(1000, 1000), path(35000, 1000)], 8),
        ("stolen-slow", [path(1000, 4000), path(100000, 0)], 8),
        ("stolen-fast", [path(200, 100), path(5000, 100)], 8),
        ("stolen-equal", [path(500, 200)] * 4, 16),
    )
    for least_ms, most_ms, every_ms in ((5, 20, 200), (20, 80, 300), (40, 95, 500))
}

# I/Os that begin together, as the parts of one that is larger than a disk takes at once: the next
# ones begin when the last of these is done.
BATCHES = {
    name: dict(closed(paths, 1, 1, count, warmup_ms=2000, runtime_ms=10000, **more),
               load=dict(type="closed", together=True))
    for name, paths, count, more in (
        ("B-far", [path(30000, 5, 25), path(100, 5, 25)], 9, dict(sizes=[[124 * KB, 1]])),
        ("B-half", [path(100, 5, 25), path(100, 5, 12)], 9, dict(sizes=[[124 * KB, 1]])),
        ("B-4k", [path(2000, 100), path(10000, 100)], 64, {}),
        ("B-equal", [path(2000, 100), path(2000, 100)], 64, {}),
    )
}

RARE = dict(type="closed", period_ms=100, pause_ms=99.9)        # one I/O, ten times a second


def rare_node(rare, **more):
    """Two nodes, each near to one path, 1 and 5 ms: one is busy, the other one has a rare I/O."""
    paths = [path(900, 100, remote_us=remote, **more) for remote in ([0, 4000], [4000, 0])]
    jobs = [dict(cpu=0, depth=4, name="busy"), dict(cpu=1, depth=1, name="rare", load=rare)]
    return dict(paths=paths, cpus=2, nodes=2, jobs=jobs, warmup_ms=100000, runtime_ms=60000)


RARE_NODES = {
    "N-window": rare_node(dict(type="closed", period_ms=20, pause_ms=19.9)),
    "N-beat": rare_node(RARE),
    "N-chance": rare_node(dict(type="poisson", iops=10)),
}
NO_CHANCE = {"N-exact": rare_node(RARE, sigma=0)}    # a limit, see docs/decisions/14-numa-nodes.md
