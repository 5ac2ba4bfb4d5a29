"""From runs to text, files and pictures."""
import json
import statistics
from dataclasses import dataclass

from . import compare, engine, lists, oracle, plots, table

CLEARLY_BEHIND = 0.95   # of the best peer's throughput


@dataclass
class Runs:
    """All that was run: scenarios[seed][list][name] and results[seed][name][selector]."""
    scenarios: dict
    results: dict

    @property
    def seeds(self):
        return list(self.scenarios)

    @property
    def selectors(self):
        """In the order of all tables."""
        here = {one for by_name in self.results.values() for runs in by_name.values() for one in runs}
        return [one for one in [*engine.SELECTORS, engine.POLICY] if one in here]

    def lists(self):
        return list(self.scenarios[self.seeds[0]])

    def of(self, wanted, seed):
        """{name: {selector: result}} of a list with a seed."""
        return {name: self.results[seed][name] for name in self.scenarios[seed][wanted]}

    def rows(self, wanted):
        """{name: (scenario, [{selector: result} of each seed that has it])}"""
        found = {}
        for seed in self.seeds:
            for name, scenario in self.scenarios[seed][wanted].items():
                found.setdefault(name, (scenario, []))[1].append(self.results[seed][name])
        return found


def bound_of(scenario, by_seed):
    """The oracle's; where it has none, the most that any selector got."""
    bound = oracle.bound(scenario)
    if bound is None:
        return max(result["iops"] for by_selector in by_seed for result in by_selector.values())
    return bound


def bounds_of(runs):
    return {name: bound_of(*row) for wanted in runs.lists() for name, row in runs.rows(wanted).items()}


def pairs(results):
    return [compare.against_peers(by_selector) for by_selector in results.values()]


def without_timelines(results):
    return {name: {selector: {key: value for key, value in result.items() if key != "timeline"}
                   for selector, result in by_selector.items()}
            for name, by_selector in results.items()}


def parts_of_bound(runs, bounds, wanted):
    """{name: {"ours", "best"}}: ours and the best peer's throughput as parts of the bound, means of the seeds."""
    return {name: {"ours": statistics.fmean(one[engine.OURS]["iops"] for one in by_seed) / bounds[name],
                   "best": statistics.fmean(max(other["iops"] for other in compare.others(one))
                                            for one in by_seed) / bounds[name]}
            for name, (_, by_seed) in runs.rows(wanted).items() if name in lists.KNOWN}


def behind(runs, bounds):
    """parts_of_bound() of rows that are clearly behind the best peer, the last one first."""
    rows = [(row["ours"] / row["best"], name, row) for wanted in (lists.THE_54, lists.NOISY) if wanted in runs.lists()
            for name, row in parts_of_bound(runs, bounds, wanted).items()]
    return {name: row for ratio, name, row in sorted(rows, key=lambda each: each[:2]) if ratio < CLEARLY_BEHIND}


def summary(runs, bounds):
    """What the last lines tell, as figures. `list` is the 54, or what was asked for by name."""
    found = {"seeds": runs.seeds, "list": None, "random": None, "noise": None, "operation": None}
    for wanted in runs.lists():
        all_pairs = [pairs(runs.of(wanted, seed)) for seed in runs.seeds]
        figures = compare.over_seeds([compare.summary(of_seed) for of_seed in all_pairs])
        if wanted == lists.RANDOM:
            figures.update(compare.spread([pair for of_seed in all_pairs for pair in of_seed]))
        found["list" if wanted == lists.THE_54 else wanted] = figures
    if lists.OPERATION in runs.lists():
        found["operations"] = parts_of_bound(runs, bounds, lists.OPERATION)
    found["behind"] = behind(runs, bounds)
    main = runs.lists()[-1]
    first = runs.seeds[0]
    found["selectors"] = compare.by_selector(
        [(by_selector, bounds[name]) for seed in runs.seeds for name, by_selector in runs.of(main, seed).items()],
        runs.selectors)
    found["reactions"] = compare.reactions(runs.scenarios[first][main], runs.of(main, first))
    return found


def write(runs, bounds, figures, out):
    results = {seed: without_timelines(by_name) for seed, by_name in runs.results.items()}
    (out / "results.json").write_text(json.dumps(
        {"seeds": runs.seeds, "bounds": bounds, "results": results}, indent=1))
    (out / "summary.json").write_text(json.dumps(figures, indent=1) + "\n")


def draw(runs, bounds, out):
    """Of the first seed."""
    seed = runs.seeds[0]
    for wanted in runs.lists():
        if wanted != lists.RANDOM:
            name = "scenarios.png" if wanted == lists.THE_54 else f"{wanted}.png"
            plots.by_scenario(runs.of(wanted, seed), bounds, out / name)
            for one, scenario in runs.scenarios[seed][wanted].items():
                if "event_ms" in scenario:
                    plots.over_time(one, runs.results[seed][one], scenario["event_ms"], out / f"{one}.png")


def report(runs, out):
    bounds = bounds_of(runs)
    figures = summary(runs, bounds)
    write(runs, bounds, figures, out)
    print(table.header(runs.selectors))
    for wanted in runs.lists():
        for name, (_, by_seed) in runs.rows(wanted).items():
            print(table.line(name, by_seed, bounds[name], runs.selectors))
    for text in (table.jobs(runs), table.reactions(figures["reactions"]), table.selectors(figures["selectors"])):
        if text:
            print(text)
    draw(runs, bounds, out)
    if figures["random"]:
        print(table.spread("random", figures["random"]))
    print(f"results and pictures: {out}")
    for wanted in runs.lists():
        print(compare.summary_line(wanted, figures["list" if wanted == lists.THE_54 else wanted]))
