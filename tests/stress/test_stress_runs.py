"""`make stress` on each kernel: only by --long, as in `make check-full`."""
import pytest

from tests.vm.kernels import ALL_KERNELS, ARM64_KERNELS, KERNELS
from tests.vm.progress import CommandFailed

from .__main__ import parse, stress


def chosen(name, suites):
    """By its own name, or by that of many."""
    return name in suites or "all" in suites and name in KERNELS or "arm64" in suites and name in ARM64_KERNELS


def pytest_generate_tests(metafunc):
    suites = metafunc.config.getoption("suite") or ["all"]
    metafunc.parametrize("kernel", [name for name in ALL_KERNELS if chosen(name, suites)])


def test_stress(request, kernel):
    if not request.config.getoption("long"):
        pytest.skip("a quarter of an hour: make check-full, make stress")
    options = parse(["--kernel", kernel])
    try:
        status = stress(options)
    except CommandFailed as error:
        pytest.fail(str(error), pytrace=False)
    assert status == 0, f"the cases that failed are in what it wrote; make stress KERNEL={kernel} SEED={options.seed}"
