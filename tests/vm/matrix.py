"""Which of Debian's kernels "all" means. Among all tests, as in make check, each file of tests/build has its own
choice, and guests run all but what is marked in_full on the newest, on the others what is marked facts, of which
two kernels of one source have half each; asked for by its directory, as in make vm-test and make build-matrix, or
with --long, everything runs on each.
"""
from pathlib import Path
from typing import List

from .kernels import KERNELS

OLDEST, *_, NEWEST = KERNELS
# One source, configured twice: among all tests, each has every other test of facts.
TWINS = ["trixie", "trixie-rt"]


def asked_for(config, directory: Path) -> bool:
    """Were the tests of the directory asked for, and not all tests?"""
    paths = [(config.invocation_params.dir / word.split("::")[0]).resolve() for word in config.args]
    return any(directory in (path, *path.parents) for path in paths)


def thoroughly(config, directory: Path, *among_all: str) -> List[str]:
    """The kernels on which nothing is left out; among all tests, those named."""
    return list(KERNELS if asked_for(config, directory) or config.getoption("long") else among_all)
