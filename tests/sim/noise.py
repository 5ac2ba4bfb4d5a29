"""Paths as they are: situations with noise and mixed sizes.

A name begins with its kind: M mixed sizes, J jobs of several kinds, V paths that vary all the time, C caches,
S spread, D directions, G pauses, E errant paths, B back ends that paths and maps share, L loads, T tags, maps and
faults. Sources of the figures; all others are this project's, between the ends of the ranges of its list of workloads:

M-*, V-turns, C-70, C-90, C-4th, S-mix, G-48*, G-80all, G-begin, B-8*: measurements by a user: equal paths of 1.1 ms
  with 95 % 4k and 5 % 1M, latency that grows elevenfold in turn, caches, pauses of 48 to 484 ms, 8 maps on two links
V-spell: Hao et al., The Tail at Store, FAST 2016: for 0.2 % of the time a disk is over twice as slow as its peers
D-raid: Gulati et al., PARDA, FAST 2009: in some RAIDs a write takes four times as long as a read
J-backup: 60 % writes as in SPC-1, by Gill and Modha, WOW, FAST 2005; the sizes are this project's
E-tail*, E-stall: `tail` and `stalls` of the acceptance suite
E-loss*: Linux sends a lost TCP packet again after 200 ms at least (tcp_rto_min); the rate is this project's
"""
from .scenarios import KB, MB, MIX, between, burst, closed, poisson

SMALL_AND_MB = [[4 * KB, 95], [MB, 5]]
TINY_AND_LARGE = [[16 * KB, 1], [256 * KB, 1]]
OLTP = [[8 * KB, 1]]


def path(delay_us, service_us, **more):
    """As it was measured: nothing is left to chance unless it says so."""
    return dict(delay_us=delay_us, service_us=service_us, **more)


def job(name, cpu, depth, **more):
    return dict(name=name, cpu=cpu, depth=depth, **more)


def beside(paths, jobs, cpus=4, **more):
    """Jobs of several kinds."""
    return dict(paths=paths, cpus=cpus, load=dict(type="closed"), jobs=jobs, **more)


def log_and_readers(paths, depth):
    """A serial writer of 4k, as of a log, beside readers of 1M on all CPUs."""
    return beside(paths, [job("writer", 0, 1, writes=1)]
                  + [job("reader", cpu, depth, sizes=[[MB, 1]]) for cpu in range(4)])


def wave(shape, period_ms, **more):
    return dict(wave=shape, wave_period_ms=period_ms, **more)


def in_turn(delay_us, service_us, shape, period_ms, **more):
    """Two paths, half a period apart."""
    return [path(delay_us, service_us, **wave(shape, period_ms, wave_phase=phase, **more)) for phase in (0, 0.5)]


def pauses(every_ms, least_ms, most_ms):
    return dict(gc_every_ms=every_ms, gc_min_ms=least_ms, gc_max_ms=most_ms)


def errant(depth, **more):
    """The first of two paths is now and then far slower."""
    return closed([path(1950, 50, **more), path(1950, 50)], 1, 1, depth, runtime_ms=10000)


def maps(count, paths, depth, backends, **more):
    """Maps that share what is behind their paths, one job each."""
    return closed(paths, 8, 1, depth, maps=count, backends=backends, **more)


def fault(during, after, paths=None):
    """Of path 0, from 2 to 4 s of 6."""
    return closed(paths or [path(200, 20), path(1000, 20)], 4, 4, 8, warmup_ms=1500, runtime_ms=4500,
                  changes=between(2, 4, 0, during, after))


EQUAL = path(580, 540)
EQUAL_2GB = path(580, 540, mbps=2000)
SEEN_TAGS = [path(200, 20, tags=2), path(400, 20)]
CACHE = dict(tail=0.3, tail_us=8000)
TENTH = dict(tail=0.1, tail_us=4800)
GIGABIT = path(500, 20, mbps=120)       # iSCSI over 1 Gbit/s: 1M takes nine times as long as 4k
EACH_SIZE = [[4 * KB << power, 1] for power in range(9)]
TWO_LINKS = [dict(service_us=100)] * 2

MIXED = {
    "M-eq4": closed([EQUAL] * 4, 4, 1, 32, sizes=SMALL_AND_MB),
    "M-eq4b": closed([EQUAL_2GB] * 4, 4, 1, 32, sizes=SMALL_AND_MB),
    "M-eq4d": closed([EQUAL_2GB] * 4, 4, 1, 64, sizes=SMALL_AND_MB),
    "M-far5": closed([path(3000, 500)] * 2 + [path(5500, 500)] * 3, 4, 1, 35, sizes=SMALL_AND_MB),
    "M-eq14": closed([EQUAL] * 14, 4, 1, 32, sizes=TINY_AND_LARGE),
    "M-eq14d": closed([EQUAL] * 14, 4, 4, 16, sizes=TINY_AND_LARGE),
    "M-few2": closed([GIGABIT] * 2, 1, 1, 2, sizes=EACH_SIZE),
    "M-few4": closed([GIGABIT] * 4, 1, 1, 4, sizes=EACH_SIZE),
    "M-few5": closed([GIGABIT] * 2, 1, 1, 4, sizes=SMALL_AND_MB),
    "M-few8": closed([GIGABIT] * 4, 1, 1, 8, sizes=MIX),
}
JOBS = {
    "J-log": log_and_readers([path(200, 20, mbps=1000), path(5000, 20, mbps=1000)], 1),
    "J-logfat": log_and_readers([path(200, 20, mbps=400), path(1000, 20, mbps=2000)], 2),
    "J-log4": log_and_readers([EQUAL_2GB] * 4, 8),
    "J-backup": beside([path(300, 10, mbps=1600)] * 2 + [path(900, 10, mbps=1600)] * 2,
                       [job("oltp", cpu, 8, sizes=OLTP, writes=0.6) for cpu in range(4)]
                       + [job("backup", 1, 4, sizes=[[256 * KB, 1]])]),
    "J-burst": beside([path(200, 20), path(600, 20)],
                      [job("loop", cpu, 2) for cpu in range(4)]
                      + [job("bursts", 0, 1, load=dict(type="burst", size=128, period_ms=50, random=True))]),
}
VARYING = {
    "V-turns": closed(in_turn(1000, 5, "square", 8000, wave_delay=11), 4, 4, 16, runtime_ms=16000),
    "V-50ms": closed(in_turn(500, 20, "sine", 50, wave_delay=4), 4, 4, 8),
    "V-1s": closed(in_turn(500, 20, "sine", 1000, wave_delay=4), 4, 4, 8, runtime_ms=6000),
    "V-60s": closed(in_turn(2000, 200, "sine", 60000, wave_delay=4), 4, 4, 8, runtime_ms=60000),
    "V-step": closed(in_turn(500, 20, "square", 500, wave_delay=4), 4, 4, 8, runtime_ms=6000),
    "V-walk": closed([path(500, 20, **wave("walk", 2000, wave_phase=0.5, wave_delay=10))] * 2, 4, 4, 8,
                     runtime_ms=10000),
    "V-hosts": closed([path(500, 30, **wave("walk", 10000, wave_phase=0.5, wave_service=4))] * 4, 4, 4, 16,
                      runtime_ms=10000),
    "V-spell": closed([path(2000, 200)] * 2, 4, 4, 4, warmup_ms=5000, runtime_ms=70000,
                      changes=between(10, 70, 0, dict(delay_us=5000, service_us=500),
                                      dict(delay_us=2000, service_us=200))),
}
CACHES = {
    "C-70": closed([path(180, 20, **CACHE), path(2180, 20, **CACHE)], 4, 4, 4),
    "C-70near": closed([path(180, 20, **CACHE), path(2180, 20)], 4, 4, 4),
    "C-90": closed([path(180, 20, **TENTH), path(1180, 20, **TENTH)], 4, 4, 4),
    "C-50": closed([path(300, 10, miss=0.5, miss_us=60)] * 4, 4, 4, 8),
    "C-95": closed([path(200, 5, backend=0), path(700, 5, backend=0)], 4, 4, 8,
                   backends=[dict(service_us=10, miss=0.05, miss_us=200)]),
    "C-4th": closed([path(180, 20, tail=0.25, tail_us=8000), path(1180, 20)], 4, 1, 32),
}
SPREAD = {
    "S-mix": closed([path(500, 20, mbps=1000, sigma=0.5), path(5000, 20, mbps=1000, sigma=0.5)], 4, 4, 2, sizes=MIX),
    "S-mix8": closed([path(500, 20, mbps=2000, sigma=0.5), path(1500, 20, mbps=2000, sigma=0.5)], 4, 4, 8, sizes=MIX),
    "S-0.2": closed([path(500, 20, sigma=0.2), path(1500, 20, sigma=0.2)], 4, 4, 4),
    "S-0.5": closed([path(500, 20, sigma=0.5), path(1500, 20, sigma=0.5)], 4, 4, 4),
    "S-1": closed([path(500, 20, sigma=1), path(1500, 20, sigma=1)], 4, 4, 4),
    "S-server": closed([path(300, 50, service_sigma=1)] * 2 + [path(900, 50, service_sigma=1)] * 2, 4, 4, 16),
    "S-pareto": closed([path(300, 50, service_pareto=1.5)] * 2 + [path(900, 50, service_pareto=1.5)] * 2, 4, 4, 8),
    "S-tail": closed([path(300, 20, tail=0.01, tail_us=5000, tail_pareto=1.3), path(900, 20)], 4, 4, 4),
}
DIRECTIONS = {
    "D-10": closed([path(180, 20, write_delay_us=1980), path(1180, 20, write_delay_us=2980)], 4, 4, 4, writes=0.1),
    "D-10near": closed([path(180, 20, write_delay_us=4980), path(1180, 20)], 4, 4, 4, writes=0.1),
    "D-raid": closed([path(300, 30, write_service_us=120)] * 2 + [path(800, 30, write_service_us=120)] * 2, 4, 4, 8,
                     writes=0.6, sizes=OLTP),
    "D-cache": closed([path(1000, 20, write_delay_us=200), path(2000, 20, write_delay_us=400)], 4, 4, 4, writes=0.5),
}
PAUSES = {
    "G-48near": closed([path(200, 20, **pauses(150, 48, 48)), path(5000, 20)], 4, 4, 4, runtime_ms=6000),
    "G-48": closed([path(500, 50, **pauses(500, 48, 48))] * 2, 4, 4, 8, runtime_ms=6000),
    "G-80all": closed([path(500, 50, stall_period_ms=1000, stall_ms=80)] * 2
                      + [path(2500, 50, stall_period_ms=1000, stall_ms=80)] * 2, 4, 4, 8, runtime_ms=6000),
    "G-each": closed([path(500, 50, **pauses(2000, 10, 500))] * 4, 4, 4, 8, runtime_ms=10000),
    "G-array": closed([path(300, 10, backend=0), path(1300, 10, backend=0)], 4, 4, 8, runtime_ms=10000,
                      backends=[dict(service_us=20, **pauses(1000, 10, 500))]),
    "G-begin": closed([path(200, 20, stall_period_ms=1e6, stall_ms=484), path(5000, 50)], 4, 4, 2,
                      warmup_ms=500, runtime_ms=1500),
}
ERRANT = {
    "E-tail1": errant(1, tail=0.01, tail_us=50000),
    "E-tail8": errant(8, tail=0.01, tail_us=50000),
    "E-tail32": errant(32, tail=0.01, tail_us=50000),
    "E-loss1": errant(1, tail=0.005, tail_us=200000),
    "E-loss16": errant(16, tail=0.005, tail_us=200000),
    "E-loss4": closed([path(980, 20, tail=0.001, tail_us=200000)] + [path(980, 20)] * 3, 4, 4, 8, runtime_ms=6000),
    "E-lossfar": closed([path(980, 20, tail=0.005, tail_us=200000), path(2980, 20)], 4, 4, 4, runtime_ms=6000),
    "E-lossy": closed([path(980, 20, tail=0.005, tail_us=200000)] * 2, 4, 4, 4, runtime_ms=6000),
    "E-losscap": closed([path(980, 500, tail=0.005, tail_us=200000), path(980, 500)], 4, 4, 8, runtime_ms=6000),
    "E-stall": errant(16, **pauses(1000, 200, 200)),
    "E-misses": closed([path(50, 5, tail=0.1, tail_us=5000), path(450, 5, tail=0.1, tail_us=5000)], 4, 1, 32),
    "E-healed": closed([path(950, 50), path(4950, 10)], 4, 1, 200, warmup_ms=10000, runtime_ms=10000,
                       changes=between(1, 10, 0, dict(tail=0.01, tail_us=200000), dict(tail=0))),
}
BACKENDS = {
    "B-8maps": maps(8, [path(200, 0, backend=0), path(200, 0, backend=1)], 1, TWO_LINKS),
    "B-8mix": maps(8, [path(200, 5, backend=0), path(200, 5, backend=1)], 1, [dict(mbps=1000)] * 2, sizes=MIX),
    "B-8far": maps(8, [path(200, 0, backend=0), path(600, 0, backend=1)], 1,
                   [dict(service_us=50, service_sigma=0.5)] * 2),
    "B-one": closed([path(200, 5, backend=0)] * 2 + [path(1200, 5, backend=0)] * 2, 4, 4, 4,
                    backends=[dict(service_us=20, service_sigma=0.5)]),
    "B-burst": dict(burst([path(200, 5, mbps=1600, backend=0), path(700, 5, mbps=1600, backend=0)], 32, 20,
                          sizes=[[MB, 1]], backends=[dict(service_us=5, mbps=2400)])),
}
LOADS = {
    "L-burst": burst([path(200, 20, sigma=0.3), path(600, 20, sigma=0.3)], 100, 10),
    "L-open": poisson([path(200, 20, service_sigma=1), path(600, 20, service_sigma=1)], 4, 60000),
}
FAULTS = {
    "T-tags": closed(SEEN_TAGS, 4, 4, 64),
    "T-bio": closed([path(200, 20, sigma=0.3), path(1000, 20, sigma=0.3)], 4, 4, 8, bio=True),
    "T-biotag": closed([path(200, 20, tags=32), path(5000, 20, tags=32)], 4, 4, 64, bio=True),
    "T-hang": fault(dict(hang=True), dict(hang=False)),
    "T-busy": fault(dict(driver_depth=1), dict(driver_depth=0)),
    "T-bare": closed([path(200, 20, sigma=0.3, no_stamp=0.5), path(1000, 20, sigma=0.3, no_stamp=0.5)], 4, 4, 8),
    "T-late": closed([path(200, 20, sigma=0.3, hidden=True), path(1000, 20, sigma=0.3, hidden=True)], 4, 4, 16),
    "T-err10": fault(dict(error=True, error_part=0.1, error_is_final=True), dict(error=False)),
    "T-err": fault(dict(error=True, error_part=1, error_is_final=True), dict(error=False)),
}

NOISE = {**MIXED, **JOBS, **VARYING, **CACHES, **SPREAD, **DIRECTIONS, **PAUSES, **ERRANT, **BACKENDS, **LOADS, **FAULTS}
