"""Situations that nobody thought of: paths, sizes, CPUs and load by chance, from a seed."""
import random

from .scenarios import KB, MB, MIX, UNIFORM, closed, path, poisson

SIZES = [[[4 * KB, 1]]] * 4 + [[[64 * KB, 1]], [[MB, 1]], MIX, UNIFORM]


def log_uniform(rng, low, high):
    return low * (high / low) ** rng.random()


def random_path(rng):
    return path(round(log_uniform(rng, 50, 20000)), round(log_uniform(rng, 5, 200), 1),
                mbps=rng.choice([0, 0, round(log_uniform(rng, 100, 4000))]),
                sigma=rng.choice([0.1, 0.2, 0.5]))


def random_paths(rng):
    """Paths of a few kinds, since most fabrics have some that are alike."""
    kinds = [random_path(rng) for _ in range(rng.choice([1, 2, 2, 3]))]
    return [rng.choice(kinds) for _ in range(rng.choice([2, 2, 2, 3, 4, 4, 6, 8]))]


def capacity(paths, sizes):
    """I/Os per second of all servers, for the mean size."""
    mean = sum(size * weight for size, weight in sizes) / sum(weight for _, weight in sizes)
    return sum(1e6 / (one["service_us"] + (mean / one["mbps"] if one["mbps"] else 0))
               for one in paths)


def scenario(rng):
    paths, sizes = random_paths(rng), rng.choice(SIZES)
    cpus = rng.choice([1, 4, 4, 8, 16, 32])
    nodes = rng.choice([1, 1, 2]) if cpus > 1 else 1
    common = dict(sizes=sizes, nodes=nodes, warmup_ms=1500, runtime_ms=2500)
    if rng.random() < 0.25:
        iops = rng.uniform(0.3, 0.9) * capacity(paths, sizes)
        return poisson(paths, cpus, min(round(iops), 100000), **common)
    jobs = rng.choice([1, cpus, cpus])
    return closed(paths, cpus, jobs, rng.choice([1, 2, 4, 8, 16, 32, 64]), **common)


def with_writes(one, rng):
    """The scenario with writes that take other times than reads, on each kind of path by its own factor."""
    factors = {kind: log_uniform(rng, 0.2, 5) for kind in sorted({each["delay_us"] for each in one["paths"]})}
    paths = [dict(each, write_delay_us=round(each["delay_us"] * factors[each["delay_us"]])) for each in one["paths"]]
    return dict(one, paths=paths, writes=round(rng.uniform(0.1, 0.7), 2))


def writes(seed, count):
    """As scenarios(), with writes."""
    return {f"W{seed}-{index}": with_writes(one, random.Random(seed * 7000003 + index))
            for index, one in enumerate(scenarios(seed, count).values())}


def scenarios(seed, count):
    """By name; the same for a seed whatever the count."""
    return {f"R{seed}-{index}": scenario(random.Random(seed * 1000003 + index))
            for index in range(count)}
