"""Headers of Debian's arm64 kernels, and a compiler for them that runs on amd64.

A layer over the suite's tree, in which modules for arm64 are compiled at native speed. Debian's
headers are made for this: kbuild's programs are a package of their own, in which those of the
machine that compiles fit the headers of all others. Nothing in the layer is configured.
"""
import hashlib
import re
from pathlib import Path
from typing import List

from . import extra_packages
from .apt import Apt
from .boot_files import cached
from .image import Tree, suite_lock, tree
from .kernels import Kernel
from .places import cache_dir, log_file
from .progress import CommandFailed, require_root, run_logged, say

COMPILER = "gcc-aarch64-linux-gnu"  # of the suite: the version that the suite's kernels take
PREFIX = "aarch64-linux-gnu-"
MAKE_ARGUMENTS = f"ARCH=arm64 CROSS_COMPILE={PREFIX}"

HEADERS = r"linux-(headers|kbuild|base)-\d"
MODULES = r"linux-modules-\d"
# Of the modules only this one, which src/compat/probe reads if the headers have no checksums.
SELECTOR = "dm-service-time.ko"

# $1 the directory of the packages, $2 the layer, then what is taken of them, by default all. In
# bookworm they have a directory lib, in whose stead dpkg-deb --extract would drop the layer's link.
EXTRACT_SCRIPT = """
debs=$1 layer=$2
shift 2
for deb in "$debs"/*.deb; do
	dpkg-deb --fsys-tarfile "$deb" | tar -x --keep-directory-symlink -C "$layer" --wildcards "$@"
done
rm "$debs"/*.deb
"""


def tree_of(kernel: Kernel) -> Tree:
    """The suite's tree with the kernel's headers and the compiler; no guest can boot it."""
    base = tree(kernel.suite)
    home = cache_dir() / f"{kernel.name}-{key(base)}"
    if not home.exists():
        require_root(f"unpacking the headers of {kernel.name}")
        with suite_lock(kernel.name):
            cached(home, lambda made: build(kernel, base, made))
    return Tree(kernel.suite, home, base)


def key(base: Tree) -> str:
    recipe = [COMPILER, HEADERS, MODULES, SELECTOR, EXTRACT_SCRIPT, base.home.name]
    return hashlib.sha256(repr(recipe).encode()).hexdigest()[:12]


def build(kernel: Kernel, base: Tree, made: Path) -> None:
    log = log_file(f"headers-{kernel.name}.log")
    log.write_text("")
    say(f"headers of {kernel.name}, and a compiler: downloading 60 MB; log {log}")
    root = made / "root"
    root.mkdir(parents=True)
    (root / "lib").symlink_to("usr/lib")  # as in the tree: its paths are looked up here, too
    apt = Apt(kernel.suite, made.parent / "apt", log, f"headers of {kernel.name}",
              architectures=["amd64", kernel.architecture])
    apt.get("update")
    extra_packages.unpack(apt, base, [COMPILER], root)
    extract(apt, packages(apt, kernel, "headers", HEADERS), root)
    if not has_checksums(root):
        say(f"headers of {kernel.name}: without checksums, so {SELECTOR} too; downloading 100 MB")
        extract(apt, packages(apt, kernel, "image", MODULES), root, f"*/{SELECTOR}*")


def packages(apt: Apt, kernel: Kernel, kind: str, pattern: str) -> List[str]:
    """What the kernel's metapackage needs; kbuild's programs only as they run here."""
    needed = apt.dependencies(f"linux-{kind}-{kernel.flavour}:{kernel.architecture}")
    found = [name for name in needed if re.match(pattern, name) and "unsigned" not in name
             and not re.match(r"linux-kbuild-.*:", name)]
    if not found:
        raise CommandFailed(f"the suite {kernel.suite} has no {kind} of a kernel for "
                            f"{kernel.architecture}")
    return found


def extract(apt: Apt, names: List[str], root: Path, *what: str) -> None:
    apt.get("download", *names)
    run_logged(["bash", "-e", "-o", "pipefail", "-c", EXTRACT_SCRIPT, "extract", str(apt.top),
                str(root), *what], apt.log, apt.label)


def has_checksums(root: Path) -> bool:
    configuration = next(root.glob("usr/src/linux-headers-*-arm64/.config"))
    return "CONFIG_MODVERSIONS=y\n" in configuration.read_text()
