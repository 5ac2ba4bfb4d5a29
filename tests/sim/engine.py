"""The engine of the simulator: built by make, run as a process for each run."""
import json
import os
import pathlib
import subprocess
from concurrent.futures import ThreadPoolExecutor

from tests.bench.selectors import COMPILED, DEBIANS, OURS, SIMPLE, SIMULATED
from tests.vm.kernel_source import path_selectors

from .jobs import merged

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
BUILD = ROOT / "build" / "sim"

PEERS = [*DEBIANS, *COMPILED, *SIMULATED]
SELECTORS = [*PEERS, SIMPLE, OURS]      # SIMPLE: what the knee has to be worth
POLICY = "policy"       # ours with a program that chooses, where one was named
NOTES = ["event_ms"]                    # of a scenario, for us
RESULT = {"iops", "mean_us", "p99_us", "starts"}    # what every run tells, among others


class EngineFailed(Exception):
    """The engine could not be built or ended with an error."""


def make(target, directory=BUILD, **variables):
    """Make a target of tests/sim/Makefile, with these variables: the command, and the process that ended."""
    command = ["make", "-C", str(HERE), "-j2", "--no-print-directory", f"BUILD={directory}",
               f"PEERS={path_selectors()}", *(f"{name}={value}" for name, value in variables.items()), target]
    return command, subprocess.run(command, capture_output=True, text=True, check=False)


def build(directory=BUILD, **variables):
    """The engine, compiled if need be."""
    command, made = make("all", directory, **variables)
    if made.returncode:
        raise EngineFailed(f"{' '.join(command)}:\n{made.stdout}{made.stderr}")
    return directory / "engine"


def run(engine, config):
    """One run's result; config as in README.md, notes for us taken out."""
    wanted = {key: value for key, value in config.items() if key not in NOTES}
    done = subprocess.run([str(engine)], input=json.dumps(wanted), capture_output=True, text=True,
                          check=False)
    if done.returncode:
        raise EngineFailed(f"{config.get('name')}: {done.stderr.strip() or done.returncode}")
    try:
        result = json.loads(done.stdout)
        if not RESULT <= result.keys():
            raise LookupError(*sorted(RESULT - result.keys()))
        return merged(result)
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise EngineFailed(f"{config.get('name')}: {engine} tells no result ({error!r})") from None


def run_all(engine, configs, progress=lambda config: None):
    """All results, in the order of the configs."""
    def one(config):
        result = run(engine, config)
        progress(config)
        return result

    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        return list(pool.map(one, configs))
