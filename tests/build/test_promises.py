"""Each promise about a kernel has its rows in docs/kernels.md, which test_stand_ins.py shows to be true of the module."""
import re

import pytest

from kernels_page import KERNELS, ROOT, version_of

PROMISE = r"\b(Linux|RHEL) (\d+\.\d+)(?: (?:and later|on\b|to (\d+\.\d+)))"
PLACES = ["README.md", "docs/install.md", "src/compat/probe"]
PROMISES = [(place, *promise) for place in PLACES for promise in re.findall(PROMISE, (ROOT / place).read_text())]


def taken(distribution):
    """Its rows from the first one on that is taken; before it are refused ones."""
    rows = [row for row in KERNELS if row.distribution == distribution]
    assert rows == sorted(rows), "the versions are in order"
    verdicts = [row.facts.verdict for row in rows]
    first = verdicts.index("taken")
    assert first and set(verdicts[:first]) == {"refused"} and set(verdicts[first:]) == {"taken"}, verdicts
    return rows[first:]


@pytest.mark.parametrize("place, distribution, first, last", PROMISES)
def test_promise_has_its_rows(place, distribution, first, last):
    rows = taken(distribution)
    assert rows[0].first == version_of(first)
    assert not last or rows[-1].last == version_of(last)


def test_each_place_promises_something():
    assert {promise[0] for promise in PROMISES} == set(PLACES)


def booted(file, row):
    """Kernel and distribution by the command that boots a guest with it."""
    found = re.findall(row + r" (`make vm-test SUITE=\S+`) \|$", (ROOT / file).read_text(), re.M)
    return {command: cells for *cells, command in found}


def test_readme_has_the_kernels_that_guests_boot():
    readme = booted("README.md", r"^\| (\d+\.\d+)\b.* \| (Debian \w+)\b.* \|")
    page = booted("docs/kernels.md", r"^\| (Debian \w+)\b[^|]* \| (\d+\.\d+).* \| booted(?:, emulated)? \|")
    assert len(readme) > 5 and readme == {command: cells[::-1] for command, cells in page.items()}
    for kernel, _distribution in readme.values():
        assert any(row.has(version_of(kernel)) for row in taken("Linux")), kernel
