"""The tunables of a map. "make tables" writes this file; they are set in src/option_defs.h."""

# name, least and most or all words, default, unit, meaning
OPTIONS = (
    ("ewma_shift", (0, 8), 1, "",
     "a window has the weight 1/2^ewma_shift in a path's latency"),
    ("window_ms", (5, 1000), 20, "ms",
     "how often estimates are made while there is traffic"),
    ("tolerance", (0, 100), 12, "%",
     "latencies of equal paths may differ by this part of the least"),
    ("max_penalty", (1, 1000), 20, "",
     "the most that overload adds to a path's cost, in multiples of its latency"),
    ("probe_min_ms", (10, 60000), 100, "ms",
     "shortest period of probing a path that is not used"),
    ("probe_max_ms", (10, 600000), 5000, "ms",
     "longest period of probing a path that is not used"),
    ("accounting", (0, 1), 1, "",
     "have the paths' queues stamp their requests with the time"),
    ("histogram", (0, 1), 0, "",
     "count I/Os by latency, too, for percentiles in debugfs"),
    ("by_operation", (0, 1), 0, "",
     "tell reads from writes, by the block layer's tracepoints"),
    ("min_contiguous_kb", (0, 65536), 0, "KiB",
     "how much a CPU sends to one of several equal paths before it may change; 0 is off"),
    ("report_ms", (0, 600000), 5000, "ms",
     "how long a path has to be slow, or no longer, until it is reported; 0 is never"),
    ("choose", ("latency", "queue-length", "round-robin"), "latency", "",
     "rule that chooses paths: latency, the default; to observe, queue-length or round-robin"),
)
