"""The simulator takes each case of the exact bench, and its figures are held against the kernel's."""
import pytest

from tests.exact.cases import CASES

from . import crosscheck, engine


@pytest.fixture(scope="session")
def program():
    return engine.build()


def record(name):
    case = CASES[name]
    return dict(case=name, paths=case.paths, depth=case.depths[0], selector="queue-length")


@pytest.mark.parametrize("name", CASES)
def test_simulator_takes_each_case(program, name):
    result = engine.run(program, {**crosscheck.config(record(name)), "warmup_ms": 0, "runtime_ms": 200})
    assert result["iops"] > 0 and len(result["starts"]) == len(CASES[name].paths)


def test_thousandths_become_parts():
    disk = dict(delay_us=500, tail_permille=300, tail_us=8000, sigma_permille=500, write_delay_us=40)
    assert crosscheck.in_simulation(disk) == dict(delay_us=500, tail=0.3, tail_us=8000, sigma=0.5, write_delay_us=40)


@pytest.mark.parametrize("iops, p99_us, starts, agrees", [
    (1049, 5000, [50, 50], True), (940, 5000, [50, 50], False), (1000, 5600, [50, 50], False),
    (1000, 5000, [65, 35], False)])
def test_agreement_has_limits(iops, p99_us, starts, agrees):
    kernels = dict(iops=1000, p99_us=5000, shares=[0.5, 0.5])
    found = crosscheck.differences(kernels, dict(iops=iops, p99_us=p99_us, starts=starts))
    assert crosscheck.agrees(found) == agrees
