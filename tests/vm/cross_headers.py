"""Headers of Debian's arm64 kernels, and a compiler for them that runs on amd64.

A layer over the suite's tree, in which modules for arm64 are compiled at native speed. Debian's
headers are made for this: kbuild's programs are a package of their own, in which those of the
machine that compiles fit the headers of all others. Nothing in the layer is configured.
"""
import re
from pathlib import Path
from typing import List

from . import extra_packages, package_layer
from .apt import Apt
from .image import Tree, tree
from .kernels import Kernel
from .progress import CommandFailed, say

COMPILER = "gcc-aarch64-linux-gnu"  # of the suite: the version that the suite's kernels take
PREFIX = "aarch64-linux-gnu-"
MAKE_ARGUMENTS = f"ARCH=arm64 CROSS_COMPILE={PREFIX}"

HEADERS = r"linux-(headers|kbuild|base)-\d"
MODULES = r"linux-modules-\d"
# Of the modules only this one, which src/compat/probe reads if the headers have no checksums.
SELECTOR = "dm-service-time.ko"


def tree_of(kernel: Kernel) -> Tree:
    """The suite's tree with the kernel's headers and the compiler; no guest can boot it."""
    base = tree(kernel.suite)
    return package_layer.over(base, kernel.name, [COMPILER, HEADERS, MODULES, SELECTOR],
                              lambda made: build(kernel, base, made))


def build(kernel: Kernel, base: Tree, made: Path) -> None:
    label = f"headers of {kernel.name}"
    say(f"{label}, and a compiler: downloading 60 MB")
    root = package_layer.empty_root(made)
    apt = package_layer.apt_for(kernel.suite, made, label, ["amd64", kernel.architecture])
    extra_packages.unpack(apt, base, [COMPILER], root)
    apt.get("download", *packages(apt, kernel, "headers", HEADERS))
    package_layer.extract(apt, apt.top, root)
    if not has_checksums(root):
        say(f"{label}: without checksums, so {SELECTOR} too; downloading 100 MB")
        apt.get("download", *packages(apt, kernel, "image", MODULES))
        package_layer.extract(apt, apt.top, root, f"*/{SELECTOR}*")


def packages(apt: Apt, kernel: Kernel, kind: str, pattern: str) -> List[str]:
    """What the kernel's metapackage needs; kbuild's programs only as they run here."""
    needed = apt.dependencies(f"linux-{kind}-{kernel.flavour}:{kernel.architecture}")
    found = [name for name in needed if re.match(pattern, name) and "unsigned" not in name
             and not re.match(r"linux-kbuild-.*:", name)]
    if not found:
        raise CommandFailed(f"the suite {kernel.suite} has no {kind} of a kernel for "
                            f"{kernel.architecture}")
    return found


def has_checksums(root: Path) -> bool:
    configuration = next(root.glob("usr/src/linux-headers-*-arm64/.config"))
    return "CONFIG_MODVERSIONS=y\n" in configuration.read_text()
