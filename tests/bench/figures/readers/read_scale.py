"""tests/bench/scale: what many CPUs, paths and maps cost."""
from tests.bench.scale import scale_results as results
from tests.bench.scale.scale_plan import CORNERS, HEAVY

from .read_common import load, marks, rounded

CORNER_NAMES = {corner.name for corner in CORNERS}


def read(directory):
    records = load(directory, "results.json")["records"]
    rows = [record for record in records if record["row"] not in CORNER_NAMES]
    return rounded({"rows": {record["row"]: row(record) for record in rows},
                    "marks": marks(results.marks(records, HEAVY["windows"]))})


def row(record):
    return {**{key: record[key] for key in ("cpus", "nodes", "paths", "maps", "wanted_maps", "busy", "bytes")},
            "io_ns": results.io_ns(record), "spread_ns": results.spread_ns(record),
            "window_us": results.window_us(record), "percent": results.window_percent(record),
            "load_ms": record["load_ns"] / 1e6}
