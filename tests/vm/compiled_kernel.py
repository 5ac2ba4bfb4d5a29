"""Kernels with the kernel's own checkers, compiled from Debian's source package.

Each is a layer over its suite's tree: the kernel, its modules, and what modules of ours are
compiled with. Compiled in the tree's chroot, by the suite's own compiler, once.
"""
import hashlib
import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import List

from . import extra_packages, kernel_source
from . import layer as layers
from .apt import Apt
from .image import Tree, builders_lock, tree
from .kernels import Kernel
from .places import cache_dir, log_file
from .progress import CommandFailed, require_root, run_logged, say

CONFIG = Path(__file__).parent / "config"
GUEST_CONFIG = "guest.config"
TOOLS = ["bc", "bison", "flex", "gcc", "libelf-dev", "libssl-dev", "zstd"]

# In the chroot; all but the products go again.
SOURCE, OBJECTS = "usr/src/linux", "usr/src/linux-objects"

# $1 the directory for the source, $2 the package
UNPACK_SCRIPT = """
dpkg-deb --fsys-tarfile "$2" | tar -xO --wildcards './usr/src/linux-source-*.tar.xz' |
	tar -xJ --strip-components=1 -C "$1"
rm "$2"
"""

CONFIGURE_SCRIPT = f"""
make -C /{SOURCE} O=/{OBJECTS} KCONFIG_ALLCONFIG=/{OBJECTS}/wanted allnoconfig
"""

COMPILE_SCRIPT = f"""
set -e
export KBUILD_BUILD_TIMESTAMP=1970-01-01 KBUILD_BUILD_USER=lw KBUILD_BUILD_HOST=lw
export CCACHE_DISABLE=1	# once, and large
build() {{ make -C /{SOURCE} O=/{OBJECTS} LOCALVERSION=-{{flavour}} "$@"; }}
build -j{{jobs}} bzImage modules
release=$(build -s kernelrelease)
headers=/usr/src/linux-headers-$release
build modules_install
rm -f /lib/modules/$release/build
ln -s $headers /lib/modules/$release/build
cp /{OBJECTS}/arch/x86/boot/bzImage /boot/vmlinuz-$release
cp /{OBJECTS}/.config /boot/config-$release
build run-command KBUILD_RUN_COMMAND="/{SOURCE}/scripts/package/install-extmod-build $headers"
cp /{OBJECTS}/.config $headers
rm -r /{SOURCE} /{OBJECTS}
"""


def tree_of(kernel: Kernel) -> Tree:
    """What the kernel's guests have as their root: a layer of ours over Debian's tree."""
    base = tree(kernel.suite)
    wanted = Tree(kernel.suite, cache_dir() / f"{kernel.name}-{key(kernel, base)}", base)
    if not wanted.home.exists():
        require_root(f"compiling the kernel {kernel.name}")
        with builders_lock(kernel.name):
            if not wanted.home.exists():
                build(kernel, wanted)
    return wanted


def key(kernel: Kernel, base: Tree) -> str:
    """Changes with the options, with Debian's kernel of the tree, and with its compiler."""
    digest = hashlib.sha256(repr([TOOLS, CONFIGURE_SCRIPT, COMPILE_SCRIPT, kernel.flavour,
                                  base.home.name, base.releases()]).encode())
    digest.update(wanted_options(kernel).encode())
    for compiler in sorted((base.root / "usr/bin").glob("x86_64-linux-gnu-gcc-[0-9]*")):
        digest.update(compiler.read_bytes())
    return digest.hexdigest()[:12]


def wanted_options(kernel: Kernel) -> str:
    return "".join((CONFIG / name).read_text() for name in (GUEST_CONFIG, *kernel.config))


def build(kernel: Kernel, wanted: Tree) -> None:
    """Build under a temporary name and rename: a kernel that has its name is complete."""
    log = log_file(f"kernel-{kernel.name}.log")
    log.write_text("")
    label = f"kernel {kernel.name}"
    start = time.monotonic()
    say(f"{label}: to compile, once, about 30 minutes on two CPUs; log {log}")
    with tempfile.TemporaryDirectory(dir=cache_dir(), prefix=f"{kernel.name}-", suffix=".tmp") as top:
        made = Tree(kernel.suite, Path(top, "made"), wanted.base)
        made.root.mkdir(parents=True)
        (made.root / "lib").symlink_to("usr/lib")  # as in the tree: its paths are looked up here, too
        download(kernel, made, TOOLS, Path(top, "apt"), log, label)
        configure(made, wanted_options(kernel), log, label)
        script = COMPILE_SCRIPT.replace("{flavour}", kernel.flavour).replace(
            "{jobs}", str(os.cpu_count() + 2))
        layers.chroot_run(wanted.base, made.root, script, log, label)
        layers.pack(made.root, made.squashfs)
        for leftover in (".work", ".merged"):
            shutil.rmtree(made.root.with_name(made.root.name + leftover))
        made.home.rename(wanted.home)
    say(f"{label}: done in {time.monotonic() - start:.0f} s, {wanted.home}")


def download(kernel: Kernel, made: Tree, tools: List[str], top: Path, log: Path, label: str) -> None:
    """Tools and source, unpacked in the layer; the source needs 1.7 GB for the while."""
    apt = Apt(kernel.suite, top, log, label)
    apt.get("update")
    extra_packages.unpack(apt, made.base, tools, made.root)
    package = kernel_source.package(kernel)
    apt.get("download", package)
    (made.root / SOURCE).mkdir(parents=True)
    deb = next(top.glob(f"{package}_*.deb"))
    run_logged(["bash", "-e", "-o", "pipefail", "-c", UNPACK_SCRIPT, "unpack",
                str(made.root / SOURCE), str(deb)], log, label)


def configure(made: Tree, wanted: str, log: Path, label: str) -> None:
    """Nothing may be missing: an option that was renamed would silently be off."""
    objects = made.root / OBJECTS
    objects.mkdir()
    (objects / "wanted").write_text(wanted)
    layers.chroot_run(made.base, made.root, CONFIGURE_SCRIPT, log, label)
    missing = not_granted(wanted, (objects / ".config").read_text())
    if missing:
        raise CommandFailed(f"{label}: the kernel's configuration does not grant {' '.join(missing)}")


def not_granted(wanted: str, granted: str) -> List[str]:
    """The lines of `wanted` that a .config does not agree with; what is "=n" shall not be there."""
    have = set(granted.splitlines())
    names = {line.partition("=")[0] for line in have}
    missing = []
    for line in wanted.splitlines():
        name, _, value = line.partition("=")
        if name.startswith("CONFIG_") and (name in names if value == "n" else line not in have):
            missing.append(line)
    return missing
