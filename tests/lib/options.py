"""What can be set, as docs/latency-weighted.rst says, and not the module's code."""

PARAMETERS = "/sys/module/dm_latency_weighted/parameters/"

# key: least, most, default
OPTIONS = {
    "ewma_shift": (0, 8, 1),
    "window_ms": (5, 1000, 20),
    "tolerance": (0, 100, 12),
    "max_penalty": (1, 1000, 20),
    "probe_min_ms": (10, 60000, 100),
    "probe_max_ms": (10, 600000, 5000),
    "accounting": (0, 1, 1),
    "histogram": (0, 1, 0),
    "by_operation": (0, 1, 0),
    "min_contiguous_kb": (0, 65536, 0),
    "report_ms": (0, 600000, 5000),
}
# key: its words, the default first
WORDS = {"choose": ("latency", "queue-length", "round-robin")}
DEFAULTS = {**{key: default for key, (_, _, default) in OPTIONS.items()},
            **{key: words[0] for key, words in WORDS.items()}}
