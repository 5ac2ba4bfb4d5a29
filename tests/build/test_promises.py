"""Each promise about a kernel has its rows in docs/kernels.md, which test_stand_ins.py shows to be true of the module."""
# promise lifecycle/promised-kernels: Each kernel promised by the README, `docs/install.md` and the refusal has its
#   rows in `docs/kernels.md`, and the one before it is refused
# promise lifecycle/kernel-states: Each kernel is told to be booted, compiled or only claimed, with source, date and
#   who, and README says the same

import re

import pytest
import readme_kernels
from kernels_page import KERNELS, ROOT, heading, table, version_of

from tests.vm.kernels import KERNELS as GUESTS

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


def test_readmes_table_is_made_of_the_page():
    text = readme_kernels.README.read_text()
    assert readme_kernels.written(text) == text, "make readme-kernels"
    assert text.count("\n| RHEL | ") == 1
    with pytest.raises(ValueError, match="found 0"):
        readme_kernels.written("no marks")


# Of this project, as the column's heading says: a day, or the command that repeats it; of others: who and which year.
BY_US = r"(by hand, )?20\d\d-\d\d-\d\d\b|each release: `make "
BY_OTHERS = r"an independent study, 20\d\d$"


@pytest.mark.parametrize("state", readme_kernels.STATES)
def test_each_row_tells_source_who_and_when(state):
    assert re.search(r"\| who \(else this project\), when[^|]*\|$", heading(state))
    for name, cells in table(state).items():
        *_, source, who = cells
        assert source and re.match(f"{BY_US}|{BY_OTHERS}", who), (name, who)


def test_what_guests_boot_is_said_to_be_booted_and_no_more():
    rows = table("Booted").values()
    commands = {found[1]: cells[1] for cells in rows for found in [re.search(r"`make vm-test SUITE=(\S+)`$", cells[-1])] if found}
    assert list(commands) == [*GUESTS, "arm64"]
    for name, kernel in GUESTS.items():
        assert commands[name].startswith(re.match(r"\d+\.\d+", kernel.series)[0] + "."), name
    for release in commands.values():
        assert any(row.has(version_of(re.match(r"\d+\.\d+", release)[0])) for row in taken("Linux")), release


def versions(name):
    """("RHEL", (8, 7)) and so on, for "RHEL 8.7 – 8.9"."""
    distribution, first, last = re.fullmatch(r"(\w+) ([\d.]+)(?: – ([\d.]+))?", name).groups()
    major, minor = version_of(first)
    return {(distribution, (major, number)) for number in range(minor, version_of(last or first)[1] + 1)}


@pytest.mark.parametrize("distribution", ["RHEL", "Ubuntu"])
def test_each_release_that_is_taken_has_one_state_and_others_none(distribution):
    names = [name for state in readme_kernels.STATES for name in table(state) if re.fullmatch(distribution + r" [\d. –]+", name)]
    told = [version for name in names for version in versions(name)]
    wanted = [version for name, cells in table("What kernels have").items() if name.startswith(distribution) and cells[-1] == "taken"
              for version in versions(name)]
    assert sorted(told) == sorted(wanted)
