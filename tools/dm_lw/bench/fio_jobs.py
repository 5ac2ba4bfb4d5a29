"""fio for dm-lw bench: the jobs, a run of one job, and its figures."""
import subprocess
import time
from dataclasses import dataclass
from typing import Tuple

from .. import fio_output
from ..errors import LwError

RAMP = 1                # seconds of each run that do not count: the selector learns
LATE = 60               # that fio may take longer before it counts as stuck
POLL = 0.1
REAPED = 5              # that a killed fio may take, unless an I/O hangs
# It dies with dm-lw, even by SIGKILL; and in one process, so that none of it is left.
LEASH = ("setpriv", "--pdeathsig", "KILL")


class Stuck(LwError):
    """An I/O does not end, and so neither does fio."""


@dataclass(frozen=True)
class Job:
    name: str
    help: str
    options: Tuple[str, ...]
    writes: bool = False


MIXED = "bssplit=4k/60:64k/30:1M/10"
JOBS = {job.name: job for job in (
    Job("randread-1", "random reads of 4 KiB, 1 in flight",
        ("rw=randread", "bs=4k", "iodepth=1")),
    Job("randread-32", "random reads of 4 KiB, 32 in flight",
        ("rw=randread", "bs=4k", "iodepth=32")),
    Job("seqread", "sequential reads of 128 KiB, 8 in flight",
        ("rw=read", "bs=128k", "iodepth=8")),
    Job("mixed-read", "random reads, 60 % 4 KiB, 30 % 64 KiB, 10 % 1 MiB, 16 in flight",
        ("rw=randread", MIXED, "iodepth=16")),
    Job("randwrite-32", "random writes of 4 KiB, 32 in flight",
        ("rw=randwrite", "bs=4k", "iodepth=32"), writes=True),
    Job("seqwrite", "sequential writes of 128 KiB, 8 in flight",
        ("rw=write", "bs=128k", "iodepth=8"), writes=True),
    Job("mixed-rw", "as mixed-read, half of them writes",
        ("rw=randrw", MIXED, "iodepth=16"), writes=True),
)}


def choose(names, may_write):
    """The jobs called so; without names, all that are allowed."""
    for name in names:
        if name not in JOBS:
            raise LwError("no job is called \"%s\"; there are: %s" % (name, ", ".join(JOBS)), 2)
        if JOBS[name].writes and not may_write:
            raise LwError("%s writes: it needs --write-destroys-data" % name, 2)
    if names:
        return [JOBS[name] for name in dict.fromkeys(names)]
    return [job for job in JOBS.values() if may_write or not job.writes]


def command(job, device, runtime):
    """Without --readonly fio would be free to write; with it, it refuses a job that does."""
    argv = [*LEASH, "fio", "--name=" + job.name, "--filename=" + device, "--ioengine=libaio",
            "--direct=1", "--thread=1", "--time_based", "--runtime=%dms" % (1000 * runtime),
            "--ramp_time=%d" % RAMP, "--norandommap=1", "--randrepeat=0", "--disk_util=0",
            *fio_output.words(fio_output.OPTIONS)]
    return argv + ["--" + option for option in job.options] + (
        [] if job.writes else ["--readonly"])


class Counters:
    """I/Os of each path's disk and time of the CPUs, at one moment."""

    def __init__(self, host, paths):
        self.time = time.monotonic()
        self.ios = [ios(host.sysfs, path) for path in paths]
        words = (host.read("proc/stat") or "").split("\n")[0].split()[1:9]
        ticks = [int(word) for word in words if word.isdigit()]
        self.ticks = sum(ticks)
        self.idle = sum(ticks[3:5])         # waiting for I/O is idle, too

    def since(self, before):
        """{shares, cpu}; None for values without a count."""
        counts = [None if None in pair else pair[1] - pair[0] for pair in zip(before.ios, self.ios)]
        total = None if None in counts else sum(counts)
        ticks = self.ticks - before.ticks
        return {"shares": [count / total for count in counts] if total else None,
                "cpu": 1 - (self.idle - before.idle) / ticks if ticks else None}


def ios(sysfs, path):
    """Reads and writes of the disk, ours or others', as iostat counts."""
    words = (sysfs.text("dev/block", path, "stat") or "").split()
    if len(words) < 7 or not all(word.isdigit() for word in words):
        return None
    return int(words[0]) + int(words[4])


def run(host, job, dm, paths, runtime):
    """Run the job on the map; its figures."""
    process = host.start(*command(job, "/dev/" + dm, runtime))
    try:
        looks = look_on(host, paths, process, RAMP + runtime + LATE)
        out, err = process.communicate()
    finally:
        put_down(process)
    if process.returncode:
        lines = (err + out).strip().splitlines() or ["exit status %d" % process.returncode]
        raise LwError("fio failed: %s" % lines[0])
    return dict(figures(out), **usage(looks, runtime))


def look_on(host, paths, process, limit):
    """Counters from time to time until fio ends; its output fits into the pipe."""
    looks = [Counters(host, paths)]
    deadline = looks[0].time + limit
    while process.poll() is None:
        if looks[-1].time > deadline:
            raise Stuck("fio does not end: perhaps an I/O hangs (dmesg)")
        time.sleep(POLL)
        looks.append(Counters(host, paths))
    return looks


def usage(looks, runtime):
    """Counters of the time in which fio measured, without its begin and end."""
    last = max((index for index in range(1, len(looks))
                if looks[index].ios != looks[index - 1].ios), default=len(looks) - 1)
    first = max((index for index in range(last)
                 if looks[index].time <= looks[last].time - runtime), default=0)
    return looks[last].since(looks[first])


def put_down(process):
    """End it, if it still runs; one whose I/O hangs ends later."""
    if process.poll() is None:
        process.kill()
        try:
            process.communicate(timeout=REAPED)
        except subprocess.TimeoutExpired:
            pass


def figures(output):
    """Figures of the only job."""
    try:
        (job,) = fio_output.jobs(output)
        found = fio_output.figures(job)
    except (ValueError, KeyError, TypeError) as error:
        raise LwError("fio says nothing that dm-lw understands (%s): %.100s"
                      % (error, " ".join(output.split()) or "no word"))
    del found["ios"]        # the tables have I/Os a second
    return found
