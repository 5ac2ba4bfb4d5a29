"""For arm64: the test modules, and what only a machine with a weak memory order is told."""
# promise memory/barriers: Releases, acquires and barriers are instructions where the machine orders memory weakly |
#   by: arm64's machine code | check: no | full: `arm64-build`

import re

import pytest

from tests.vm.module_layer import test_module_directories as module_directories


@pytest.mark.parametrize("directory", module_directories())
def test_test_modules_compile(workshop, directory):
    status, output = workshop.run(f"""
        set -e
        rm -rf /root/test-module
        cp -r /lw/src/{directory} /root/test-module
        make -C /lib/modules/{workshop.release}/build M=/root/test-module \\
            {workshop.make_arguments} W=1 modules 2>&1
        modinfo -F vermagic /root/test-module/*.ko""")
    assert status == 0, output
    assert not workshop.complaints(output)
    assert re.search(rf"^{re.escape(workshop.release)} .*aarch64$", output, re.M)


# Of each source: an instruction, and how many of them at least.
ORDERS = [
    ("eligibility", "stlr", 2),             # reinstate_path(): the path, then the count
    ("io", "ldar", 1),                      # end_io(): the path, before what is to be believed
    ("select", "ldar", 1),                  # lw_any_usable(): the count before the paths,
    ("select", r"dmb\s+ishld", 1),          # and after them
    ("io", r"dmb\s+ishst", 4),              # a cell's begin and end, of a start and of an end
    ("counts", r"(?:dmb\s+ishld|ldar)", 2), # who reads the cell; some kernels' begin is an acquire
]


def test_order_is_asked_of_the_machine(workshop):
    """On x86 these are nothing but words to the compiler; here they are instructions."""
    status, output = workshop.make()
    assert status == 0, output
    for unit, instruction, least in ORDERS:
        status, output = workshop.run(f"{workshop.objdump} -d /root/module/src/{unit}.o")
        assert status == 0, output
        found = len(re.findall(rf"\s{instruction}\b", output))
        assert found >= least, f"{unit}.o has {found} of {instruction}"
