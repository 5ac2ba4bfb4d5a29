"""What many CPUs, paths and maps cost."""
from .show_common import block, number, table

STEP = "scale"


def rows(figures):
    found = figures["steps"][STEP]["results"]["rows"].values() if STEP in figures["steps"] else []
    return block(figures, [STEP], table([[
        "CPUs", "nodes", "paths", "maps", "of them busy", "ns of an I/O", "the same, cold", "us of a window",
        "% of a CPU, all windows", "MB, all maps", "ms to load a table"]] + [[
            *(str(each[key]) for key in ("cpus", "nodes", "paths")), maps(each), str(each["busy"]),
            number(each["io_ns"]), number(each["spread_ns"]), number(each["window_us"], 1), number(each["percent"], 2),
            number(each["bytes"] / 1e6, 1), number(each["load_ms"], 1)] for each in found]))


def maps(row):
    """Memory may have been for fewer than wanted."""
    less = row["maps"] < row["wanted_maps"]
    return f"{row['maps']} of {row['wanted_maps']}" if less else str(row["maps"])
