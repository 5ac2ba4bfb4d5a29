"""Words that the module has of its paths, and ours for them; parts into which I/Os fall."""

NEW, ACTIVE, SLOW, STALLED, RAMPING, FAILED = STATES = ("new", "active", "slow", "stalled", "ramping", "failed")
NOT_USED = (SLOW, STALLED)      # gets probes only; gets a rare single I/O until one completes
SOURCES = _, TIMESTAMPS, COUNTS = ("none", "timestamps", "counts")
DISK = "disk"                   # source for paths of other selectors

# The module's words where ours differ. It has one word for both of NOT_USED.
PROBING = "probing"
MODULE_WORDS = {PROBING: SLOW, "stamps": TIMESTAMPS, "little": COUNTS}

# Classes of I/O, by the name of the directory.
CLASSES = {
    "zero": "without data",
    "32k": "up to 32 KiB",
    "64k": "up to 64 KiB",
    "128k": "up to 128 KiB",
    "256k": "up to 256 KiB",
    "512k": "up to 512 KiB",
    "1m": "up to 1 MiB",
    "more": "above 1 MiB",
    "huge": "longer than data",
}

# Not flushes and discards, whose latency says little of the path.
DATA_CLASSES = tuple(name for name in CLASSES if name not in ("zero", "huge"))

# Operations, by the name of the directory. Reads and writes only count where by_operation is 1.
OPERATIONS = {"read": "reads", "write": "writes", "other": "others"}
TOLD_APART = ("read", "write")
