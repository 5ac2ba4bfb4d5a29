"""Many runs, side by side."""
import sys
import time

from . import engine


def simulate(program, scenarios, selectors, seed):
    """results[scenario][selector], with progress on standard error."""
    configs = [dict(scenario, name=name, selector=selector, seed=seed)
               for name, scenario in scenarios.items() for selector in selectors]
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
