"""In the guest: a run in which the paths change, with shares and latency over time."""
import functools
import glob
import tempfile
from concurrent.futures import ThreadPoolExecutor

from tests.bench.acceptance.acceptance_plan import VIRTUAL
from tests.lib import fio_series
from tests.lib.command import wait_until
from tests.lib.watching import before_others, watch

INTERVAL = 0.1
MOST_LATE = {True: INTERVAL / 2, False: 20 * INTERVAL}  # by whether time is virtual
LOG = "latency"


def taken(bed):
    """I/Os that the selector gave each path: completions alone would show a path that hangs as one that was left."""
    return [path.given() for path in bed.paths]


def follow(bed, device, scenario, job):
    """(fio's figures, {t, taken, latency_t, latency_us}); times are seconds after the first I/O."""
    columns = {"t": [], "taken": []}

    def sample(at):
        columns["t"].append(round(at, 4))
        columns["taken"].append(taken(bed))

    changes = [(change.at, functools.partial(bed.change, change.path, change.set))
               for change in scenario.changes]
    idle = taken(bed)
    with tempfile.TemporaryDirectory() as directory, ThreadPoolExecutor(1) as pool:
        fio = pool.submit(fio_series.run_in, directory, device, bed.paths, [job],
                          write_lat_log=LOG, log_avg_msec=round(1000 * INTERVAL))
        wait_until(lambda: taken(bed) != idle or fio.done(), "fio does I/O", timeout=30,
                   interval=0.001)
        with before_others():
            watch(sample, job.seconds - INTERVAL, INTERVAL, changes,
                  MOST_LATE[scenario.clock == VIRTUAL])
        figures = fio.result()[job.name]
        columns.update(latencies(directory))
    return figures, columns


def latencies(directory):
    """fio's log of means: milliseconds since the job began, nanoseconds, and more."""
    times, values = [], []
    for file in glob.glob("%s/%s_lat.*.log" % (directory, LOG)):
        with open(file) as log:
            for line in log:
                words = line.split(",")
                times.append(int(words[0]) / 1000)
                values.append(int(words[1]) / 1000)
    return {"latency_t": times, "latency_us": values}
