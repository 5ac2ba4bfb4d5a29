"""The generated parts of the documents, each from docs/figures.json alone."""
from . import acceptance, cost, demo, exact, memory, overview, scale, sim

BLOCKS = {
    "demo": demo.table, "demo-stat": demo.stat,
    "overview": overview.overview,
    "acceptance-marks": acceptance.marks, "acceptance-local": acceptance.local,
    "acceptance-transports": acceptance.transports, "acceptance-real-time": acceptance.real_time,
    "acceptance-changes": acceptance.changes, "acceptance-tasks": acceptance.tasks,
    "acceptance-missed": acceptance.missed,
    "cost-instructions": cost.instructions, "cost-accounting": cost.accounting, "cost-iops": cost.iops,
    "cost-native": cost.native, "scale": scale.rows,
    "exact": exact.rows, "exact-reaction": exact.reactions,
    "sim": sim.selectors, "sim-reactions": sim.reactions, "sim-lists": sim.lists, "sim-variants": sim.variants,
    "memory": memory.memory,
}
