"""Checksums made from debugging information, as other distributions have them from 6.14 on; Debian's kernels have none.
So Debian's newest source is configured for them, and compiled as far as the proof needs."""
# promise lifecycle/gendwarfksyms: Checksums by gendwarfksyms prove the interface, argument types included | by:
#   Debian's 7.2, configured for them | check: no | full: `builds`

import re

import pytest

from test_compile import HEADER, WRONG_TYPE
from test_stand_ins import OBJECTS
from tests.vm import compiled_kernel
from tests.vm.places import log_file

TOOLS = ["bc", "bison", "flex", "gcc", "libdw-dev", "libelf-dev"]
OPTIONS = compiled_kernel.CONFIG / "gendwarfksyms.config"
BUILT = f"/{compiled_kernel.OBJECTS}"
# The checksum is the kernel's own. Of all else only the names count; they are those of Debian's kernel.
COMPILE = rf"""
set -e
make -j{{jobs}} -C /{compiled_kernel.SOURCE} O={BUILT} modules_prepare drivers/md/dm-path-selector.o 2>&1
sed '/\tdm_register_path_selector\t/d' /lib/modules/{{release}}/build/Module.symvers >{BUILT}/Module.symvers
sed -n 's/^#SYMVER \(\S*\) \(0x\w*\)/\2\t\1\tdrivers\/md\/dm-multipath\tEXPORT_SYMBOL_GPL\t/p' \
    {BUILT}/drivers/md/.dm-path-selector.o.cmd | tee -a {BUILT}/Module.symvers"""
MAKE = f"-C {BUILT} M=/root/module {OBJECTS}"


@pytest.fixture(scope="module")
def checksum(workshop):
    """What such a kernel's Module.symvers has for dm_register_path_selector(); its tree is in the workshop."""
    workshop.configured_kernel(TOOLS, OPTIONS, log_file("kernel-gendwarfksyms.log"), "kernel with gendwarfksyms")
    status, output = workshop.run(COMPILE.replace("{jobs}", "2").replace("{release}", workshop.release))
    assert status == 0, output
    found = re.search(r"^(0x[0-9a-f]{8})\tdm_register_path_selector\t", output, re.M)
    assert found and int(found[1], 16), output
    return found[1]


def test_checksum_is_the_kernels_own(workshop, checksum):
    status, output = workshop.make(MAKE)
    assert status == 0 and not workshop.complaints(output), output
    status, output = workshop.run("tr '\\0' '\\n' </root/module/src/compat/probed.o | grep -a ^probed=")
    assert output == f"probed=interface:6.3,proof:gendwarfksyms:{checksum},blk_stat_disable_accounting:yes,bpf:yes\n"


@pytest.mark.parametrize("what", WRONG_TYPE)
def test_argument_types_are_proven(workshop, checksum, what):
    status, output = workshop.make(MAKE, prepare=f"{WRONG_TYPE[what]} {HEADER}")
    assert status and f"dm_register_path_selector has the checksum {checksum}, our declarations give 0x" in output, output


def test_missing_program_is_named(workshop, checksum):
    tool = f"{BUILT}/scripts/gendwarfksyms/gendwarfksyms"
    status, output = workshop.make(MAKE, prepare=f"""
        mv {tool} /root/tool
        trap 'mv /root/tool {tool}' EXIT""")
    assert status and f"{tool} is missing" in output and "install the kernel's image package" in output, output
