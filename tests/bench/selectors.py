"""What is compared, by name and in the order of all tables."""

OURS = "latency-weighted"
DEBIANS = ["round-robin", "queue-length", "service-time"]      # what Debian's kernels have
HISTORICAL_SERVICE_TIME, IO_AFFINITY = "historical-service-time", "io-affinity"
# In the kernel's sources, and in other distributions' kernels; our guests compile them.
COMPILED = [HISTORICAL_SERVICE_TIME, IO_AFFINITY]
# The NVMe driver's own multipathing, on a real kernel and as the simulator has it.
NATIVE = "native-"
NATIVES = [NATIVE + policy for policy in ("numa", "round-robin", "queue-depth")]
SIMULATED = ["nvme-queue-depth", "nvme-latency"]
SIMPLE = "simple"       # the simulator's min (n + u) x L: a part of ours, and nobody's peer

ALONE = "fast path alone"       # no selector, but measured beside them

PEERS = [*NATIVES, *DEBIANS, *COMPILED, *SIMULATED]
SELECTORS = [*PEERS, SIMPLE, OURS]


def table_words(selector, arguments):
    """What the table line has for the selector's group: such arguments are ours alone."""
    return [word for item in arguments.items() for word in item] if selector == OURS else []


def ordered(names):
    """Those that are known, in the tables' order."""
    return [name for name in SELECTORS if name in names]


def peers(names):
    """Those of them that ours is held against: all that were measured beside it."""
    return [name for name in PEERS if name in names]
