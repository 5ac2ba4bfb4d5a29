"""One fio for a series of jobs, and what the paths and the CPUs did during each.

One for all, since starting it costs an emulated CPU more than a second.
"""
import os
import subprocess
import tempfile

from tools.dm_lw import fio_output

from . import fio
from .command import read_text, running, sh

CPUS = "/proc/stat"
CLOCK = "/proc/uptime"
WARM = "warm-"


class Job:
    """Something for fio to do for `seconds`, after `warm` seconds of the same that do not count."""

    def __init__(self, name, seconds, depth, warm=0.0, **options):
        self.name = name
        self.seconds = seconds
        self.depth = depth
        self.warm = warm
        self.options = options

    def words(self, name, seconds):
        """fio's; the time in ms, since fio takes a part of a second for none."""
        settings = {"runtime": "%dms" % (1000 * seconds), "iodepth": self.depth, **self.options}
        return ["--name=" + name, "--stonewall"] + fio_output.words(settings)

    def words_beside(self):
        """Beside others from the begin on, without a gap before the seconds that count."""
        settings = {"runtime": "%dms" % (1000 * self.seconds), "iodepth": self.depth, **self.options}
        if self.warm:
            settings["ramp_time"] = "%dms" % (1000 * self.warm)
        return ["--name=" + self.name] + fio_output.words(settings)

    def all_words(self, looks):
        warm = self.words(WARM + self.name, self.warm) if self.warm else []
        return warm + self.words(self.name, self.seconds) + looks


class Counters:
    """What `cat` printed of CPUS, CLOCK and the paths' stat files, at one moment."""

    def __init__(self, text):
        lines = text.splitlines()
        ticks = [int(word) for word in lines[0].split()[1:6]]
        # Idle time is exact. The other times are taken at ticks, which are often in step
        # with the completions.
        self.idle = (ticks[3] + ticks[4]) / os.sysconf("SC_CLK_TCK")
        rest = [line.split() for line in lines if line.strip()[:1].isdigit()]
        self.seconds = float(rest[0][0])
        # A line of a disk's stat file is all numbers: reads first, writes fifth.
        self.ios = [int(words[0]) + int(words[4]) for words in rest[1:]]


def usage(before, after):
    """Each path's I/Os, and the part of the time in which the CPUs were busy."""
    cpu_seconds = max(after.seconds - before.seconds, 0.01) * os.cpu_count()
    return {"path_ios": [end - start for start, end in zip(before.ios, after.ios)],
            "cpu": min(1.0, max(0.0, 1 - (after.idle - before.idle) / cpu_seconds))}


def looked_at(paths):
    """The files whose content is for Counters."""
    return [CPUS, CLOCK, *(path.sysfs + "/stat" for path in paths)]


def look_words(paths):
    """The command that prints it."""
    return ["cat", *looked_at(paths)]


def look(paths):
    """Counters of now."""
    return Counters("\n".join(map(read_text, looked_at(paths))))


def shared_words(device, depth, options):
    """How fio's command line begins, for all its jobs."""
    # The random numbers are the same each time. Without disk_util fio does not stop to look
    # at the disks' statistics.
    return fio.arguments(device, None, depth, {
        "name": None, "rw": None, "bs": None, "iodepth": None, "group_reporting": None,
        "time_based": 1, "randrepeat": 1, "allrandrepeat": 1, "disk_util": 0, **options})


def command(device, paths, jobs, options):
    """fio's command line, a job after the other."""
    look = " ".join(look_words(paths))
    argv = shared_words(device, jobs[0].depth, options)
    for job in jobs:
        argv += job.all_words(["--exec_prerun=" + look, "--exec_postrun=" + look])
    return argv


def run(device, paths, jobs, **options):
    """Run the jobs on the device, one after the other; {job's name: figures}.

    `options` are fio's for all of them.
    """
    with tempfile.TemporaryDirectory() as directory:
        return run_in(directory, device, paths, jobs, **options)


def run_in(directory, device, paths, jobs, **options):
    """The same, with the directory in which fio leaves its files."""
    argv = command(device, paths, jobs, options)
    seconds = sum(job.seconds + job.warm for job in jobs)
    output = sh("env", "--chdir=" + directory, *argv, timeout=60 + 5 * seconds)
    found = {}
    for job in fio_output.jobs(output):
        name = job["jobname"]
        if not name.startswith(WARM):
            before, after = (counters(directory, name, when) for when in ("prerun", "postrun"))
            found[name] = {**fio_output.figures(job), **usage(before, after)}
    return found


def run_together(device, job, beside, **options):
    """The job's figures, without those of the ones that begin with it; `options` are fio's for all of them."""
    argv = shared_words(device, job.depth, options)
    for each in [job, *beside]:
        argv += each.words_beside()
    output = sh(*argv, timeout=60 + 5 * (job.warm + job.seconds))
    return next(fio_output.figures(found) for found in fio_output.jobs(output) if found["jobname"] == job.name)


def counters(directory, name, when):
    """What the job's exec command printed into fio's directory."""
    with open("%s/%s.%s.txt" % (directory, name, when)) as file:
        return Counters(file.read())


def unmeasured(jobs):
    """fio with these jobs, each a dict of its options, beside whatever is done within."""
    argv = ["fio", "--output-format=json", "--time_based", "--runtime=1d", "--thread"]
    for number, options in enumerate(jobs):
        argv += ["--name=beside-%d" % number] + fio_output.words(options)
    return running(*argv, stdout=subprocess.DEVNULL)
