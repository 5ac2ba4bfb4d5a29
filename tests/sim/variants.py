"""What each part of the algorithm pays for: the module's sources with one thing changed.

A variant is compiled from a copy of src/ in which texts were replaced, and goes through all
scenarios. The peers' results are those of the last `make sim` with the same seed.
"""
import argparse
import json
import pathlib
import re
import shutil
import sys

from . import compare, engine
from .lists import SEEDS
from .random_scenarios import scenarios as random_scenarios
from .scenarios import SCENARIOS
from .simulate import simulate
from .variant_list import VARIANTS


def patched(name, replacements):
    """A copy of src/ with the replacements; each text has to be there exactly once."""
    copy = engine.BUILD / "variants" / re.sub(r"[^a-z0-9.]+", "-", name.lower()) / "src"
    if copy.exists():
        shutil.rmtree(copy)
    shutil.copytree(engine.ROOT / "src", copy)
    for file, old, new in replacements:
        text = (copy / file).read_text()
        if text.count(old) != 1:
            raise engine.EngineFailed(f"variant {name}: {file} has {text.count(old)} times, "
                                      f"not once: {old!r}")
        (copy / file).write_text(text.replace(old, new))
    return copy


def engine_of(name, replacements):
    copy = patched(name, replacements)
    return engine.build(copy.parent / "build", SRC=copy)


def peers_of_last_run(path, names, seed):
    """Results of the peers by scenario; an error that says what to do if there are none."""
    try:
        results = json.loads(path.read_text())["results"][str(seed)]
        return {name: compare.others(results[name]) for name in names}
    except (OSError, ValueError, KeyError) as error:
        raise engine.EngineFailed(f"{path}: no results of all scenarios ({error!r}); "
                                  "run `make sim` first") from None


def figures(name, replacements, scenarios, peers, seed):
    """Of the list, of the random scenarios, and where it is worst."""
    results = simulate(engine_of(name, replacements), scenarios, [engine.OURS], seed)
    ratios = {scenario: compare.ratios(results[scenario][engine.OURS], peers[scenario])
              for scenario in scenarios}
    chance = [ratios[scenario] for scenario in scenarios if scenario not in SCENARIOS]
    worst = sorted(ratios, key=lambda scenario: ratios[scenario][0])[:4]
    return {"list": compare.summary([ratios[scenario] for scenario in SCENARIOS]),
            "random": compare.spread(chance) if chance else None,
            "least": {scenario: ratios[scenario][0] for scenario in worst}}


def row(name, found):
    listed, chance = found["list"], found["random"]
    text = (f"{name:18} {listed['gmean']:.3f} {listed['worst']:.3f} {listed['worst_p99']:9.2f} "
            f"{listed['misses']:6}")
    if chance:
        text += f"   {chance['gmean']:.3f} {chance['worst']:.3f} {100 * chance['good']:4.0f} %"
    return text + "   " + " ".join(f"{one} {ratio:.2f}" for one, ratio in found["least"].items())


def main():
    parser = argparse.ArgumentParser(prog="python3 -m tests.sim.variants",
                                     description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--variant", action="append", choices=VARIANTS, help="default: all")
    parser.add_argument("--seed", type=int, default=SEEDS[0])
    parser.add_argument("--random", type=int, default=40, metavar="N")
    parser.add_argument("--out", type=pathlib.Path, default=engine.BUILD,
                        help="where `make sim` left its results.json")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="where the figures go as well")
    options = parser.parse_args()
    scenarios = {**SCENARIOS, **random_scenarios(options.seed, options.random)}
    try:
        peers = peers_of_last_run(options.out / "results.json", scenarios, options.seed)
        print(f"{'':18} gmean worst worst p99 misses   random: gmean, min, >= 0.98   least")
        found = {}
        for name in options.variant or VARIANTS:
            found[name] = figures(name, VARIANTS[name], scenarios, peers, options.seed)
            print(row(name, found[name]), flush=True)
        if options.json:
            options.json.write_text(json.dumps(found, indent=1) + "\n")
    except engine.EngineFailed as error:
        print(f"sim: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
