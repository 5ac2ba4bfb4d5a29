"""Many runs, side by side."""
import sys
import time

from tests.bench.selectors import IO_AFFINITY, OURS

from . import engine


def uses_all_paths(scenario):
    """Do the submitters' CPUs lead io-affinity to every path? If not it is luck which ones it uses."""
    paths, cpus = len(scenario["paths"]), scenario.get("cpus", 1)
    loads = [scenario.get("load", {}), *(job.get("load", {}) for job in scenario.get("jobs", []))]
    if scenario.get("maps", 1) > 1 or any(load.get("type", "closed") != "closed" for load in loads):
        return cpus >= paths
    return len({job["cpu"] % paths for job in scenario["jobs"]}) == paths


def sensible(scenario, selectors):
    """Those to be compared; who asks for one alone gets it."""
    return [one for one in selectors if one != IO_AFFINITY or len(selectors) == 1 or uses_all_paths(scenario)]


def own_options(selector, arguments):
    """For the engine: arguments of the table line are ours alone, a policy is that of a selector of its own."""
    if selector == OURS:
        arguments = {name: value for name, value in arguments.items() if name != engine.POLICY}
    if not arguments or selector not in (OURS, engine.POLICY):
        return {}
    return {"options": {name: str(value) for name, value in arguments.items()}}


def config_of(name, scenario, selector, seed, options):
    """A run; options count instead of the scenario's own."""
    scenario = dict(scenario)
    arguments = {**scenario.pop("options", {}), **dict(options)}
    return dict(scenario, name=name, selector=selector, seed=seed, **own_options(selector, arguments))


def simulate(program, scenarios, selectors, seed, options=()):
    """results[scenario][selector], with progress on standard error; options are ours, as {name: value}."""
    configs = [config_of(name, scenario, selector, seed, options)
               for name, scenario in scenarios.items() for selector in sensible(scenario, selectors)]
    started, count = time.monotonic(), [0]

    def progress(config):
        count[0] += 1
        if sys.stderr.isatty() or count[0] % 100 == 0:
            print(f"seed {seed}, {count[0]}/{len(configs)} runs, {time.monotonic() - started:.0f} s: "
                  f"{config['name']} {config['selector']}", file=sys.stderr, flush=True)

    results = {name: {} for name in scenarios}
    for config, result in zip(configs, engine.run_all(program, configs, progress)):
        results[config["name"]][config["selector"]] = result
    return results
