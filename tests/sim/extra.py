"""Lists that only --list runs: each with its own seeds, against the peers that are the best ones nearly everywhere."""
import json
import statistics

from tests.bench.ratios import gmean

from . import compare, engine, lists, luck, recover
from .simulate import simulate
from .table import SHORT

PEERS = ["round-robin", "queue-length", "service-time", "historical-service-time"]
SELECTORS = [*PEERS, engine.OURS]
READS = "reads"     # a job that also counts alone
BEHIND = 0.95       # of the best peer
LEAST = 1e-3        # of a ratio, so that a mean exists where nothing was done


def pair_of(runs):
    """Ratios to the best peer."""
    iops, p99 = compare.against_peers(runs)
    return max(iops or LEAST, LEAST), p99


def line(name, by_seed):
    """Means over the seeds of ours and of the peer that is best in the mean; then as in the other lists."""
    ours, *others = [(statistics.fmean(runs[one]["iops"] for runs in by_seed), one) for one in reversed(SELECTORS)
                    if one in by_seed[0]]
    most, best = max(others)
    pairs = [pair_of(runs) for runs in by_seed]
    misses = sum(compare.is_miss(*pair) for pair in pairs)
    return (f"{name:14} {ours[0]:9.0f} {most:9.0f} {SHORT[best]:>4}  {gmean(iops for iops, _ in pairs):5.3f} "
            f"{min(iops for iops, _ in pairs):5.3f} {max(p99 for _, p99 in pairs):6.2f} "
            + (f"miss {misses}/{len(pairs)}" if misses else "")).rstrip()


def table(rows, title=""):
    """Of {name: [runs of each seed]}."""
    return "\n".join([f"{title:14} {'IOPS':>9} {'best peer':>14}  {'x':>5} {'worst':>5} {'p99':>6}"]
                     + [line(name, by_seed) for name, by_seed in rows.items()])


def summary(rows):
    """Of the same: what the last line tells."""
    by_seed = zip(*([pair_of(runs) for runs in found] for found in rows.values()))
    found = compare.over_seeds([compare.summary(pairs) for pairs in by_seed])
    return {**found, "misses": round(found["misses"], 1)}


def job_alone(rows, job):
    """The rows as that job sees them, where there is one."""
    def of(run):
        return next((one for one in run.get("jobs", ()) if one["name"] == job), None)

    return {name: [{selector: of(run) for selector, run in runs.items()} for runs in by_seed]
            for name, by_seed in rows.items() if all(of(run) for runs in by_seed for run in runs.values())}


def below(rows, least):
    """(how many runs are below that part of the best peer's, of how many)"""
    found = [pair_of(runs)[0] for by_seed in rows.values() for runs in by_seed]
    return sum(iops < least for iops in found), len(found)


def least(rows):
    """Of the rows that were behind with some seed: the worst run, the last row first."""
    found = sorted((min(pair_of(runs)[0] for runs in by_seed), name) for name, by_seed in rows.items())
    return {name: iops for iops, name in found if iops < BEHIND}


def write(directory, **content):
    for name, one in content.items():
        (directory / f"{name}.json").write_text(json.dumps(one, indent=1) + "\n")


def compared(program, name, seeds, options, out):
    """A list of rows, with each of the seeds."""
    scenarios = lists.members(name, seeds[0], 0)
    results = [simulate(program, scenarios, SELECTORS, seed, options) for seed in seeds]
    rows = {row: [found[row] for found in results] for row in scenarios}
    views = {name: rows, f"{name}-{READS}": job_alone(rows, READS)}
    lines, figures = [], {}
    for view, of_view in views.items():
        if of_view:
            figures[view] = dict(summary(of_view), behind=below(of_view, BEHIND), least=least(of_view))
            print(table(of_view, view))
            behind = "/".join(map(str, figures[view]["behind"]))
            lines.append(f"{compare.summary_line(view, figures[view])} below_{BEHIND}={behind}")
    print("\n".join(lines))
    write(out / name, results=dict(zip(map(str, seeds), results)), summary=dict(figures, seeds=seeds))


def run(program, name, seeds, options, out):
    """A list of lists.EXTRA; seeds: those that were asked for, or nothing."""
    (out / name).mkdir(parents=True, exist_ok=True)     # an error with it ends this now, not after all runs
    if name in lists.EXTRA_ROWS:
        compared(program, name, seeds or lists.EXTRA_SEEDS[name], options, out)
        return
    text, figures = {lists.LUCK: luck, lists.RECOVER: recover}[name].run(program, seeds, options, PEERS)
    print(text)
    write(out / name, summary=figures)
