"""For arm64: the test modules, and what only a machine with a weak memory order is told."""
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


def test_order_is_asked_of_the_machine(workshop):
    """On x86 these three are nothing but words to the compiler; here they are instructions."""
    status, output = workshop.make()
    assert status == 0, output
    for unit, instruction in (("main", "stlr"), ("select", "ldar"), ("select", "dmb\\s+ishld")):
        status, output = workshop.run(f"{workshop.objdump} -d /root/module/src/{unit}.o")
        assert status == 0, output
        assert re.search(rf"\s{instruction}\b", output), f"{unit}.o has no {instruction}"
