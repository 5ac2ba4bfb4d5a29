"""A kernel in a directory boots in the user space of another suite, also one that cannot share as Debian's do."""
# promise lifecycle/directory-kernel

import os
import subprocess
import sys

import pytest

from tests.vm import image
from tests.vm.boot_files import SHARES
from tests.vm.kernels import KERNELS
from tests.vm.places import CHECKOUT

KERNEL, SUITE = KERNELS["trixie-rt"], "sid"
COMMAND = "modprobe dm-multipath; uname -r; dmsetup targets; ls /lib/modules/$(uname -r)/build/; mount | grep ' /lw/out '; echo kept >/lw/out/word"


def lay_out(top):
    """What a directory needs of the suite's tree: less than its packages have."""
    tree = image.tree(KERNEL.suite)
    release = tree.release(KERNEL)
    headers = f"usr/src/linux-headers-{release}"
    for name in f"usr/lib/modules/{release}", f"{headers}/include/generated", f"{headers}/Module.symvers", f"boot/vmlinuz-{release}":
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cp", "-a", str(tree.root / name), str(top / name)], check=True)
    return release


@pytest.mark.parametrize("share", SHARES)
def test_kernel_of_a_directory_boots(tmp_path, share):
    release = lay_out(tmp_path)
    if share != "9p":
        modules = tmp_path / "usr/lib/modules" / release
        subprocess.run(["rm", "-r", *map(str, modules.glob("kernel/*/9p"))], check=True)
    done = subprocess.run(
        [sys.executable, "-m", "tests.vm", "shell", "--kernel", "directory", "--layer", "none", "--", COMMAND],
        cwd=CHECKOUT, env={**os.environ, "LW_KERNEL_DIR": str(tmp_path), "LW_KERNEL_SUITE": SUITE}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{release}\n") and "multipath " in done.stdout
    assert "Module.symvers" in done.stdout.split()
    assert f" type {share} " in done.stdout
    results = done.stderr.rsplit("results: ", 1)[1].strip()
    with open(f"{results}/word") as word:
        assert word.read() == "kept\n"
