"""In kernels that are too slow for figures, what a measurement asserts is skipped, and nothing else: no fact."""
import os
import subprocess
import sys

import pytest

from tests.vm.places import CHECKOUT

CONFTEST = "from tests.guest.lib.repeat import pytest_runtest_makereport, pytest_runtest_protocol\n"
TESTS = """
import pytest

@pytest.mark.virtual_time
def test_measures_badly():
    assert 1 == 2

@pytest.mark.virtual_time
def test_measures_well():
    assert 1 == 1

@pytest.mark.virtual_time
def test_loses_an_io():
    raise OSError("lost")

@pytest.fixture
def leaves_something():
    yield
    assert not "left behind"

@pytest.mark.virtual_time
def test_leaves_something(leaves_something):
    assert 1 == 2

def test_is_no_measurement():
    assert 1 == 2

@pytest.mark.virtual_time
@pytest.mark.facts
def test_states_a_fact():
    assert 3 == 4
"""


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    directory = tmp_path_factory.mktemp("unjudged")
    (directory / "conftest.py").write_text(CONFTEST)
    (directory / "test_it.py").write_text(TESTS)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rA", "-c", "/dev/null",
         f"--rootdir={directory}", str(directory)],
        cwd=directory, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env={**os.environ, "LW_UNJUDGED": "1", "PYTHONPATH": str(CHECKOUT)})
    return done.stdout


def test_bad_measurement_is_skipped_and_says_so(outcomes):
    assert "measured in a kernel that is too slow for it: assert 1 == 2" in outcomes


@pytest.mark.parametrize("line", [
    "PASSED test_it.py::test_measures_well",
    "FAILED test_it.py::test_loses_an_io",
    "FAILED test_it.py::test_is_no_measurement",
    "FAILED test_it.py::test_states_a_fact",
    "ERROR test_it.py::test_leaves_something",
])
def test_the_rest_is_judged(outcomes, line):
    assert line in outcomes


def test_sum(outcomes):
    assert "1 skipped" in outcomes and "1 passed" in outcomes
