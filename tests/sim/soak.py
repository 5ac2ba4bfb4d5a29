"""Hours under a load that becomes another one every 20 s: `python3 -m tests.sim.soak --hours 100`.

Each phase counts against the same phase of a module that has just been loaded: the history must not matter, and
least of all the longer it is. A wrong state that stays, a count that drifts and a path that starves all show in
that. The module's own code runs in the simulator; 100 hours take some ten minutes on two CPUs.
"""
import random
import statistics

from tests.bench.ratios import gmean
from tests.vm import command_line
from tests.vm.progress import say

from . import engine
from .extra import LEAST
from .long_rows import PHASE_MS, PHASE_PATHS, phase, phases
from .simulate import config_of

HOUR_PHASES = 3600 * 1000 // PHASE_MS
PARTS = 2                       # of a phase; the last one counts
PART_MS = PHASE_MS // PARTS
QUARTERS = 4
LEAST_MEAN = 0.97               # of all phases, and of the last quarter against the first
LEAST_SHARE = 0.5               # of an even share, where all paths are equal
BEHIND = 0.8                    # such phases are counted


def alone(paths, one):
    """A phase of a module that knows nothing."""
    return dict(phases(paths, [one]), warmup_ms=PHASE_MS - PART_MS, runtime_ms=PART_MS)


def in_turn(paths, steps):
    return dict(phases(paths, steps), warmup_ms=0, runtime_ms=PHASE_MS * len(steps), part_ms=PART_MS)


def run(program, seed, count):
    """(ratios of throughput, of p99, least share of an even one or None) of so many phases in a row."""
    rng = random.Random(seed)
    paths = PHASE_PATHS[seed % len(PHASE_PATHS)]
    steps = [phase(rng) for _ in range(count)]
    configs = [config_of(f"soak-{seed}", in_turn(paths, steps), engine.OURS, seed, ())]
    configs += [config_of(f"soak-{seed}-{number}", alone(paths, one), engine.OURS, seed, ())
                for number, one in enumerate(steps)]
    whole, *fresh = engine.run_all(program, configs)
    late = whole["parts"][PARTS - 1::PARTS]
    share = None
    if all(one == paths[0] for one in paths):
        share = min(whole["starts"]) * len(paths) / sum(whole["starts"])
    return ([one["iops"] / max(other["iops"], LEAST) for one, other in zip(late, fresh)],
            [one["p99_us"] / max(other["p99_us"], LEAST) for one, other in zip(late, fresh)], share)


def mean_of(ratios):
    """What was known before may help, too; but that makes up for no phase in which it does harm."""
    return gmean(min(max(one, LEAST), 1) for one in ratios)


def quarters(by_run):
    """Means of the phases of each quarter of a run, of [ratios of each run]."""
    found = [[] for _ in range(QUARTERS)]
    for ratios in by_run:
        for number, one in enumerate(ratios):
            found[number * QUARTERS // len(ratios)].append(one)
    return [mean_of(some) for some in found if some]


def judged(by_run, shares):
    """(figures, what is wrong), of [ratios of each run] and [shares of runs with equal paths]."""
    means = quarters(by_run)
    everything = [one for ratios in by_run for one in ratios]
    figures = {"mean": mean_of(everything), "worst": min(everything), "quarters": means,
               "behind": sum(one < BEHIND for one in everything) / len(everything), "share": min(shares, default=None)}
    wrong = []
    if figures["mean"] < LEAST_MEAN:
        wrong.append(f"the history costs: {figures['mean']:.3f} of the throughput without")
    if means[-1] < LEAST_MEAN * means[0]:
        wrong.append(f"it gets worse: {means[0]:.3f} in the first quarter, {means[-1]:.3f} in the last")
    if figures["share"] is not None and figures["share"] < LEAST_SHARE:
        wrong.append(f"of equal paths one has {figures['share']:.2f} of its share")
    return figures, wrong


def parse(arguments):
    parser = command_line.parser("tests.sim.soak", __doc__)
    parser.add_argument("--hours", type=command_line.number(float, 0.01, 100000), default=100, metavar="N",
                        help="simulated hours, in runs of one (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the first run (%(default)s)")
    parser.add_argument("--engine", help="another engine than build/sim/engine")
    return parser.parse_args(arguments)


def main(options):
    program = options.engine or engine.build()
    left, seed, by_run, late, shares = round(options.hours * HOUR_PHASES), options.seed, [], [], []
    while left > 0:
        iops, p99, share = run(program, seed, min(left, HOUR_PHASES))
        by_run.append(iops)
        late += p99
        shares += [] if share is None else [share]
        say(f"soak, seed {seed}: {len(iops)} phases, mean {mean_of(iops):.3f}, "
            f"worst {min(iops):.3f} in phase {iops.index(min(iops))}")
        left, seed = left - len(iops), seed + 1
    figures, wrong = judged(by_run, shares)
    for one in wrong:
        print(one)
    print(f"soak: phases={sum(map(len, by_run))} mean={figures['mean']:.4f} worst={figures['worst']:.3f} "
          f"below_{BEHIND}={100 * figures['behind']:.2f}% p99={statistics.median(late):.2f} "
          f"quarters={','.join(f'{one:.3f}' for one in figures['quarters'])} "
          f"share={'-' if figures['share'] is None else format(figures['share'], '.2f')}")
    return 1 if wrong else 0


if __name__ == "__main__":
    command_line.run(parse, main, expected=(engine.EngineFailed,))
