"""What QEMU loads for a guest: the kernel, uncompressed, and a small initramfs.

The kernel is Debian's, only unpacked on the host: in an emulated CPU that takes 5 s
for the xz-compressed ones. The initramfs has busybox, `guest/stage1` and the few
modules that reach the root.
"""
import gzip
import hashlib
import lzma
import os
import shutil
import struct
import subprocess
import tempfile
from pathlib import Path
from typing import Callable, Dict, List, Set

from .image import Tree
from .kernels import Kernel
from .progress import CommandFailed

BUSYBOX = Path("/bin/busybox")
# On arm64, in the tree: its busybox, and what ends QEMU (guest/exit_arm64.S).
TREE_BUSYBOX, EXIT_PROGRAM = "usr/bin/busybox", "usr/local/sbin/lw-exit"
STAGE1 = Path(__file__).parent / "guest" / "stage1"
# Built in or absent in some kernels; what is in neither modules.dep nor modules.builtin is a mistake,
# except for the optional ones, which are one driver under the names of different kernels.
NEEDED = ["virtio_pci", "virtio_console", "virtio_blk", "squashfs", "overlay", "configfs"]
# What shares a directory with the host; RHEL's kernels have only the second.
SHARES = {"9p": ["9pnet_virtio", "9p"], "virtiofs": ["virtiofs"]}
PMEM = ["nfit", "nd_pmem"]      # where the images are persistent memory; elsewhere nfit does not even load
COPIED = ["loop"]               # where guest/stage1 may copy them to memory
OPTIONAL = ["pvpanic", "pvpanic_mmio"]


def module_name(path: str) -> str:
    return os.path.basename(path).split(".ko")[0].replace("-", "_")


def depends_of(modules: Path) -> Dict[str, List[str]]:
    """What each module needs, by their paths."""
    depends: Dict[str, List[str]] = {}
    for line in (modules / "modules.dep").read_text().splitlines():
        path, _, needs = line.partition(":")
        depends[path] = needs.split()
    return depends


def builtin_in(modules: Path) -> Set[str]:
    return {module_name(path) for path in (modules / "modules.builtin").read_text().split()}


def share_of(tree: Tree, kernel: Kernel) -> str:
    """The first of SHARES that the kernel has; of one that has none, the first is what it lacks."""
    modules = tree.root / "lib/modules" / tree.release(kernel)
    names = builtin_in(modules).union(map(module_name, depends_of(modules)))
    return next((share for share, needed in SHARES.items() if names.issuperset(needed)), "9p")


def load_order(modules: Path, needed: List[str]) -> List[str]:
    """Paths of the modules to insert, dependencies first, relative to lib/modules/RELEASE."""
    depends, builtin = depends_of(modules), builtin_in(modules)
    by_name = {module_name(path): path for path in depends}
    order: Dict[str, None] = {}
    for name in needed + OPTIONAL:
        if name in by_name:
            order.update(dict.fromkeys(reversed(depends[by_name[name]])))
            order[by_name[name]] = None
        elif name in needed and name not in builtin:
            raise CommandFailed(f"{modules}: the kernel has no module {name}")
    return list(order)


def uncompressed(path: Path) -> bytes:
    content = path.read_bytes()
    if path.suffix == ".xz":
        return lzma.decompress(content)
    if path.suffix == ".zst":
        return subprocess.run(["zstd", "--decompress", "--stdout", str(path)], check=True, stdout=subprocess.PIPE).stdout
    if path.suffix == ".gz":
        return gzip.decompress(content)
    if path.suffix == ".ko":
        return content
    raise CommandFailed(f"{path}: do not know how to uncompress it")


def cached(path: Path, make: Callable[[Path], None]) -> Path:
    """`path`, made first if it is missing, under another name so that it is never half there."""
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent, prefix="making-") as scratch:
            made = Path(scratch, path.name)
            make(made)
            try:
                made.rename(path)
            except OSError:     # a directory of another checkout's, which was first
                if not path.is_dir():
                    raise
    return path


def kernel_image(tree: Tree, kernel: Kernel) -> Path:
    """Uncompressed, as arm64's is, if QEMU can start it so: ours lack CONFIG_PVH, which that needs, as others may."""
    if kernel.config or kernel.is_cross or kernel.directory:
        return tree.vmlinuz(kernel)
    return cached(tree.home / "boot" / f"vmlinux-{tree.release(kernel)}",
                  lambda made: made.write_bytes(unpack_kernel(tree.vmlinuz(kernel))))


def unpack_kernel(vmlinuz: Path) -> bytes:
    """The ELF inside a bzImage (Documentation/arch/x86/boot.rst tells the offsets)."""
    image = vmlinuz.read_bytes()
    setup_sectors = image[0x1f1] or 4
    offset, length = struct.unpack_from("<II", image, 0x248)
    start = (setup_sectors + 1) * 512 + offset
    payload = image[start:start + length]
    if payload.startswith(b"\xfd7zXZ\0"):
        elf = lzma.LZMADecompressor().decompress(payload)
    else:  # zstd; the kernel's build appends the size in 4 bytes
        elf = subprocess.run(["zstd", "--decompress", "--stdout"], input=payload[:-4], check=True,
                             stdout=subprocess.PIPE).stdout
    if not elf.startswith(b"\x7fELF"):
        raise CommandFailed(f"{vmlinuz}: found no ELF in it")
    return elf


def initramfs(tree: Tree, kernel: Kernel) -> Path:
    release = tree.release(kernel)
    binaries = programs(tree, kernel)
    needed = NEEDED + SHARES[share_of(tree, kernel)] + (PMEM if kernel.has_pmem else COPIED)
    key = hashlib.sha256(STAGE1.read_bytes() + b"".join(path.read_bytes() for path in binaries)
                         + repr(needed + OPTIONAL).encode()).hexdigest()[:12]
    return cached(tree.home / "boot" / f"initramfs-{release}-{key}",
                  lambda made: make_initramfs(made, binaries, tree.root / "lib/modules" / release, needed))


def programs(tree: Tree, kernel: Kernel) -> List[Path]:
    """What the initramfs has in its bin."""
    if kernel.is_cross:
        return [tree.base.root / TREE_BUSYBOX, tree.root / EXIT_PROGRAM]
    return [BUSYBOX]


def make_initramfs(made: Path, binaries: List[Path], modules: Path, needed: List[str]) -> None:
    content = made.with_name("content")
    fill(content, binaries, modules, needed)
    with made.open("wb") as stream:
        subprocess.run("find . | cpio --create --format=newc --quiet", shell=True,
                       cwd=content, stdout=stream, check=True)


def fill(content: Path, binaries: List[Path], modules: Path, needed: List[str]) -> None:
    for directory in ("bin", "modules"):
        (content / directory).mkdir(parents=True)
    for binary in binaries:
        shutil.copy(binary, content / "bin")
    shutil.copy(STAGE1, content / "init")
    (content / "init").chmod(0o755)
    names = []
    for path in load_order(modules, needed):
        names.append(module_name(path) + ".ko")
        (content / "modules" / names[-1]).write_bytes(uncompressed(modules / path))
    (content / "modules/order").write_text("".join(f"{name}\n" for name in names))
