"""The selectors side by side in a simulation that runs the module's own code."""
import argparse
import pathlib

from tests.vm import command_line

from . import engine, extra, lists, policy_library, report
from .scenario_file import ScenarioError, load
from .simulate import simulate


def numbers(text):
    try:
        return [int(word) for word in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of numbers such as 1,2,3") from None


def option(text):
    name, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE such as by_operation=1")
    return name, value


def parse(arguments):
    parser = command_line.parser("tests.sim", __doc__)
    parser.add_argument("--seeds", type=numbers, metavar="N,N,...",
                        help="of chance, and of the random scenarios; default "
                             f"{','.join(map(str, lists.SEEDS))}, but the first alone with --quick and --selector")
    parser.add_argument("--seed", type=int, help="only this one")
    parser.add_argument("--random", type=command_line.number(int, 0, lists.MOST_RANDOM), default=lists.DEFAULT_RANDOM,
                        metavar="N",
                        help=f"so many random scenarios for each seed (default {lists.DEFAULT_RANDOM})")
    parser.add_argument("--list", action="append", choices=[*lists.LISTS, *lists.EXTRA], metavar="NAME",
                        help=f"only these; of: {', '.join(lists.LISTS)} (default: all of these), or of "
                             f"{', '.join(lists.EXTRA)}, which have seeds of their own")
    parser.add_argument("--scenario", action="append", metavar="NAME",
                        help="only these; of: " + ", ".join(lists.KNOWN) + ", R<seed>-<n>, or W<seed>-<n>")
    parser.add_argument("--file", action="append", type=pathlib.Path, metavar="PATH",
                        help="only those of this TOML file; README.md has the format")
    parser.add_argument("--quick", action="store_true", help="ten scenarios, a look")
    parser.add_argument("--selector", action="append", choices=engine.SELECTORS, metavar="NAME",
                        help="only these, without comparison; of: " + ", ".join(engine.SELECTORS))
    parser.add_argument("--option", action="append", type=option, default=[], metavar="NAME=VALUE",
                        help="argument of the table line of latency-weighted, such as by_operation=1")
    parser.add_argument("--policy", nargs="+", metavar=("FILE", "NAME=VALUE"),
                        help="a policy (docs/policies.md) as one more selector, with constants of it set")
    parser.add_argument("--engine", help="another engine than build/sim/engine")
    parser.add_argument("--out", type=pathlib.Path, default=engine.BUILD, help="directory of results.json and plots")
    return parser.parse_args(arguments)


def seeds_of(options):
    if options.seed is not None:
        return [options.seed]
    return options.seeds or (lists.SEEDS[:1] if options.quick or options.selector else lists.SEEDS)


def chosen(options):
    """The scenarios asked for by name; None if lists were."""
    if options.file:
        return {name: scenario for path in options.file for name, scenario in load(path).items()}
    if options.scenario:
        return {name: lists.by_name(name) for name in options.scenario}
    if options.quick:
        return {name: lists.by_name(name) for name in lists.QUICK}
    return None


def wanted(options, seed):
    """{list: {name: scenario}}"""
    names = chosen(options)
    if names is not None:
        return {lists.THE_54: names}
    found = {name: lists.members(name, seed, options.random) for name in [*lists.LISTS, *lists.EXTRA_ROWS]
             if name in (options.list or lists.LISTS) and (name != lists.RANDOM or options.random)}
    if not found and options.random:
        raise engine.EngineFailed(f"--list {options.list[0]} compares in ways of its own: not with --selector and --policy")
    if not found:
        raise engine.EngineFailed("--random 0 leaves nothing of --list random; it needs 1 or more")
    return found


def show_runs(program, scenarios, selectors, seeds, ours):
    """Without comparison: a line for each run."""
    for seed in seeds:
        for name, by_selector in simulate(program, scenarios(seed), selectors, seed, ours).items():
            for selector, result in by_selector.items():
                print(f"{name:8} {selector:24} {result['iops']:9.0f} IOPS  mean {result['mean_us']:8.0f}  "
                      f"p99 {result['p99_us']:8.0f} us  starts {result['starts']}")


def run_extra(options):
    """What of the lists is compared in ways of its own."""
    names, program = [name for name in lists.EXTRA if name in options.list], options.engine or engine.build()
    seeds = [options.seed] if options.seed is not None else options.seeds
    for name in names:
        extra.run(program, name, seeds, options.option, options.out)
    options.list = [name for name in options.list if name not in names]


def run(options):
    if options.list and not options.selector and not options.policy and chosen(options) is None:
        run_extra(options)
        if not options.list:
            return 0
    seeds = seeds_of(options)

    def everything(seed):
        return {name: one for members in wanted(options, seed).values() for name, one in members.items()}

    wanted(options, seeds[0])
    program = options.engine or engine.build()
    selectors = list(options.selector or engine.SELECTORS)
    if options.policy:
        source, *words = options.policy
        options.option.append((engine.POLICY, policy_library.build(pathlib.Path(source), words)))
        selectors.append(engine.POLICY)
    if options.selector:
        show_runs(program, everything, selectors, seeds, options.option)
        return 0
    options.out.mkdir(parents=True, exist_ok=True)  # an error with it ends this now, not after all runs
    results = {seed: simulate(program, everything(seed), selectors, seed, options.option) for seed in seeds}
    report.report(report.Runs({seed: wanted(options, seed) for seed in seeds}, results), options.out)
    return 0


if __name__ == "__main__":
    command_line.run(parse, run, expected=(engine.EngineFailed, ScenarioError))
