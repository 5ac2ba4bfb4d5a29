"""What make check leaves out, it leaves out on purpose."""
from types import SimpleNamespace

import pytest

from tests.vm import matrix
from tests.vm.guest_runs import CHECKED, FACTS, KINDS, TRACERS
from tests.vm.kernels import ALL_KERNELS, CHECKED_KERNELS, DIRECTORY, KERNELS
from tests.vm.places import CHECKOUT
from tests.vm.test_guests import IN_FULL, LONG, case_id, cases_of, collected, named

from . import promises

OLDER = [name for name in KERNELS if name != matrix.NEWEST]
# One source, configured twice.
TWINS = ["trixie", "trixie-rt"]


def cases(*args, suite=("all",), group=None, long=False):
    """Of pytest with these arguments: tests by kernel and kind."""
    options = {"--suite": list(suite), "--group": group, "--icount": False, "--long": long}
    found = {}
    for kind, kernel, test in cases_of(SimpleNamespace(
            getoption=lambda name: options[name if name.startswith("--") else f"--{name}"], args=args,
            invocation_params=SimpleNamespace(dir=CHECKOUT))):
        found.setdefault(kernel, {}).setdefault(kind, set()).add(test)
    return found


@pytest.fixture(scope="module")
def make_check():
    return cases("tests")


def run_by(kinds):
    return set().union(*kinds.values())


def test_newest_kernel_has_all_that_is_short(make_check):
    left_out = set(collected()) - run_by(make_check[matrix.NEWEST])
    assert left_out
    assert all({LONG, IN_FULL, "checkers", "tracers"} & test.marks for test in left_out)


def test_each_file_has_a_test_that_runs(make_check):
    """What is left to make check-full is part of a subject that make check knows, too; but what needs a
    guest that make check has not, with checkers or sixteen CPUs, may have a file of its own."""
    def file(test):
        return test.id.partition("::")[0]
    run = {file(test) for kinds in make_check.values() for test in run_by(kinds)}
    assert all({"checkers", "many_cpus"} & test.marks for test in collected() if file(test) not in run)


@pytest.mark.parametrize("kernel", OLDER)
def test_older_kernels_have_the_facts(make_check, kernel):
    kinds = make_check[kernel]
    facts = {test for test in collected() if FACTS in test.marks and not {LONG, IN_FULL} & test.marks}
    if kernel in TWINS:
        halves = [make_check[twin][FACTS] for twin in TWINS]
        assert halves[0] | halves[1] == facts and not halves[0] & halves[1]
        assert abs(len(halves[0]) - len(halves[1])) <= 1
    else:
        assert kinds[FACTS] == facts
    assert set(kinds) == set(matrix.CHECK[kernel]) <= {FACTS, TRACERS}


def test_table_has_each_kernel_and_kind():
    assert list(matrix.CHECK) == list(KERNELS) and {*ALL_KERNELS, DIRECTORY} == set(matrix.FULL)
    kinds = {name: set(row) for name, row in {**matrix.FULL, **{f"check {name}": row for name, row in matrix.CHECK.items()}}.items()}
    assert set().union(*kinds.values()) == set(KINDS)
    assert [name for name in kinds if CHECKED in kinds[name]] == list(CHECKED_KERNELS)


def test_table_is_shown():
    newest = [line for line in matrix.shown().splitlines() if line.startswith(matrix.NEWEST + " ")]
    assert [line.count("all") for line in newest] == [len(table[matrix.NEWEST]) for table in (matrix.CHECK, matrix.FULL)]


def test_suite_of_two_kernels_has_its_programs_tested_once():
    """By the other one, if it is asked for alone."""
    assert "programs" not in cases("tests/vm", suite=TWINS)["trixie-rt"]
    assert "programs" in cases("tests/vm", suite=["trixie-rt"])["trixie-rt"]


@pytest.mark.parametrize("how", [dict(args=["tests/vm"]), dict(args=["tests"], long=True),
                                 dict(args=["tests"], suite=KERNELS)], ids=["directory", "long", "names"])
def test_nothing_is_left_out_if_asked_for(how):
    found = cases(*how.pop("args"), **how)
    newest = found[matrix.NEWEST]
    assert any(IN_FULL in test.marks for test in run_by(newest)) and FACTS not in newest
    for kernel in OLDER:
        assert all(found[kernel].get(kind, newest[kind]) == newest[kind] for kind in newest)


def test_checked_kernels_only_by_name(make_check):
    assert not set(CHECKED_KERNELS) & set(make_check)
    assert list(cases("tests/vm", suite=["debug"])) == ["debug"]


def test_group_is_a_mark():
    for kinds in cases("tests/vm", group="observe").values():
        assert set(kinds) <= set(KINDS) and all("observe" in test.marks for test in run_by(kinds))
    assert not cases("tests/vm", group="nothing")


@pytest.mark.parametrize("kind, kernel", [(FACTS, "trixie"), (FACTS, matrix.NEWEST), (TRACERS, "trixie"),
                                          ("virtual", "trixie-rt"), ("real", "trixie"), ("checked", "debug")])
def test_name_of_an_item_selects_it_alone(kind, kernel):
    """Also what the options of the repetition, which has none, would leave out."""
    for test in collected()[::40]:
        name = case_id(kind, kernel, test)
        assert named([f"tests/vm/test_guests.py::test_guest[{name}]"]) == [(kind, kernel, test)]


def test_each_guest_test_proves_a_promise():
    """By a mark in its file."""
    files = {test.id.partition("::")[0].rpartition("/")[2] for test in collected()}
    marked = {path.rpartition("/")[2] for one in promises.of_the_tests().values() for path, _ in one.places}
    assert files and not files - marked, "tests/README.md tells how to mark a promise"
