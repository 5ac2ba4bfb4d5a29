"""The cases as data: what the test disk takes, and no guest needed to read them."""
import subprocess
import sys

import pytest

from tests.bench.exact.cases import CASES
from tests.bench.exact.exact_scenarios import BAD_FROM, SCENARIOS
from tests.lib.options import OPTIONS
from tests.vm.places import CHECKOUT

PARAMETERS = {"delay_us", "service_us", "mbps", "tags"}
OF_WRITES = {"write_delay_us", "write_service_us"}
SHAPES = {"tail_permille", "tail_us", "sigma_permille"} | OF_WRITES


@pytest.mark.parametrize("name", CASES)
def test_case_is_complete(name):
    case = CASES[name]
    assert len(case.paths) >= 2 and all(PARAMETERS <= set(path) <= PARAMETERS | SHAPES for path in case.paths)
    assert any(OF_WRITES & set(path) for path in case.paths) == bool(case.writes)
    assert all(least <= value <= most for value, (least, most, _) in
               ((value, OPTIONS[key]) for key, value in case.arguments.items()))
    assert list(case.depths) == sorted(set(case.depths))
    assert sum(per_cent for _, per_cent in case.sizes) == 100


def test_importing_them_needs_nothing_else():
    program = ("import sys, tests.bench.exact.cases; "
               "print([name for name in sys.modules if name.startswith(('tests.vm', 'tests.lib', 'tests.guest'))])")
    said = subprocess.run([sys.executable, "-c", program], cwd=CHECKOUT, check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    assert said.strip() == "[]"


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_scenario_ends_as_it_began(name):
    scenario = SCENARIOS[name]
    (first, bad), (last, healthy) = scenario.changes
    assert first == BAD_FROM < last < scenario.seconds
    assert healthy == {key: scenario.paths[0].get(key, 0) for key in bad} != bad
