"""A kernel that somebody has in a directory, as packages of a distribution unpack to: image, modules, headers.

Its guests have the user space of one of Debian's suites, and its modules are compiled by that suite's compiler. What
is taken of the directory becomes a layer over the suite's tree, in the cache.
"""
import hashlib
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator, List, Optional, Tuple

from . import layer as layers
from .boot_files import cached
from .image import Tree, builders_lock, tree
from .kernels import SUITES, Kernel
from .places import cache_dir, log_file
from .progress import CommandFailed, require_root, say

RECIPE = 2  # raise it to make all layers anew although no directory changed
# What is taken; Debian's headers have their programs in the last one.
MODULES = "lib/modules", "usr/lib/modules"
TAKEN = "boot", *MODULES, "usr/src", "usr/lib/linux-kbuild-*"
# Debian and Ubuntu; Fedora, RHEL and SUSE; a kernel that somebody compiled.
IMAGES = "boot/vmlinuz-{R}", "lib/modules/{R}/vmlinuz", "usr/lib/modules/{R}/vmlinuz", "bzImage"
# Beside what the link "build" of the modules leads to.
HEADERS = "usr/src/linux-headers-{R}", "usr/src/kernels/{R}", "lib/modules/{R}/build", "usr/lib/modules/{R}/build"


@dataclass(frozen=True)
class Found:
    """Where the directory has what; paths below it."""
    top: Path
    release: str
    modules: Path
    image: Path
    headers: Path

    def taken(self) -> List[Tuple[Path, Path]]:
        """Directories to copy, and where each goes in a tree in which /lib is /usr/lib."""
        found = [path for pattern in TAKEN for path in sorted(self.top.glob(pattern)) if not path.is_symlink()]
        return [(path, Path(re.sub("^lib/", "usr/lib/", str(path.relative_to(self.top))))) for path in found]

    def files(self) -> Iterator[Path]:
        yield self.image
        for directory, _target in self.taken():
            yield from sorted(path for path in directory.rglob("*") if path.is_file() or path.is_symlink())


def look(directory: str) -> Found:
    """What there is; CommandFailed names what is missing."""
    top = Path(directory).absolute()
    if not top.is_dir():
        raise CommandFailed(f"KERNEL_DIR={directory}: not a directory; wanted one with a kernel's image, modules and headers")
    modules = [path for name in MODULES if not (top / name).parent.is_symlink() for path in sorted((top / name).glob("*"))
               if (path / "modules.builtin").exists()]
    if len(modules) != 1:
        raise CommandFailed(f"KERNEL_DIR={directory}: wanted modules of one kernel in lib/modules, modules.builtin among them; "
                            f"found {', '.join(path.name for path in modules) or 'none'}")
    release = modules[0].name
    places = {"image": [top / name.format(R=release) for name in IMAGES],
              "headers": [top / name.format(R=release) for name in HEADERS]}
    image = first(places["image"])
    headers = first(led_to(top, modules[0] / "build") + places["headers"], "Module.symvers")
    for what, found in (("image", image), ("headers", headers)):
        if not found:
            names = " or ".join(str(path.relative_to(top)) for path in places[what])
            raise CommandFailed(f"KERNEL_DIR={directory}: no {what} of {release}; wanted {names}")
    return Found(top, release, modules[0], image, headers)


def led_to(top: Path, link: Path) -> List[Path]:
    """What a link leads to within the directory, which is / to it; what is no link, itself."""
    if not link.is_symlink():
        return [link]
    target = os.readlink(link)
    inside = top / target[1:] if target.startswith("/") else link.parent / target
    relative = os.path.relpath(inside, top)
    return [] if relative.startswith("..") else [top / relative]


def first(places: List[Path], needed: str = "") -> Optional[Path]:
    """The first of these that is there, with a file that is needed in it."""
    return next((path for path in places if (path / needed).exists()), None)


def tree_of(kernel: Kernel) -> Tree:
    """What its guests have as their root: a layer with the kernel over the suite's tree."""
    if kernel.suite not in SUITES:
        raise CommandFailed(f"SUITE={kernel.suite}: wanted {', '.join(SUITES)}, whose user space the kernel of KERNEL_DIR gets")
    found, base = look(kernel.directory), tree(kernel.suite)
    home = cache_dir() / f"{kernel.name}-{key(found, base)}"
    if not home.exists():
        require_root(f"copying the kernel {found.release}")
        with builders_lock(kernel.name):
            cached(home, lambda made: build(found, Tree(kernel.suite, made, base)))
    os.utime(home)
    return Tree(kernel.suite, home, base)


def key(found: Found, base: Tree) -> str:
    """Changes with the directory's files, by their sizes and times, and with the tree."""
    digest = hashlib.sha256(repr([RECIPE, base.home.name, str(found.top)]).encode())
    for path in found.files():
        status = path.lstat()
        digest.update(repr([str(path.relative_to(found.top)), status.st_size, status.st_mtime_ns]).encode())
    return digest.hexdigest()[:12]


def build(found: Found, made: Tree) -> None:
    release, root = found.release, made.root
    log = log_file(f"kernel-{made.home.name}.log")
    log.write_text("")
    say(f"kernel {release}: copying {found.top}; log {log}")
    (root / "boot").mkdir(parents=True)
    (root / "usr/lib").mkdir(parents=True)
    merged = (made.base.root / "lib").is_symlink()
    for source, target in found.taken():
        if target.name == "modules" and not merged:
            target = Path("lib/modules")
        shutil.copytree(source, root / target, symlinks=True, dirs_exist_ok=True)
    if merged:
        (root / "lib").symlink_to("usr/lib")    # as in the tree: its paths are looked up here, too
    shutil.copy(found.image, root / "boot" / f"vmlinuz-{release}")
    link_headers(found, root)
    link_compiler(found, made)
    layers.chroot_run(made.base, root, f"depmod {release}", log, f"kernel {release}")
    for leftover in (".work", ".merged"):
        shutil.rmtree(root.with_name(root.name + leftover))
    layers.pack(root, made.squashfs)


def link_headers(found: Found, root: Path) -> None:
    """The link that says where modules are compiled; in the directory, it may lead to another machine's place."""
    build_link = root / "lib/modules" / found.release / "build"
    if found.headers.name == "build" and not found.headers.is_symlink():
        return
    if found.headers.name == "build":
        headers = root / "usr/src" / f"linux-headers-{found.release}"
        shutil.copytree(found.headers, headers, symlinks=True)
    else:
        headers = root / found.headers.relative_to(found.top)
    build_link.unlink(missing_ok=True)
    build_link.symlink_to("/" + str(headers.relative_to(root)))


def compiler(programs: Path) -> str:
    """The newest, where a suite has no plain gcc, as its kernels name a version."""
    versions = [int(path.name[4:]) for path in programs.glob("gcc-*") if path.name[4:].isdigit()]
    return f"gcc-{max(versions)}" if versions and not (programs / "gcc").exists() else "gcc"


def link_compiler(found: Found, made: Tree) -> None:
    """The suite's compiler, under the name that the headers have for the kernel's, where the suite has another."""
    config, programs = found.headers / ".config", made.base.root / "usr/bin"
    named = re.search(r'^CONFIG_CC_VERSION_TEXT="(\S*gcc(-\d+)?) ', config.read_text(), re.M) if config.exists() else None
    if named and not (programs / named[1]).exists():
        links = made.root / "usr/local/bin"
        links.mkdir(parents=True)
        (links / named[1]).symlink_to(f"/usr/bin/{compiler(programs)}")
