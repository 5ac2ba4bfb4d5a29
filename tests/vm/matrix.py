"""Which of Debian's kernels "all" means, and which guest tests run on each: matrix.toml, as a table. Among all tests,
as in make check, each file of tests/build has its own choice of kernels. Asked for by its directory, as in make vm-test
and make build-matrix, or with --long, everything runs on each.
"""
import tomllib
from pathlib import Path
from typing import Dict, List

from .kernels import KERNELS

OLDEST, *_, NEWEST = KERNELS
TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())
FULL, CHECK = TABLE["full"], TABLE["check"]
ALL, WITHOUT = "all", "without "


def asked_for(config, directory: Path) -> bool:
    """Were the tests of the directory asked for, and not all tests?"""
    paths = [(config.invocation_params.dir / word.split("::")[0]).resolve() for word in config.args]
    return any(directory in (path, *path.parents) for path in paths)


def thoroughly(config, directory: Path, *among_all: str) -> List[str]:
    """The kernels on which nothing is left out; among all tests, those named."""
    return list(KERNELS if asked_for(config, directory) or config.getoption("long") else among_all)


def part_of(tests: list, cell: str, chosen: List[str]) -> list:
    """What a cell says of the tests of a kind."""
    if cell.startswith(WITHOUT):
        return [] if cell[len(WITHOUT):] in chosen else tests
    if cell == ALL:
        return tests
    part, parts = map(int, cell.split("/"))
    return tests[part - 1::parts]


def lines(rows: Dict[str, Dict[str, str]]) -> List[str]:
    """The table for people: a row for each kernel, a column for each kind of guests."""
    kinds = list(dict.fromkeys(kind for row in rows.values() for kind in row))
    cells = [["", *kinds], *([name, *(row.get(kind, "-") for kind in kinds)] for name, row in rows.items())]
    wide = [max(map(len, column)) for column in zip(*cells)]
    return ["  ".join(f"{cell:{width}}" for cell, width in zip(row, wide)).rstrip() for row in cells]


def shown() -> str:
    return "\n".join(["make check, without tests marked in_full:", *lines(CHECK), "",
                      "make check-full, make vm-test:", *lines(FULL)])
