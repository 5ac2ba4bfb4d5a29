"""What guests of other architectures will need besides the module: the test modules."""
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
