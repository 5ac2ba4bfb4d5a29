"""make check-full is whole, and each of its parts is short enough."""
import json
import subprocess
import sys
from collections import Counter

import pytest

from tests.meta.test_selection import cases
from tests.vm.kernels import ALL_KERNELS, KERNELS
from tests.vm.places import CHECKOUT
from tests.vm.test_guests import LONG, collected, share_of

from . import __main__ as full
from .parts import GUESTS, MOST_MINUTES, PARTS, STRESS, chosen


def suites(part):
    return {word for before, word in zip(part.arguments, part.arguments[1:]) if before == "--suite"}


def test_no_part_takes_too_long():
    assert all(part.minutes <= MOST_MINUTES for part in PARTS)
    assert len({part.name for part in PARTS}) == len(PARTS)


def test_each_kernel_has_its_guest_tests_and_its_stress():
    for file in (GUESTS, STRESS):
        assert set().union(*(suites(part) for part in PARTS if part.arguments[0] == file)) == set(ALL_KERNELS)


def test_what_one_part_ignores_another_runs():
    """On Debian's kernels, each of which has a part of its own, or is among `all` of one part."""
    for part in PARTS:
        ignored = {word for before, word in zip(part.arguments, part.arguments[1:]) if before == "--ignore"}
        for file in ignored:
            run = set().union(*(suites(other) for other in PARTS if other.arguments[0] == file))
            assert "all" in run or run >= set(KERNELS), file


def test_each_guest_test_is_in_a_part():
    """Also what make check leaves out; on one kernel at least."""
    run = set().union(*(tests for part in PARTS if part.arguments[0] == GUESTS
                        for kinds in cases(GUESTS, suite=suites(part), long=True).values()
                        for tests in kinds.values()))
    assert run == set(collected())
    assert any(LONG in test.marks for test in run)


def test_shares_are_a_whole():
    tests = list(range(17))
    parts = [share_of(tests, f"{part}/3") for part in (1, 2, 3)]
    assert sum(parts, []) == tests
    assert max(Counter(map(len, parts))) - min(Counter(map(len, parts))) <= 1


@pytest.mark.parametrize("text", ["0/3", "4/3", "1/0", "x", "1"])
def test_bad_shares_are_refused(text):
    with pytest.raises(ValueError, match="wanted"):
        share_of([1], text)


def test_parts_by_number_or_name():
    assert chosen(["1", PARTS[1].name]) == PARTS[:2]
    assert chosen([]) == PARTS
    with pytest.raises(LookupError, match="no part is called 99"):
        chosen(["99"])


@pytest.fixture
def out(tmp_path, monkeypatch):
    monkeypatch.setattr(full, "OUT", tmp_path)
    monkeypatch.setattr(full, "RESULTS", tmp_path / "results.json")
    monkeypatch.setattr(full, "DOCUMENT", tmp_path / "document.md")
    full.DOCUMENT.write_text("before\n<!-- check-full -->\nold\n<!-- /check-full -->\nafter\n")
    return tmp_path


@pytest.mark.parametrize("program, counts", [
    ("print('3 passed, 0 failed, 1 skipped')", [3, 0, 1]),
    ("print('3 passed, 2 failed, 1 skipped'); raise SystemExit(1)", [3, 2, 1]),
    ("print('3 passed, 0 failed, 1 skipped'); raise SystemExit(1)", [3, 1, 1]),
    ("print('it crashed')", [0, 1, 0]),
])
def test_what_a_part_came_to(out, monkeypatch, program, counts):
    real = subprocess.Popen
    monkeypatch.setattr(full.subprocess, "Popen",
                        lambda command, **options: real([sys.executable, "-c", program], **options))
    full.keep(full.run_part(PARTS[0]))
    assert json.loads(full.RESULTS.read_text())[PARTS[0].name]["counts"] == counts
    text = full.DOCUMENT.read_text()
    assert f"| {', '.join(map(str, counts))} |" in text
    assert text.startswith("before\n<!-- check-full -->\n|") and text.endswith("|\n<!-- /check-full -->\nafter\n")


def test_commit_is_the_one_that_the_part_began_with(out, monkeypatch):
    """Somebody may commit meanwhile."""
    commits = ["before", "after"]

    def run(command, **options):
        commits.pop(0)
        return real([sys.executable, "-c", ""], **options)

    real = subprocess.Popen
    monkeypatch.setattr(full, "commit", lambda: commits[0])
    monkeypatch.setattr(full.subprocess, "Popen", run)
    assert full.run_part(PARTS[0])["commit"] == "before"


def test_document_is_as_the_results_are():
    assert full.rendered() == full.DOCUMENT.read_text(), "not as docs/check-full.json has it; python3 -m tests.full --render"


def test_a_part_that_is_not_there_is_one_line():
    done = subprocess.run([sys.executable, "-m", "tests.full", "none"], cwd=CHECKOUT, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == 1 and len(done.stdout.splitlines()) == 1 and "none" in done.stdout
