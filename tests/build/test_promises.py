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


def test_each_kernel_of_the_readme_is_taken():
    text = (ROOT / "README.md").read_text().split("\n## Supported\n")[1].split("\n## ")[0]
    kernels = re.findall(r"^\| (\d+\.\d+)\b", text, re.M)
    assert len(kernels) > 4
    for kernel in kernels:
        assert any(row.has(version_of(kernel)) for row in taken("Linux")), kernel
