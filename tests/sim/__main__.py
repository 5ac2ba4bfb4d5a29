"""The selectors side by side in a simulation that runs the module's own code."""
import argparse
import json
import sys
import time

from . import compare, engine, oracle, plots, table
from .random_scenarios import scenarios as random_scenarios
from .scenarios import BATCHES, LONG_PAUSES, PAUSES, SCENARIOS

# A few of each kind, for the quick look.
QUICK = ["S1a", "S2-1", "S2-16", "S3-mix", "S4-5", "S5l", "S8x", "S11", "S13", "S15"]
DEFAULT_RANDOM = 40


def parse(arguments):
    parser = argparse.ArgumentParser(prog="python3 -m tests.sim", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="of chance, and of the random scenarios")
    parser.add_argument("--random", type=int, default=DEFAULT_RANDOM, metavar="N",
                        help=f"so many random scenarios (default {DEFAULT_RANDOM})")
    parser.add_argument("--scenario", action="append", metavar="NAME",
                        help="only these; of: " + ", ".join([*SCENARIOS, *PAUSES, *LONG_PAUSES, *BATCHES]) + ", or R<seed>-<n>")
    parser.add_argument("--quick", action="store_true", help="ten scenarios, a look")
    parser.add_argument("--selector", action="append", metavar="NAME",
                        help="only these, without comparison")
    parser.add_argument("--engine", help="another engine than build/sim/engine")
    parser.add_argument("--out", default=str(engine.BUILD), help="directory of results.json and plots")
    return parser.parse_args(arguments)


def by_name(name):
    """A scenario of the list, or the random one of that name."""
    known = {**SCENARIOS, **PAUSES, **LONG_PAUSES, **BATCHES}
    if name in known:
        return known[name]
    seed, _, index = name[1:].partition("-")
    if name[:1] == "R" and seed.isdigit() and index.isdigit():
        return random_scenarios(int(seed), int(index) + 1)[name]
    raise engine.EngineFailed(f'no scenario "{name}"; there are {", ".join(known)}, R<seed>-<n>')


def chosen(options):
    """(the scenarios asked for, how many random ones are among them)"""
    if options.scenario:
        return {name: by_name(name) for name in options.scenario}, {}
    if options.quick:
        return {name: SCENARIOS[name] for name in QUICK}, {}
    return SCENARIOS, random_scenarios(options.seed, options.random)


def simulate(program, scenarios, selectors, seed):
    """results[scenario][selector], with progress on standard error."""
    configs = [dict(scenario, name=name, selector=selector, seed=seed)
               for name, scenario in scenarios.items() for selector in selectors]
    started, count = time.monotonic(), [0]

    def progress(config):
        count[0] += 1
        if sys.stderr.isatty() or count[0] % 50 == 0:
            print(f"{count[0]}/{len(configs)} runs, {time.monotonic() - started:.0f} s: "
                  f"{config['name']} {config['selector']}", file=sys.stderr, flush=True)

    results = {name: {} for name in scenarios}
    for config, result in zip(configs, engine.run_all(program, configs, progress)):
        results[config["name"]][config["selector"]] = result
    return results


def pairs(results):
    return [compare.ratios(by_selector[engine.OURS], [by_selector[peer] for peer in engine.PEERS])
            for by_selector in results.values()]


def without_timelines(results):
    return {name: {selector: {key: value for key, value in result.items() if key != "timeline"}
                   for selector, result in by_selector.items()}
            for name, by_selector in results.items()}


def summary(scenarios, listed, random_results, bounds):
    """What the last lines tell, as figures."""
    return {"list": compare.summary(pairs(listed)), "selectors": compare.by_selector(listed, bounds, engine.PEERS),
            "reactions": compare.reactions(scenarios, listed),
            "random": compare.spread(pairs(random_results)) if random_results else None}


def report(options, scenarios, random_ones, selectors):
    program = options.engine or engine.build()
    everything = {**scenarios, **random_ones}
    results = simulate(program, everything, selectors, options.seed)
    bounds = {name: oracle.bound(scenario) for name, scenario in everything.items()}
    out = engine.pathlib.Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    (out / "results.json").write_text(json.dumps(
        {"seed": options.seed, "bounds": bounds, "results": without_timelines(results)}, indent=1))

    print(table.header(selectors))
    for name in everything:
        print(table.line(name, results[name], bounds[name]))
    listed = {name: results[name] for name in scenarios}
    figures = summary(scenarios, listed, {name: results[name] for name in random_ones}, bounds)
    (out / "summary.json").write_text(json.dumps(figures, indent=1) + "\n")
    print(table.reactions(figures["reactions"]))
    print(table.selectors(figures["selectors"]))
    plots.by_scenario(listed, bounds, out / "scenarios.png")
    for name, scenario in scenarios.items():
        if "event_ms" in scenario:
            plots.over_time(name, results[name], scenario["event_ms"], out / f"{name}.png")
    if random_ones:
        print(table.spread("random", figures["random"]))
    print(f"results and pictures: {out}")
    print(compare.summary_line("sim", figures["list"]))


def show_runs(options, scenarios):
    """Without comparison: a line for each run."""
    results = simulate(options.engine or engine.build(), scenarios, options.selector, options.seed)
    for name, by_selector in results.items():
        for selector, result in by_selector.items():
            print(f"{name:8} {selector:24} {result['iops']:9.0f} IOPS  mean {result['mean_us']:8.0f}  "
                  f"p99 {result['p99_us']:8.0f} us  starts {result['starts']}")


def main():
    options = parse(sys.argv[1:])
    try:
        scenarios, random_ones = chosen(options)
        if options.selector:
            show_runs(options, {**scenarios, **random_ones})
        else:
            report(options, scenarios, random_ones, engine.SELECTORS)
    except engine.EngineFailed as error:
        print(f"sim: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
