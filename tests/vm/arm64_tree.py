"""What guests on arm64 have as their root, and where modules for them are compiled.

The suite's own tree, in which amd64's packages are configured, with arm64's programs and
libraries over it: what maintainer scripts make (users, alternatives, compiled Python) is the
same for both, so none has to run on arm64. Over that, the kernel. The same kernel over the
cross compiler's layer is where modules are made for it.
"""
import shutil
from pathlib import Path

from . import cross_headers, package_layer
from . import layer as layers
from .boot_files import EXIT_PROGRAM
from .image import Tree, tree
from .kernels import GUEST_PACKAGES, Kernel
from .progress import CommandFailed, say

ARCHITECTURE = "arm64"
# What compiles is for the machine that does. The initramfs wants a busybox of this architecture.
PACKAGES = [package for package in GUEST_PACKAGES if package not in ("dkms", "sparse")]
PACKAGES += ["busybox-static", "make", "?essential"]

# $release
KERNEL_SCRIPT = f"""
set -e
depmod $release
mkdir -p /{Path(EXIT_PROGRAM).parent}
{cross_headers.PREFIX}gcc -nostdlib -static -o /{EXIT_PROGRAM} /lw/src/tests/vm/guest/exit_arm64.S
"""
EXIT_SOURCE = Path(__file__).parent / "guest" / "exit_arm64.S"


def tree_of(kernel: Kernel) -> Tree:
    """The kernel's guests have this as their root."""
    return Tree(kernel.suite, kernel_layer(kernel).home, userland(kernel.suite))


def workshop_of(kernel: Kernel) -> Tree:
    """In a chroot of this, modules for the kernel are compiled and found by depmod."""
    return kernel_layer(kernel)


def userland(suite: str) -> Tree:
    return package_layer.over(tree(suite), f"{suite}-{ARCHITECTURE}-userland", PACKAGES,
                              lambda made: build_userland(suite, made))


def build_userland(suite: str, made: Path) -> None:
    label = f"{ARCHITECTURE} packages of {suite}"
    say(f"{label}: downloading 80 MB")
    root = package_layer.empty_root(made)
    apt = package_layer.apt_for(suite, made, label, [ARCHITECTURE])
    apt.get("install", "--yes", "--download-only", *PACKAGES)
    package_layer.extract(apt, apt.top / "archives", root)
    for directory in ("doc", "man", "locale"):
        shutil.rmtree(root / "usr/share" / directory)
    layers.pack(root, made / "root.squashfs")


def kernel_layer(kernel: Kernel) -> Tree:
    """The kernel and its modules, of the version that the headers have."""
    headers = cross_headers.tree_of(kernel)
    recipe = [KERNEL_SCRIPT, EXIT_SOURCE.read_text()]
    return package_layer.over(headers, f"{kernel.name}-image", recipe,
                              lambda made: build_kernel(kernel, headers, made))


def build_kernel(kernel: Kernel, headers: Tree, made: Path) -> None:
    release = headers.release(kernel)
    label = f"kernel {release}"
    say(f"{label}: downloading 100 MB")
    root = package_layer.empty_root(made)
    apt = package_layer.apt_for(kernel.suite, made, label, [ARCHITECTURE])
    try:
        apt.get("download", f"linux-image-{release}")
    except CommandFailed as error:
        raise CommandFailed(f"{error}; if {kernel.suite} has a newer kernel by now, remove "
                            f"{headers.home}") from None
    package_layer.extract(apt, apt.top, root)
    layers.chroot_run(headers, root, f"release={release}\n{KERNEL_SCRIPT}", apt.log, label)
    layers.pack(root, made / "root.squashfs")
    for leftover in (".work", ".merged"):
        shutil.rmtree(root.with_name(root.name + leftover))
