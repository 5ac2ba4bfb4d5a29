"""What make check-full runs, cut into parts of at most 80 minutes each, as data.

Together they are all tests on all kernels but debug-rt, the longest ones and the stress included. A part is a
pytest run; `minutes` is what it took on two cores without KVM, trees and kernels being there.
"""
from dataclasses import dataclass
from typing import List

from tests.vm import matrix
from tests.vm.kernels import CHECKED_KERNELS, KERNELS

MOST_MINUTES = 80
GUESTS = "tests/vm/test_guests.py"
STRESS = "tests/stress/test_stress_runs.py"
BUILDS = "tests/build"


@dataclass(frozen=True)
class Part:
    name: str
    title: str
    minutes: int
    arguments: List[str]    # pytest's


def guests(name: str, minutes: int, share: str = "") -> Part:
    """All guest tests of a kernel, or a share of them such as 1/2."""
    title = f"all guest tests on {name}" + (f", {share}" if share else "")
    return Part(f"guests-{name}" + (f"-{share[0]}" if share else ""), title, minutes,
                [GUESTS, "--long", "--suite", name] + (["--share", share] if share else []))


def facts(name: str, minutes: int, share: str) -> Part:
    """Where all would take six hours, what make check runs on Debian's older kernels."""
    return Part(f"guests-{name}-{share[0]}", f"guest tests of facts on {name}, {share}", minutes,
                [GUESTS, "--group", "facts", "--suite", name, "--share", share])


def planted(name: str) -> Part:
    """Before all others of the kernel, since its compilation takes up to an hour, once."""
    return Part(f"planted-{name}", f"{name} compiled, if it is not there; bugs planted for its checkers", 10,
                ["tests/meta/test_checkers.py", "--suite", name])


def stress(name: str, minutes: int, *kernels: str) -> Part:
    return Part(f"stress-{name}", f"ten minutes of stress on {', '.join(kernels)}", minutes,
                [STRESS, "--long", *(word for kernel in kernels for word in ("--suite", kernel))])


PARTS: List[Part] = [
    Part("host", "all tests of the host but the builds", 30,
         ["tests", "--ignore", GUESTS, "--ignore", STRESS, "--ignore", BUILDS, "--long", "--suite", "all"]),
    Part("builds", "builds, dkms, packages and the series on all of Debian's kernels", 60,
         [BUILDS, "--long", "--suite", "all"]),
    Part("arm64-build", "the module compiled for arm64's kernels, its barriers in the machine code", 15,
         [BUILDS, "--suite", "arm64"]),
    *(guests(name, 60 if name == matrix.NEWEST else 45) for name in KERNELS),  # with the module of the series, too
    guests("trixie-arm64", 70),
    *(planted(name) for name in CHECKED_KERNELS),
    *(guests(name, minutes, f"{share}/3") for name, minutes in (("debug", 75), ("kcsan", 40)) for share in (1, 2, 3)),
    *(facts("debug-rt", 50, f"{share}/2") for share in (1, 2)),
    stress("older", 50, "bullseye", "bookworm", "trixie"),
    stress("newer", 35, "trixie-rt", "sid"),
    stress("arm64", 40, "trixie-arm64"),
    *(stress(name, 50, name) for name in CHECKED_KERNELS),
]


def chosen(words: List[str]) -> List[Part]:
    """By number or name; LookupError names what is neither."""
    by_name = {part.name: part for part in PARTS}
    by_name.update((str(number), part) for number, part in enumerate(PARTS, 1))
    for word in words:
        if word not in by_name:
            raise LookupError(f"no part is called {word}: wanted 1 to {len(PARTS)}, or a name of make check-full LIST=1")
    return [by_name[word] for word in words] or PARTS
