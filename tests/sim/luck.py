"""How much of a figure is luck: many seeds of chance for each row, against the best peer's mean.

Counted are the worst tenth of each row's runs, as a bound that nine of ten pass, and all runs that are clearly behind.
"""
import statistics

from tests.bench.ratios import gmean

from . import engine, lists
from .random_scenarios import scenarios as random_scenarios
from .simulate import simulate
from .table import SHORT

SEEDS = range(1001, 1031)
PEERS_SEEDS = SEEDS[:3]
BEHIND = 0.9
NAMES = [
    "S1b", "S2-16", "S3-mix", "S4-2", "S4-5", "S4-20", "S7", "S8", "S8x", "S10-8", "S11b", "S14", "S14b", "S15b",
    "S15c", "S16b", "M-far5", "M-few4", "M-few5", "M-few8", "J-log", "J-burst", "V-step", "V-walk", "C-70", "C-4th",
    "S-mix", "S-0.5", "S-1", "S-pareto", "D-10", "G-48", "G-each", "E-tail8", "E-loss16", "E-losscap", "B-8mix",
    "B-one", "L-open",
    "O-near", "O-slow", "O-owner30",
    "X-slow-4", "X-gbit-4", "X-four-8", "K-jitter", "K-tail", "K-nearly"]
RANDOM_SEED, RANDOM = 8086, 12      # a seed of no other list
SHORT_RUN = dict(warmup_ms=2000, runtime_ms=4000)


def rows():
    """What other lists measure late is measured early here, as the others are."""
    found = {name: lists.by_name(name) for name in NAMES}
    found = {name: dict(one, **SHORT_RUN) if name not in lists.KNOWN else one for name, one in found.items()}
    return {**found, **random_scenarios(RANDOM_SEED, RANDOM)}


def best_mean(runs):
    """(most, which) of [{peer: result} of each seed], each peer by its mean."""
    return max((statistics.fmean(one[peer]["iops"] for one in runs), peer) for peer in runs[0])


def tenth(ratios):
    """The best one of the worst tenth."""
    return sorted(ratios)[max(len(ratios) // 10 - 1, 0)]


def line(name, ratios, most, peer):
    behind = sum(one < BEHIND for one in ratios)
    return (f"{name:14} {most:9.0f} {SHORT[peer]:>4}  {statistics.median(ratios):6.3f} {tenth(ratios):5.3f} "
            f"{min(ratios):5.3f}"
            + (f" {behind}/{len(ratios)} below {BEHIND}" if behind else ""))


def summary(by_name):
    """Of {name: ratios}."""
    tenths = {name: tenth(ratios) for name, ratios in by_name.items()}
    least = {name: min(ratios) for name, ratios in by_name.items()}
    everything = [one for ratios in by_name.values() for one in ratios]
    worst_tenth, worst = min(tenths, key=tenths.get), min(least, key=least.get)
    return {"gmean_of_tenths": gmean(tenths.values()),
            "worst_tenth": tenths[worst_tenth], "worst_tenth_of": worst_tenth,
            "below": sum(one < BEHIND for one in everything) / len(everything),
            "worst": least[worst], "worst_of": worst}


def summary_line(figures):
    return (f"luck: tenths={figures['gmean_of_tenths']:.3f} worst_tenth={figures['worst_tenth']:.3f} "
            f"({figures['worst_tenth_of']}) below_{BEHIND}={100 * figures['below']:.1f}% worst={figures['worst']:.3f} "
            f"({figures['worst_of']})")


def run(program, seeds, options, peers):
    """All that is told, as text, and the figures."""
    scenarios = rows()
    theirs = [simulate(program, scenarios, peers, seed) for seed in (seeds or SEEDS)[:len(PEERS_SEEDS)]]
    ours = [simulate(program, scenarios, [engine.OURS], seed, options) for seed in seeds or SEEDS]
    by_name, lines = {}, [f"{'':14} {'best peer':>14}  median tenth worst"]
    for name in scenarios:
        most, peer = best_mean([found[name] for found in theirs])
        by_name[name] = [max(found[name][engine.OURS]["iops"] / most, 1e-3) for found in ours]
        lines.append(line(name, by_name[name], most, peer))
    figures = summary(by_name)
    return "\n".join([*lines, summary_line(figures)]), dict(figures, rows=by_name)
