"""A native program: built by make, run for its JSON."""
import json
import subprocess
from pathlib import Path

from tests.vm.progress import CommandFailed


def build(folder: Path, directory: Path, name: str, **variables: object) -> Path:
    """The program of that name, compiled in `directory` if need be by the Makefile of `folder`, with variables."""
    done = subprocess.run(["make", "-s", "-j2", "-C", str(folder), f"BUILD={directory}",
                           *(f"{key}={value}" for key, value in variables.items())], text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        raise CommandFailed(f"the native program does not compile:\n{done.stdout}")
    return directory / name


def run(program: Path, *arguments: object) -> dict:
    """What it finds."""
    done = subprocess.run([str(program), *map(str, arguments)], text=True, check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    if done.returncode:
        raise CommandFailed(f"{program.name} {' '.join(map(str, arguments))} ended with {done.returncode}: "
                            f"{done.stderr.strip()}")
    return json.loads(done.stdout)
