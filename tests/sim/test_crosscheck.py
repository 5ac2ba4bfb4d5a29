"""The simulator takes each case of the exact bench, and its figures are held against the kernel's."""
import pytest

from tests.bench.exact.cases import CASES
from tests.bench.selectors import OURS

from . import crosscheck, engine


@pytest.fixture(scope="session")
def program():
    return engine.build()


def record(name):
    case = CASES[name]
    return dict(case=name, paths=case.paths, depth=case.depths[0], selector="queue-length")


@pytest.mark.parametrize("name", CASES)
def test_simulator_takes_each_case(program, name):
    result = engine.run(program, {**crosscheck.config(record(name), seed=1), "warmup_ms": 0, "runtime_ms": 200})
    assert result["iops"] > 0 and len(result["starts"]) == len(CASES[name].paths)


@pytest.mark.parametrize("name", [name for name in CASES if CASES[name].arguments])
def test_arguments_are_ours_alone(program, name):
    ours = crosscheck.config({**record(name), "selector": OURS}, seed=1)
    assert ours["options"] == {key: str(value) for key, value in CASES[name].arguments.items()}
    assert "options" not in crosscheck.config(record(name), seed=1)
    assert engine.run(program, {**ours, "runtime_ms": 200})["iops"] > 0


def test_thousandths_become_parts():
    disk = dict(delay_us=500, tail_permille=300, tail_us=8000, sigma_permille=500, write_delay_us=40)
    assert crosscheck.in_simulation(disk) == dict(delay_us=500, tail=0.3, tail_us=8000, sigma=0.5, write_delay_us=40)


@pytest.mark.parametrize("iops, p99_us, starts, agrees", [
    (1049, 5000, [50, 50], True), (940, 5000, [50, 50], False), (1000, 5600, [50, 50], False),
    (1000, 5000, [65, 35], False)])
def test_agreement_has_limits(iops, p99_us, starts, agrees):
    kernels = dict(iops=1000, p99_us=5000, shares=[0.5, 0.5])
    found = crosscheck.differences(kernels, [dict(iops=iops, p99_us=p99_us, starts=starts)])
    assert crosscheck.agrees(found) == agrees


def test_kernels_run_may_be_any_of_the_seeds():
    kernels = dict(iops=1000, p99_us=5000, shares=[0.5, 0.5])
    spread = [dict(iops=800, p99_us=5100, starts=[20, 80]), dict(iops=1200, p99_us=6000, starts=[70, 30])]
    assert crosscheck.differences(kernels, spread) == pytest.approx((0, 0.02, 0))


@pytest.mark.parametrize("name, several", [("capped", False), ("mixed sizes", True), ("70 % hits near", True),
                                           ("slow writes near", True)])
def test_only_what_is_random_has_seeds(name, several):
    assert (len(crosscheck.seeds(record(name))) > 1) == several
