"""The most IOPS that any selector could get: a fluid bound.

I/O as a fluid that is poured over the paths. In a closed loop each flow keeps, by Little's law,
flow x latency of the I/Os in flight, and a path's server can be busy all of the time, not more. So
the bound is a linear program: over flows x by node, path and size,

    most    sum x
    sizes   each node's flow has the mix of the load
    server  sum x * server time            <= 1 for each path, less its stalls
    load    sum x * latency of idle paths  <= I/Os in flight of each node; or sum x <= arrivals
    tags    the same for each path         <= its tags

With one size and one node its solution is: fill the paths by latency, each to its capacity. Queues
in front of the servers, which random times bring, are not counted, so it is not quite attainable.
Changes in mid-run and pauses are ignored.
"""
import math

DEFAULT_SIZES = [[4096, 1]]
TINY = 1e-9


class Path:
    """Times in us, of an I/O that finds nobody else."""

    def __init__(self, config):
        self.service_us = config.get("service_us", 0)
        self.us_per_byte = 1 / config["mbps"] if config.get("mbps") else 0
        self.delay_us = config.get("delay_us", 0) * math.exp(config.get("sigma", 0) ** 2 / 2)
        self.delay_us += config.get("tail", 0) * config.get("tail_us", 0)
        self.remote_us = config.get("remote_us", [])
        self.room = min((config[key] for key in ("tags", "driver_depth") if config.get(key)),
                        default=math.inf)
        self.open = 1.0
        if config.get("stall_period_ms"):
            self.open -= min(1.0, config.get("stall_ms", 0) / config["stall_period_ms"])
        if config.get("hang") or config.get("error"):
            self.open = 0.0

    def server_us(self, size):
        return self.service_us + size * self.us_per_byte

    def latency_us(self, size, node):
        remote = self.remote_us[node] if node < len(self.remote_us) else 0
        return self.server_us(size) + self.delay_us + remote


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


def bound(scenario):
    """The most IOPS; see the top of this file. A scenario as in README.md."""
    paths = [Path(config) for config in scenario["paths"]]
    sizes = scenario.get("sizes", DEFAULT_SIZES)
    total = sum(weight for _, weight in sizes)
    load = scenario.get("load", {"type": "closed"})
    closed = load["type"] == "closed"
    nodes = range(scenario.get("nodes", 1))
    latency_us = {(node, path, size): paths[path].latency_us(size, node)
                  for node in nodes for path in range(len(paths)) for size, _ in sizes}
    # About the time of an I/O, so that the numbers in the table are neither huge nor TINY.
    unit_us = min(latency_us.values()) or 1.0
    held = {part: us / unit_us for part, us in latency_us.items() if paths[part[1]].open}
    flow = {("node", node): 1.0 for node in nodes}

    limits = []
    for node in nodes:
        for size, weight in sizes:
            row = {part: -1.0 for part in held if part[0] == node and part[2] == size}
            limits.append(({("node", node): weight / total, **row}, 0.0))
    for index, path in enumerate(paths):
        mine = [part for part in held if part[1] == index]
        limits.append(({part: path.server_us(part[2]) / unit_us for part in mine}, path.open))
        if path.room < math.inf:
            limits.append(({part: held[part] / path.room for part in mine}, 1.0))
    if closed:
        for node, count in enumerate(in_flight(scenario)):
            limits.append(({part: held[part] for part in held if part[0] == node}, float(count)))
    else:
        limits.append((flow, arrivals(load) * unit_us))
    return 1e6 * highest(flow, limits) / unit_us
