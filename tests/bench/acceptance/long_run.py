"""In the guest: one long run of which only the end counts, without a gap before it."""
import functools
from concurrent.futures import ThreadPoolExecutor

from tests.bench.acceptance.acceptance_plan import VIRTUAL
from tests.bench.acceptance.timeline import MOST_LATE, taken
from tests.lib import fio_series
from tests.lib.command import wait_until
from tests.lib.watching import act, before_others

MARGIN = 0.01                   # seconds before the end at which the last look is: fio is not to end earlier
SEEDS_APART = 1000


def follow(bed, device, scenario, job, beside, repetition):
    """fio's figures of the job's `seconds`, with what the paths and the CPUs did in these.

    Each repetition has random numbers of its own, which are the same for each selector.
    """
    looks = []

    def look():
        looks.append(fio_series.look(bed.paths))

    events = [(change.at, functools.partial(bed.change, change.path, change.set)) for change in scenario.changes]
    events += [(job.warm, look), (job.warm + job.seconds - MARGIN, look)]
    idle = taken(bed)
    with ThreadPoolExecutor(1) as pool:
        fio = pool.submit(fio_series.run_together, device, job, beside, randseed=1 + SEEDS_APART * repetition)
        wait_until(lambda: taken(bed) != idle or fio.done(), "fio does I/O", timeout=30, interval=0.001)
        with before_others():
            act(events, MOST_LATE[scenario.clock == VIRTUAL])
        return {**fio.result(), **fio_series.usage(*looks)}
