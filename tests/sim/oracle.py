"""The most IOPS that any selector could get: a fluid bound.

I/O as a fluid that is poured over the paths. In a closed loop each flow keeps, by Little's law,
flow x latency of the I/Os in flight, and a path's server can be busy all of the time, not more. So
the bound is a linear program: over flows x by node, path and size,

    most    sum x
    sizes   each node's flow has the mix of the load, of sizes and of reads and writes
    server  sum x * server time            <= 1 for each path, less its rests
    backend the same                       <= 1 over all paths before it, a part of that for each of several maps
    load    sum x * latency of idle paths  <= I/Os in flight of each node; or sum x <= arrivals
    tags    the same for each path         <= its tags

With one size and one node its solution is: fill the paths by latency, each to its capacity. Queues
in front of the servers, which random times bring, are not counted, so it is not quite attainable.
Changes in mid-run and pauses are ignored. What goes up and down by a wave is bound at moments of its
period, and the mean of those counts; a random walk is taken for always at its best. There is no bound
where jobs differ. A second bound, which is less, is that of selectors that do not see the direction: of
each size every path gets the load's mix of reads and writes.
"""
import math

DEFAULT_SIZES = [[4096, 1]]
TINY = 1e-9
MOMENTS = 24


class Server:
    """Times in us, at a moment of its wave; a path's own, or a backend."""

    def __init__(self, config, at_ms=0.0):
        self.config = config
        self.level = wave_level(config, at_ms)
        self.slower = config.get("wave_service", 1) ** self.level
        self.open = 1.0
        if config.get("stall_period_ms"):
            self.open -= min(1.0, config.get("stall_ms", 0) / config["stall_period_ms"])
        if config.get("gc_every_ms"):
            self.open *= config["gc_every_ms"] / (config["gc_every_ms"] + mean_rest_ms(config))

    def of(self, key, write):
        """A field of the path, or what it is for writes."""
        usual = self.config.get(key, 0)
        return self.config.get("write_" + key, usual) if write else usual

    def server_us(self, size, write=False):
        mbps = self.of("mbps", write)
        miss_us = self.config.get("miss", 0) * self.config.get("miss_us", 0)
        return (self.of("service_us", write) + miss_us + (size / mbps if mbps else 0)) * self.slower


class Path(Server):
    """Of an I/O that finds nobody else."""

    def __init__(self, config, backends=(), at_ms=0.0):
        super().__init__(config, at_ms)
        self.remote_us = config.get("remote_us", [])
        self.room = min((config[key] for key in ("tags", "driver_depth") if config.get(key)),
                        default=math.inf)
        self.behind = config.get("backend", -1)
        self.backend = backends[self.behind] if self.behind >= 0 else Server({})
        if config.get("hang") or config.get("error"):
            self.open = 0.0

    def latency_us(self, size, node, write=False):
        remote = self.remote_us[node] if node < len(self.remote_us) else 0
        delay = self.of("delay_us", write) if size else self.config.get("flush_delay_us", self.of("delay_us", write))
        delay *= math.exp(self.config.get("sigma", 0) ** 2 / 2)
        delay *= self.config.get("wave_delay", 1) ** self.level
        delay += self.config.get("tail", 0) * self.config.get("tail_us", 0)
        return self.server_us(size, write) + self.backend.server_us(size, write) + delay + remote


def mean_rest_ms(config):
    """The logarithm is uniform."""
    low, high = config["gc_min_ms"], config["gc_max_ms"]
    return low if low == high else (high - low) / math.log(high / low)


def wave_level(config, at_ms):
    """As in server.cc."""
    shape = config.get("wave", "none")
    if shape in ("none", "walk"):
        return 0.0
    at = at_ms / config["wave_period_ms"] + config.get("wave_phase", 0)
    return (1 - math.cos(2 * math.pi * at)) / 2 if shape == "sine" else float(at % 1 >= 0.5)


def moments(scenario):
    """Of the longest of its waves, in ms."""
    periods = [each["wave_period_ms"] for each in [*scenario["paths"], *scenario.get("backends", [])]
               if each.get("wave", "none") in ("sine", "square")]
    return [max(periods) * (step + 0.5) / MOMENTS for step in range(MOMENTS)] if periods else [0.0]


def in_flight(scenario):
    """I/Os that a closed loop keeps in flight, by node."""
    cpus, nodes = scenario.get("cpus", 1), scenario.get("nodes", 1)
    counts = [0] * nodes
    for job in scenario["jobs"]:
        counts[job.get("cpu", 0) * nodes // cpus] += job.get("depth", 1)
    return counts


def arrivals(load):
    """I/Os per us of a load that does not wait for them."""
    if load["type"] == "poisson":
        return load["iops"] / 1e6
    return load["size"] / load["period_ms"] / 1e3


def highest(values, limits):
    """Most of sum(values * x) over x >= 0 with sum(row * x) <= limit for each (row, limit >= 0).

    Values and rows are dicts by the name of the variable. The simplex method on a table; Bland's
    rule, the first column that helps and of equal rows the one of the first variable, keeps it from
    going in circles.
    """
    names = list(dict.fromkeys([*values, *(name for row, _ in limits for name in row)]))
    basis = list(range(len(names), len(names) + len(limits)))
    table = [[row.get(name, 0.0) for name in names] +
             [float(index == other) for other in range(len(limits))] + [limit]
             for index, (row, limit) in enumerate(limits)]
    gain = [values.get(name, 0.0) for name in names] + [0.0] * (len(limits) + 1)
    while True:
        column = next((j for j, more in enumerate(gain[:-1]) if more > TINY), None)
        if column is None:
            return -gain[-1]
        rows = [i for i, row in enumerate(table) if row[column] > TINY]
        if not rows:
            return math.inf
        pivot = min(rows, key=lambda i: (table[i][-1] / table[i][column], basis[i]))
        basis[pivot] = column
        scale = table[pivot][column]
        table[pivot] = [value / scale for value in table[pivot]]
        for row in [*table[:pivot], *table[pivot + 1:], gain]:
            factor = row[column]
            if factor:
                row[:] = [a - factor * b for a, b in zip(row, table[pivot])]


def kinds_of(scenario, by_direction):
    """{(size, part that is writes): part of the I/Os}; with by_direction the former is 0 or 1."""
    sizes, writes = scenario.get("sizes", DEFAULT_SIZES), scenario.get("writes", 0)
    total = sum(weight for _, weight in sizes)
    found = {}
    for size, weight in sizes:
        for write, part in ((0, 1 - writes), (1, writes)) if by_direction else ((writes, 1),):
            if part:
                found[size, write] = found.get((size, write), 0) + part * weight / total
    return found


def mixed_us(time_us, writes):
    """The mean over I/Os of which such a part is writes."""
    return (1 - writes) * time_us(False) + writes * time_us(True)


def has_a_bound(scenario):
    """Not where jobs have something of their own, or maps begin on several nodes."""
    own = any(set(job) - {"cpu", "depth"} for job in scenario.get("jobs", []))
    return not own and (scenario.get("maps", 1) == 1 or scenario.get("nodes", 1) == 1)


def bound(scenario, by_direction=True):
    """The most IOPS, or None; see the top of this file. A scenario as in README.md."""
    if not has_a_bound(scenario):
        return None
    times = moments(scenario)
    load = scenario.get("load", {"type": "closed"})
    if load["type"] != "closed" and len(times) > 1:
        return 1e6 * arrivals(load) * scenario.get("maps", 1)      # what waits comes later
    return sum(bound_at(scenario, load, at_ms, by_direction) for at_ms in times) / len(times)


def bound_at(scenario, load, at_ms, by_direction):
    """At a moment. All maps are alike, so each has the same part of the backends."""
    maps = scenario.get("maps", 1)
    backends = [Server(config, at_ms) for config in scenario.get("backends", [])]
    paths = [Path(config, backends, at_ms) for config in scenario["paths"]]
    kinds = kinds_of(scenario, by_direction)
    nodes = range(scenario.get("nodes", 1))

    def server_us(server, kind):
        return mixed_us(lambda write: server.server_us(kind[0], write), kind[1])

    def idle_us(node, path, kind):
        return mixed_us(lambda write: path.latency_us(kind[0], node, write), kind[1])

    latency_us = {(node, index, kind): idle_us(node, path, kind)
                  for node in nodes for index, path in enumerate(paths) for kind in kinds}
    # About the time of an I/O, so that the numbers in the table are neither huge nor TINY.
    unit_us = min(latency_us.values()) or 1.0
    held = {part: us / unit_us for part, us in latency_us.items() if paths[part[1]].open}
    flow = {("node", node): 1.0 for node in nodes}

    limits = []
    for node in nodes:
        for kind, weight in kinds.items():
            row = {part: -1.0 for part in held if part[0] == node and part[2] == kind}
            limits.append(({("node", node): weight, **row}, 0.0))
    for index, path in enumerate(paths):
        mine = [part for part in held if part[1] == index]
        limits.append(({part: server_us(path, part[2]) / unit_us for part in mine}, path.open))
        if path.room < math.inf:
            limits.append(({part: held[part] / path.room for part in mine}, 1.0))
    for index, backend in enumerate(backends):
        limits.append(({part: server_us(backend, part[2]) / unit_us
                        for part in held if paths[part[1]].behind == index}, backend.open / maps))
    if load["type"] == "closed":
        for node, count in enumerate(in_flight(scenario)):
            limits.append(({part: held[part] for part in held if part[0] == node}, float(count)))
    else:
        limits.append((flow, arrivals(load) * unit_us))
    return maps * 1e6 * highest(flow, limits) / unit_us
