"""From any state: what a selector has learned becomes chance, and it has to find its way back.

Counted is how long it takes until throughput and p99 are what they are in the same run without that, from then on. What
such runs themselves vary by, in this row with any seed, is no difference.
"""
import statistics

from . import engine, lists
from .simulate import config_of

SEEDS = range(1, 11)
AT_MS, RUN_MS, PART_MS = 5000, 20000, 500
SPAN = 4            # parts of which the mean counts
CHANCE = 0.02       # of a row's usual spans so many are worse than usual
ERROR = 0.05        # more than that is another figure
SOON_S = 5
NAMES = ["S1a", "S2-16", "S3-mix", "S4-5", "S4-5l", "S4-20", "S8x", "S11", "S15n", "S2L", "M-eq4", "M-few8", "J-log",
         "S-0.5", "C-70", "D-10", "E-tail8", "B-8maps", "X-ten-8", "X-sites-8"]


# Without chance eight maps take turns for ever: a lockstep that they start in, but never fall into, whatever they know.
ALIVE = {"B-8maps": dict(backends=[dict(one, service_sigma=0.02) for one in lists.by_name("B-8maps")["backends"]])}


def rows():
    return {name: dict(lists.by_name(name), warmup_ms=AT_MS, runtime_ms=RUN_MS, part_ms=PART_MS, **ALIVE.get(name, {}))
            for name in NAMES}


def sliding(parts, key):
    """Means over SPAN parts, from each part on."""
    return [statistics.fmean(part[key] for part in parts[at:at + SPAN]) for at in range(len(parts) - SPAN + 1)]


def bounds(usual, by_seed):
    """(least throughput, highest p99) that are usual: of this run's parts, and of those with other seeds."""
    iops, p99 = (sorted(one for parts in by_seed for one in sliding(parts, key)) for key in ("iops", "p99_us"))
    rare = int(CHANCE * len(iops))
    mean = {key: statistics.fmean(part[key] for part in usual) for key in ("iops", "p99_us")}
    return (min((1 - ERROR) * mean["iops"], *sliding(usual, "iops"), iops[rare]),
            max((1 + ERROR) * mean["p99_us"], *sliding(usual, "p99_us"), p99[-1 - rare]))


def back_s(parts, least, highest):
    """After how many seconds it is as usual, and stays so in the mean; None for never."""
    for at in range(len(parts) - SPAN + 1):
        if all(statistics.fmean(part["iops"] for part in some) >= least
               and statistics.fmean(part["p99_us"] for part in some) <= highest
               for some in (parts[at:at + SPAN], parts[at:])):
            return at * PART_MS / 1000
    return None


def times(program, scenarios, seeds, options):
    """{name: {seed: back_s()}}; each row has seeds of its own, since they say what the chance is, too."""
    keys = [(name, 100 * row + seed, at_ms)
            for row, name in enumerate(scenarios) for seed in seeds for at_ms in (0, AT_MS)]
    configs = [config_of(name, dict(scenarios[name], scramble_at_ms=at_ms), engine.OURS, seed, options)
               for name, seed, at_ms in keys]
    found = {name: {} for name in scenarios}, {name: {} for name in scenarios}
    for (name, seed, at_ms), result in zip(keys, engine.run_all(program, configs)):
        found[bool(at_ms)][name][seed] = result["parts"]
    usual, scrambled = found
    return {name: {seed: back_s(parts, *bounds(usual[name][seed], usual[name].values()))
                   for seed, parts in by_seed.items()} for name, by_seed in scrambled.items()}


def shown(value):
    return "never" if value is None else f"{value:.1f}"


def ordered(found):
    return sorted(found, key=lambda one: RUN_MS if one is None else one)


def line(name, by_seed):
    found = ordered(by_seed.values())
    never = [str(seed) for seed, one in by_seed.items() if one is None]
    late = sum(one is None or one > SOON_S for one in found)
    return (f"{name:14} median {shown(found[len(found) // 2]):>5}  worst {shown(found[-1]):>5} s"
            + (f"  later than {SOON_S} s: {late}/{len(found)}" if late else "")
            + (f"  never: seeds {','.join(never)}" if never else ""))


def summary(by_name):
    found = ordered(one for by_seed in by_name.values() for one in by_seed.values())
    soon = sum(one is not None and one <= SOON_S for one in found)
    return {"soon": soon / len(found), "worst_s": found[-1], "never": found.count(None), "of": len(found)}


def summary_line(figures):
    return (f"recover: back_in_{SOON_S}s={100 * figures['soon']:.1f}% worst={shown(figures['worst_s'])} "
            f"never={figures['never']}/{figures['of']}")


def run(program, seeds, options, _peers):
    """All that is told, as text, and the figures."""
    found = times(program, rows(), seeds or SEEDS, options)
    figures = summary(found)
    return "\n".join([*(line(*row) for row in found.items()), summary_line(figures)]), dict(figures, rows=found)
