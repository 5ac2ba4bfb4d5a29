"""Storage networks as they are built, with the loads that run on them.

A name is F, the network and the load. Latencies and rates are round figures of such devices, not measured ones.
"""
from .noise import beside, job, maps, pauses, wave
from .scenarios import KB, MB, burst, closed, poisson

OLTP = [[8 * KB, 1]]
DATABASE = [[8 * KB, 90], [128 * KB, 10]]
DESKTOPS = [[4 * KB, 60], [16 * KB, 25], [64 * KB, 15]]
BACKUP = [[256 * KB, 1]]
SCAN = [[MB, 1]]
TIMES = dict(warmup_ms=10000, runtime_ms=10000)


def link(delay_us, mbps, service_us=10, **more):
    """A port of an array; what is behind it varies a little."""
    return dict(dict(delay_us=delay_us, service_us=service_us, mbps=mbps, sigma=0.2, service_sigma=0.3), **more)


def jobs(paths, depth, sizes=None, count=4, **more):
    return closed(paths, max(count, 4), count, depth, sizes=sizes or OLTP, **{**TIMES, **more})


def with_backup(paths, oltp_depth=4, backup_depth=4, **more):
    return beside(paths, [job("oltp", cpu, oltp_depth, sizes=OLTP, writes=0.3) for cpu in range(4)]
                  + [job("backup", 1, backup_depth, sizes=BACKUP)], **{**TIMES, **more})


def alua(near, far, near_us=200, far_us=500, far_mbps=800, **more):
    """Ports of the controller that owns the disk, and of the other one, which asks it."""
    return [link(near_us, 1600, **more)] * near + [link(far_us, far_mbps, **more)] * far


def sites(far_us, near_us=300, mbps=1150, **more):
    return [link(near_us, mbps, **more)] * 2 + [link(near_us + far_us, mbps, **more)] * 2


def numa(paths, far_us=40):
    """Ports by turns on two sockets."""
    return [dict(one, remote_us=[far_us * (number % 2), far_us * (1 - number % 2)]) for number, one in enumerate(paths)]


FC = link(200, 1600)
FC_FAST, FC_OLD = link(200, 3200), link(250, 800)
GBIT, TEN_GBIT = link(400, 115, 20), link(250, 1150)
MISSES = dict(tail=0.2, tail_us=5000)       # of a cache, to disks that work side by side
COLLECTS = pauses(2000, 5, 100)
LINKS = [dict(service_us=10, mbps=1600, service_sigma=0.3)] * 2

FIBRE = {
    "F-fc-oltp": jobs([FC] * 2, 4, writes=0.3),
    "F-fc-one": jobs([FC] * 2, 1, count=1),
    "F-fc-scan": jobs([FC] * 2, 4, SCAN),
    "F-fc4-oltp": jobs([FC] * 4, 8, writes=0.3),
    "F-fc4-database": jobs([FC] * 4, 4, DATABASE),
    "F-fc4-desktops": jobs([link(200, 1600, write_delay_us=100)] * 4, 4, DESKTOPS, writes=0.5),
    "F-fcold-database": jobs([FC_FAST, FC_OLD], 4, DATABASE),
    "F-fcold-backup": jobs([FC_FAST, FC_OLD], 4, BACKUP),
}
ALUA = {
    "F-alua-oltp": jobs(alua(2, 2), 4, writes=0.3),
    "F-alua-deep": jobs(alua(2, 2), 32),
    "F-alua-database": jobs(alua(2, 2), 8, DATABASE),
    "F-alua-backup": jobs(alua(2, 2), 8, BACKUP),
    "F-alua1-oltp": jobs(alua(1, 3), 8),
    "F-alua-slow": jobs(alua(2, 2, far_us=2000, far_mbps=400), 8, DATABASE),
    "F-alua-mirror": jobs([link(200, 1600, write_delay_us=450)] * 2 + [link(500, 800, write_delay_us=500)] * 2, 4,
                          writes=0.5),
}
ISCSI = {
    "F-1g-oltp": jobs([GBIT] * 2, 2),
    "F-1g-desktops": jobs([GBIT] * 2, 4, DESKTOPS, count=1),
    "F-1g-database": jobs([GBIT] * 2, 4, DATABASE),
    "F-1g-scan": jobs([GBIT] * 2, 2, SCAN, count=1),
    "F-1g4-desktops": jobs([GBIT] * 4, 8, DESKTOPS, count=1),
    "F-1g-loss": jobs([link(400, 115, 20, tail=0.0005, tail_us=200000), GBIT], 4, DATABASE),
    "F-10g-oltp": jobs([TEN_GBIT] * 2, 4),
    "F-10g-database": jobs([TEN_GBIT] * 2, 8, DATABASE),
    "F-10g-scan": jobs([TEN_GBIT] * 2, 4, SCAN),
    "F-spare-oltp": jobs([TEN_GBIT, GBIT], 4),
    "F-spare-database": jobs([TEN_GBIT, GBIT], 4, DATABASE, count=1),
    "F-spare-scan": jobs([TEN_GBIT, GBIT], 4, SCAN),
}
STRETCHED = {
    "F-km100-oltp": jobs(sites(1000), 4, writes=0.3),
    "F-km500-oltp": jobs(sites(5000), 4, writes=0.3),
    "F-km500-database": jobs(sites(5000), 8, DATABASE),
    "F-km500-deep": jobs(sites(5000, service_us=50), 64),
    "F-km500-mirror": jobs([link(300, 1150, write_delay_us=5300)] * 2 + [link(5300, 1150)] * 2, 4, writes=0.3),
    "F-km100-log": beside(sites(1000, mbps=400), [job("log", 0, 1, writes=1)]
                          + [job("reader", cpu, 4, sizes=BACKUP) for cpu in range(4)], **TIMES),
}
BACKUPS = {
    "F-backup-fc": with_backup([FC] * 2),
    "F-backup-fc4": with_backup([FC] * 4, backup_depth=16),
    "F-backup-alua": with_backup(alua(2, 2)),
    "F-backup-km500": with_backup(sites(5000)),
    "F-backup-1g": with_backup([GBIT] * 2, oltp_depth=1),
}
ARRAYS = {
    "F-cache-oltp": jobs([link(200, 1600, **MISSES)] * 2, 4),
    "F-cache-alua": jobs(alua(2, 2, **MISSES), 4, DATABASE),
    "F-disks-oltp": jobs([link(200, 1600, tail=0.8, tail_us=6000)] * 4, 16, writes=0.3),
    "F-collects-each": jobs([link(150, 1600, **COLLECTS)] * 4, 4, writes=0.5),
    "F-collects-near": jobs([link(150, 1600, **COLLECTS), link(600, 1600)], 4),
    "F-collects-array": jobs([link(150, 1600, backend=0)] * 2 + [link(450, 800, backend=0)] * 2, 4,
                             backends=[dict(service_us=10, **COLLECTS)]),
}
CONGESTED = {
    "F-drain-walk": jobs([link(200, 1600, **wave("walk", 4000, wave_phase=0.5, wave_service=8)), FC], 8, DATABASE),
    "F-drain-turns": jobs([link(200, 1600, **wave("square", 4000, wave_delay=10))] + [FC] * 3, 4),
    "F-drain-array": jobs([link(200, 1600, backend=0)] * 2 + [link(500, 800, backend=0)] * 2, 8,
                          backends=[dict(service_us=8, **wave("walk", 4000, wave_phase=0.5, wave_service=8))]),
    "F-tail-one": jobs([link(200, 1600, tail=0.01, tail_us=20000)] + [FC] * 3, 4),
}
MACHINES = {
    "F-numa-fc": jobs(numa([FC] * 4), 2, count=8, nodes=2),
    "F-numa-alua": jobs(numa(alua(2, 2)), 2, count=8, nodes=2),
    "F-maps4-oltp": dict(maps(4, [link(200, 0, backend=0), link(200, 0, backend=1)], 4, LINKS), sizes=OLTP, **TIMES),
    "F-maps8-database": dict(maps(8, [link(200, 0, backend=0), link(200, 0, backend=1)], 4, LINKS), sizes=DATABASE,
                             **TIMES),
    "F-maps4-alua": dict(maps(4, [link(200, 0, backend=0), link(500, 800, backend=1)], 8, LINKS), sizes=OLTP, **TIMES),
    "F-open-alua": poisson(alua(2, 2), 4, 30000, sizes=OLTP, **TIMES),
    "F-bursts-alua": burst(alua(2, 2), 64, 10, sizes=OLTP, **TIMES),
}
FABRICS = {**FIBRE, **ALUA, **ISCSI, **STRETCHED, **BACKUPS, **ARRAYS, **CONGESTED, **MACHINES}
