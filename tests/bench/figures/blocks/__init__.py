"""The generated parts of the documents, each from docs/figures.json alone."""
from . import show_acceptance as acceptance
from . import show_cost as cost
from . import show_demo as demo
from . import show_exact as exact
from . import show_long as long_runs
from . import show_memory as memory
from . import show_overview as overview
from . import show_scale as scale
from . import show_sim as sim

BLOCKS = {
    "demo": demo.table, "demo-stat": demo.stat,
    "overview": overview.overview,
    "acceptance-marks": acceptance.marks, "acceptance-local": acceptance.local,
    "acceptance-transports": acceptance.transports, "acceptance-real-time": acceptance.real_time,
    "acceptance-changes": acceptance.changes, "acceptance-tasks": acceptance.tasks,
    "acceptance-missed": acceptance.missed, "acceptance-long": long_runs.runs,
    "cost-instructions": cost.instructions, "cost-accounting": cost.accounting,
    "cost-by-operation": cost.by_operation, "cost-iops": cost.iops,
    "cost-native": cost.native, "scale": scale.rows,
    "exact": exact.rows, "exact-reaction": exact.reactions,
    "sim": sim.selectors, "sim-reactions": sim.reactions, "sim-lists": sim.lists, "sim-variants": sim.variants,
    "sim-operations": sim.operations, "sim-behind": sim.behind, "sim-minutes": sim.minutes,
    "memory": memory.memory,
}
