"""A kernel in a directory boots: Debian's for PREEMPT_RT, laid out as its packages unpack, with something besides."""
import os
import subprocess
import sys

from tests.vm import image
from tests.vm.kernels import KERNELS
from tests.vm.places import CHECKOUT

KERNEL = KERNELS["trixie-rt"]


def lay_out(top):
    """What a directory needs of the suite's tree: less than its packages have."""
    tree = image.tree(KERNEL.suite)
    release = tree.release(KERNEL)
    headers = f"usr/src/linux-headers-{release}"
    for name in f"usr/lib/modules/{release}", f"{headers}/include/generated", f"{headers}/Module.symvers", f"boot/vmlinuz-{release}":
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cp", "-a", str(tree.root / name), str(top / name)], check=True)
    (top / "usr/lib/modules" / release / "mark").write_text("the directory's")
    return release


def test_kernel_of_a_directory_boots(tmp_path):
    release = lay_out(tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "tests.vm", "shell", "--kernel", "directory", "--layer", "none", "--",
         "cat /lib/modules/$(uname -r)/mark; modprobe dm-multipath; uname -r; dmsetup targets; ls /lib/modules/$(uname -r)/build/"],
        cwd=CHECKOUT, env={**os.environ, "LW_KERNEL_DIR": str(tmp_path)}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"the directory's{release}\n") and "multipath " in done.stdout
    assert "Module.symvers" in done.stdout.split()
