"""What the benchmark's programs in the guest share.

They read /lw/out/plan.json and write a line to /lw/out/results.jsonl for each run.
Errors are one line on the standard output and status 1.
"""
import contextlib
import json
import sys

from tests.bench.selectors import table_words
from tests.lib import fio
from tests.lib.command import CommandError, read_text, wait_until
from tests.lib.disks import path_disks
from tests.lib.multipath import Multipath

OUT = "/lw/out/"


def say(text):
    print(text, flush=True)


def record(**fields):
    with open(OUT + "results.jsonl", "a") as file:
        file.write(json.dumps(fields) + "\n")


@contextlib.contextmanager
def multipath(paths, selector, queue_mode="rq", arguments={}):
    """A map over test disks with these parameters, which nobody has used before; the arguments are ours alone."""
    with path_disks(len(paths)) as disks:
        for disk, parameters in zip(disks, paths):
            disk.set(**parameters)
        with Multipath(disks, selector, queue_mode, selector_args=table_words(selector, arguments)) as mapped:
            yield mapped


@contextlib.contextmanager
def load(mapped, runtime, depth, sizes, **options):
    """fio's random reads, unless the options say otherwise; entered with the first of them."""
    def used():
        return [disk.used() for disk in mapped.paths]

    idle = used()
    with fio.Fio(mapped.path, runtime, depth, **sizes_options(sizes), **options) as job:
        wait_until(lambda: used() != idle, "fio reads", interval=0.001)
        yield job


def sizes_options(sizes):
    """fio's words for the sizes of the I/Os; the same random sequence for each selector.

    Without disk_util fio does not stop to look at the disks' statistics.
    """
    options = {"randrepeat": 1, "allrandrepeat": 1, "disk_util": 0}
    if len(sizes) == 1:
        return {**options, "bs": sizes[0][0]}
    split = ":".join("%d/%d" % (size, per_cent) for size, per_cent in sizes)
    return {**options, "bs": None, "bssplit": split}


def direction_options(writes):
    """fio's words for reads of which so many per cent are writes instead."""
    return {"rw": "randrw", "rwmixwrite": writes} if writes else {}


def main(run, plan_type):
    try:
        run(plan_type.from_json(read_text(OUT + "plan.json")))
    except (CommandError, OSError, RuntimeError, TimeoutError, LookupError) as error:
        say("error: " + " ".join(str(error).split()))
        sys.exit(1)
