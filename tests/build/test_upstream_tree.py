"""The series for the kernel's tree, compiled in the whole tree: after each patch, as a module and built in."""
# promise lifecycle/upstream-series

import subprocess

import pytest

from tests.vm import compiled_kernel
from tests.vm.places import log_file
from upstream import series

TOOLS = ["bc", "bison", "flex", "gcc", "libelf-dev"]
OPTIONS = compiled_kernel.CONFIG / "upstream.config"
MAKE = f"make -j2 -C /{compiled_kernel.SOURCE} O=/{compiled_kernel.OBJECTS}"
# $1 m or y
SET = f"""
/{compiled_kernel.SOURCE}/scripts/config --file /{compiled_kernel.OBJECTS}/.config --set-val DM_MULTIPATH_LW $1
{MAKE} olddefconfig
grep -qx CONFIG_DM_MULTIPATH_LW=$1 /{compiled_kernel.OBJECTS}/.config
"""
COMPILE = f"{MAKE} W=1 drivers/md/ 2>&1"


@pytest.fixture(scope="module")
def linux(workshop):
    """The tree, which is 1.7 GB for the while."""
    made = workshop.configured_kernel(TOOLS, OPTIONS, log_file("kernel-upstream.log"), "kernel for the series")
    return made.root / compiled_kernel.SOURCE


def test_each_patch_compiles(workshop, linux, tmp_path):
    _, *patches = series.write(linux, tmp_path, "A Name <name@example.org>")
    for number, patch in enumerate(patches, 1):
        done = subprocess.run(["git", "apply", str(patch)], cwd=linux, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        assert (done.returncode, done.stdout) == (0, "")
        for state in ("m", "y") if number > 1 else (None,):
            status, output = workshop.run((f"set -e; set -- {state}; {SET}" if state else "") + COMPILE)
            assert status == 0, output
            ours = [line for line in output.splitlines() if "latency-weighted" in line]
            assert not workshop.complaints("\n".join(ours))
            if state:
                kind = {"m": "[M]", "y": "   "}[state]
                assert f"  CC {kind}  drivers/md/dm-latency-weighted/main.o" in ours, output
