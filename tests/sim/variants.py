"""What each part of the algorithm pays for: the module's sources with one thing changed.

A variant has other options, or is compiled from a copy of src/ with definitions of its own, and goes through all lists with
all seeds of the last `make sim`, whose results of the peers it is held against; or through scenarios that
are named, with the default seeds, and those of the peers are run anew.
"""
import json
import pathlib
import re
from functools import partial

from tests.bench.records import prepare_file
from tests.lib import definitions
from tests.lib.whole_file import write_whole
from tests.vm import command_line

from . import compare, engine, lists
from .simulate import simulate
from .variant_list import VARIANTS


def source_of(name):
    """A copy of src/ with the variant's code."""
    variant = VARIANTS[name]
    copy = engine.BUILD / "variants" / re.sub(r"[^a-z0-9.]+", "-", name.lower()) / "src"
    try:
        return definitions.copied(engine.ROOT / "src", copy, variant.code, *variant.texts)
    except definitions.Misfit as error:
        raise engine.EngineFailed(f"variant {name}: {error}") from None


def engine_of(name):
    if not VARIANTS[name].code and not VARIANTS[name].texts:
        return engine.build()
    copy = source_of(name)
    return engine.build(copy.parent / "build", SRC=copy)


def last_run(path):
    """{seed: {scenario: {selector: result}}}; an error that says what to do if there is none."""
    try:
        return {int(seed): found for seed, found in json.loads(path.read_text())["results"].items()}
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise engine.EngineFailed(f"{path}: no results ({error!r}); run `make sim` first") from None


def ratios(program, options, scenarios, last, seed):
    """{scenario: (throughput, p99)} against the best peer; a scenario's own options count before those of the variant."""
    missing = [name for name in scenarios if name not in last]
    if missing:
        raise engine.EngineFailed(f"the last `make sim` had no {missing[0]} with seed {seed}; run it again, with the same "
                                  "number of random scenarios")
    wanted = {name: {**scenario, "options": {**options, **scenario.get("options", {})}} for name, scenario in scenarios.items()}
    results = simulate(program, wanted, [engine.OURS], seed)
    return {name: compare.ratios(results[name][engine.OURS], compare.others(last[name])) for name in scenarios}


def named(names):
    """The scenarios, and the peers' results as last_run() has them."""
    scenarios, program = {name: lists.by_name(name) for name in names}, engine.build()
    return scenarios, {seed: simulate(program, scenarios, engine.PEERS, seed) for seed in lists.SEEDS}


def figures(name, last, members):
    """{list: what its last line tells}, and where the variant is worst: {scenario: mean throughput}.

    `members` are functions that tell the scenarios of a list with a seed.
    """
    program, by_list, by_name = engine_of(name), {}, {}
    for wanted, scenarios in members.items():
        for seed, peers in last.items():
            found = ratios(program, VARIANTS[name].options, scenarios(seed), peers, seed)
            by_list.setdefault(wanted, []).append(compare.summary(list(found.values())))
            for scenario, (iops, _) in found.items():
                by_name.setdefault(scenario, []).append(iops)
    means = {scenario: compare.gmean(found) for scenario, found in by_name.items()}
    return {**{wanted: compare.over_seeds(found) for wanted, found in by_list.items()},
            "least": {scenario: means[scenario] for scenario in sorted(means, key=means.get)[:4]}}


def row(name, found):
    text = f"{name:34}" + "".join(
        f"  {found[wanted]['gmean']:.4f} {found[wanted]['worst']:.3f} {found[wanted]['worst_p99']:5.1f} "
        f"{found[wanted]['misses']:5.1f}" for wanted in found if wanted != "least")
    return text + "   " + " ".join(f"{one} {ratio:.2f}" for one, ratio in found["least"].items())


def parse(arguments):
    parser = command_line.parser("tests.sim.variants", __doc__)
    parser.add_argument("--variant", action="append", choices=VARIANTS, help="default: all")
    parser.add_argument("--scenario", action="append", metavar="NAME", help="only these, as `make sim` knows them")
    parser.add_argument("--random", type=command_line.number(int, 1, lists.MOST_RANDOM), default=lists.DEFAULT_RANDOM,
                        metavar="N", help="as `make sim` had it")
    parser.add_argument("--out", type=pathlib.Path, default=engine.BUILD,
                        help="where `make sim` left its results.json")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="where the figures go as well")
    return parser.parse_args(arguments)


def run(options):
    if options.json:
        prepare_file(options.json)
    if options.scenario:
        scenarios, last = named(options.scenario)
        members = {lists.CHOSEN: lambda seed: scenarios}
    else:
        last = last_run(options.out / "results.json")
        members = {wanted: partial(lists.members, wanted, count=options.random) for wanted in lists.LISTS}
    found = {}
    print(f"{'':34}" + "".join(f"  {wanted + ': gmean worst p99 misses':25}" for wanted in members) + "  least")
    for name in options.variant or VARIANTS:
        found[name] = figures(name, last, members)
        print(row(name, found[name]), flush=True)
    if options.json:
        write_whole(options.json, json.dumps(found, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    command_line.run(parse, run, expected=(ValueError, engine.EngineFailed))
