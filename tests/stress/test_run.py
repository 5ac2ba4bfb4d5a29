"""`make stress` on each kernel: only by --long, as in `make check-full`."""
import pytest

from tests.vm.kernels import ALL_KERNELS, KERNELS
from tests.vm.progress import CommandFailed

from .__main__ import parse, stress


def pytest_generate_tests(metafunc):
    suites = metafunc.config.getoption("suite") or ["all"]
    metafunc.parametrize("kernel", [name for name in ALL_KERNELS if name in suites
                                    or "all" in suites and name in KERNELS])


def test_stress(request, kernel, loudly):
    if not request.config.getoption("long"):
        pytest.skip("a quarter of an hour: make check-full, make stress")
    options = parse(["--kernel", kernel])
    try:
        status = loudly(stress, options)
    except CommandFailed as error:
        pytest.fail(str(error), pytrace=False)
    assert status == 0, f"the cases that failed are above; make stress KERNEL={kernel} SEED={options.seed}"
