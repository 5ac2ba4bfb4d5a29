"""In the guest: the runs of one scenario (`python3 -m tests.bench.acceptance.acceptance_in_guest`).

Reads /lw/out/plan.json and writes a line to /lw/out/results.jsonl for each figure and trace.
"""
import contextlib
import os

from tests.bench import in_guest as guest
from tests.bench.acceptance import long_run, tasks, timeline
from tests.bench.acceptance.acceptance_plan import DONE, GuestPlan
from tests.bench.acceptance.local_beds import bed
from tests.bench.acceptance.stress import busy_cpus
from tests.bench.selectors import OURS
from tests.lib import fio_series


def key(job, depth):
    return "%s-%d" % (job.key, depth)


def size_of(job):
    """fio's word for the sizes of the I/Os."""
    for word in ("bssplit", "bsrange"):
        if getattr(job, word):
            return {word: getattr(job, word)}
    return {"bs": job.bs}


def fio_job(job, depth, warm, name=""):
    return fio_series.Job(name or key(job, depth), job.seconds, depth, warm, rw=job.rw, **size_of(job),
                          **job.options)


def figures_of(found):
    """As the results have them: shares of each path instead of numbers of I/Os."""
    ios = found.pop("path_ios")
    found.pop("ios")
    return {**found, "shares": [count / max(sum(ios), 1) for count in ios]}


def run_series(the_bed, device, scenario):
    """All jobs at all depths; [(job, depth, figures)]."""
    cells = list(scenario.cells())
    found = fio_series.run(device, the_bed.paths, [fio_job(job, depth, job.warm) for job, depth in cells])
    return [(job, depth, figures_of(found[key(job, depth)])) for job, depth in cells]


def run_timeline(the_bed, device, scenario, common):
    """Of the only job, from its first I/O on."""
    (job, depth), = scenario.cells()
    figures, columns = timeline.follow(the_bed, device, scenario, fio_job(job, depth, warm=0))
    guest.record(trace=columns, **common)
    return [(job, depth, figures_of(figures))]


def run_long(the_bed, device, scenario, repetition):
    """The only job, with the seconds before those that count."""
    (job, depth), = scenario.cells()
    beside = [fio_job(each, each.depths[0], warm=0, name="beside-%d" % number)
              for number, each in enumerate(scenario.beside)]
    figures = long_run.follow(the_bed, device, scenario, fio_job(job, depth, job.warm), beside, repetition)
    return [(job, depth, figures_of(figures))]


def background(scenario):
    """fio jobs that have nothing to do with the paths: load for the CPUs."""
    return fio_series.unmeasured(scenario.background) if scenario.background else contextlib.nullcontext()


def record_jobs(found, common):
    for job, depth, figures in found:
        guest.record(job=job.name, depth=depth, **common, **figures)
        guest.say("%s%s, %s, depth %d: %.0f IOPS, p99 %.1f ms, shares %s %%, CPU %.0f %%" % (
            DONE, common["selector"], job.name, depth, figures["iops"], figures["p99_us"] / 1000,
            " ".join("%.1f" % (100 * share) for share in figures["shares"]), 100 * figures["cpu"]))


def record_task(found, common):
    for way, figures in found:
        guest.record(way=way, **common, **figures)
        guest.say("%s%s, %s: %.2f s, paths carried %s MiB, data right" % (
            DONE, common["selector"], way, figures["seconds"],
            " + ".join("%.1f" % part for part in figures["carried_mib"])))


def run_once(the_bed, scenario, common):
    the_bed.prepare()
    with the_bed.device(common["selector"]) as device, background(scenario), \
            busy_cpus(scenario.stress_ng):
        if scenario.long:
            record_jobs(run_long(the_bed, device, scenario, common["repetition"]), common)
        elif scenario.task:
            record_task(tasks.run(the_bed, device, scenario.task, scenario.task_mib), common)
        elif scenario.changes:
            record_jobs(run_timeline(the_bed, device, scenario, common), common)
        else:
            record_jobs(run_series(the_bed, device, scenario), common)


def common_fields(scenario, selector, repetition):
    """Of all that a run records; the arguments are ours alone."""
    found = {"scenario": scenario.name, "transport": scenario.transport, "selector": selector,
             "kernel": os.uname().release, "repetition": repetition}
    return {**found, "arguments": scenario.arguments} if selector == OURS and scenario.arguments else found


def run(plan):
    scenario = plan.the_scenario()
    with bed(scenario) as the_bed:
        for number, (repetition, selector) in enumerate(plan.order(), 1):
            guest.say("run %d of %d: %s" % (number, plan.runs, selector))
            run_once(the_bed, scenario, common_fields(scenario, selector, repetition))


if __name__ == "__main__":
    guest.main(run, GuestPlan)
