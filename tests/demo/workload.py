"""fio in the guest, and what the paths and the CPUs did meanwhile."""
import json
import os
import tempfile

from tests.dm.lib import fio
from tests.dm.lib.command import sh
from tests.demo.plan import BLOCK

CPUS = "/proc/stat"


class Counters:
    """What `cat` printed of CPUS and the paths' stat files, at one moment."""

    def __init__(self, text):
        lines = text.splitlines()
        ticks = [int(word) for word in lines[0].split()[1:9]]
        self.total = sum(ticks)
        self.busy = self.total - ticks[3] - ticks[4]    # idle and waiting
        # A line of a disk's stat file is all numbers: reads first, writes fifth.
        disks = [line.split() for line in lines if line.strip()[:1].isdigit()]
        self.ios = [int(words[0]) + int(words[4]) for words in disks]


def latencies(job):
    """The figures of one job of fio's JSON, reads and writes together."""
    mixed = job["mixed"]
    figures = {"iops": mixed["iops"], "mib_s": mixed["iops"] * BLOCK / 2**20,
               "mean_ms": mixed["lat_ns"]["mean"] / 1e6, "ios": mixed["total_ios"]}
    for rank in ("50", "99", "99.9"):
        figures["p%s_ms" % rank] = mixed["lat_ns"]["percentile"]["%.6f" % float(rank)] / 1e6
    return figures


def usage(before, after):
    """Each path's I/Os, and the part of the time in which the CPUs were busy."""
    ios = [end - start for start, end in zip(before.ios, after.ios)]
    return {"path_ios": ios, "slow_share": ios[1] / sum(ios),
            "cpu_busy": (after.busy - before.busy) / max(after.total - before.total, 1)}


def command(device, paths, workloads, depth, seconds):
    """fio's command line, a job for each workload, one after the other.

    One fio for all, since starting it costs an emulated CPU more than a second.
    """
    counters = "cat %s %s" % (CPUS, " ".join(path.sysfs + "/stat" for path in paths))
    # the time in ms, since fio takes a part of a second for none
    argv = fio.arguments(device, "%dms" % (1000 * seconds), depth, {
        "name": None, "rw": None, "group_reporting": None,
        "bs": BLOCK, "unified_rw_reporting": "mixed", "lat_percentiles": 1,
        "clat_percentiles": 0, "percentile_list": "50:99:99.9", "disk_util": 0,
        "exec_prerun": counters, "exec_postrun": counters})
    for workload in workloads:
        argv += ["--name=" + workload, "--rw=" + workload, "--stonewall"]
    return argv


def measure(device, paths, workloads, depth, seconds):
    """Run fio on the device; {workload: figures}."""
    argv = command(device, paths, workloads, depth, seconds)
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)     # where fio leaves what the exec commands print
        output = sh(*argv, timeout=60 + 5 * seconds * len(workloads))
        jobs = json.loads(output[output.index("{"):])["jobs"]
        figures = {}
        for workload, job in zip(workloads, jobs):
            before, after = (counters(workload, when) for when in ("prerun", "postrun"))
            figures[workload] = {**latencies(job), **usage(before, after)}
        os.chdir("/")
    return figures


def counters(workload, when):
    with open("%s.%s.txt" % (workload, when)) as file:
        return Counters(file.read())
