"""fio's output: the options for it, and the figures of a job.

A latency is fio's `lat`, from the submission of an I/O to its completion. `clat` begins only
when the submission has ended, which in a bio-based map may have waited for a path.

The project's tests read fio by this module, too, and have no other reader.
"""
import json

PERCENTILES = {"p50_us": "50.000000", "p99_us": "99.000000", "p999_us": "99.900000"}
# Reads and writes are one figure, "mixed".
OPTIONS = {"output-format": "json", "unified_rw_reporting": 1, "lat_percentiles": 1, "clat_percentiles": 0,
           "percentile_list": "50:99:99.9"}


def words(options):
    """As fio's command line has them; None leaves one out."""
    return ["--%s=%s" % item for item in options.items() if item[1] is not None]


def jobs(output):
    """Each job in fio's JSON, which notes may precede; with group_reporting all as one."""
    return json.loads(output[output.index("{"):])["jobs"]


def figures(job):
    """Figures of reads and writes together."""
    mixed = job["mixed"]
    return {"iops": mixed["iops"], "mib_s": mixed["bw_bytes"] / 2**20, "ios": mixed["total_ios"],
            **latencies(mixed["lat_ns"])}


def latencies(latency):
    """In us; 0 where none was measured: no I/O ended, or fio was told not to look at the clock."""
    found = {"mean_us": latency["mean"] / 1000}
    percentiles = latency["percentile"] if latency["mean"] else {}
    for name, rank in PERCENTILES.items():
        found[name] = percentiles[rank] / 1000 if percentiles else 0.0
    return found
