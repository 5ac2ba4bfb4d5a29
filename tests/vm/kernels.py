"""The support matrix as data: which kernels we promise to work on, and what their guests contain."""
import os
from dataclasses import dataclass
from typing import Dict, List, Mapping, Tuple


@dataclass(frozen=True)
class Kernel:
    name: str     # what --suite and --kernel take
    suite: str    # the Debian suite whose tree it lives in
    flavour: str  # Debian's name of the build: linux-image-<flavour>
    series: str   # for people; the exact release comes from the tree
    # Whether QEMU's virtual clock can boot it with two CPUs. Up to 6.4 the first one waits
    # for the second without a pause, in which alone that could run.
    virtual_smp: bool = True
    # Of a kernel that we compile: files of config/ with its options, besides those of all guests. It
    # checks itself, which takes time, and lives in a layer over the suite's tree.
    config: Tuple[str, ...] = ()
    # QEMU's machine. "pc" tells its interrupts by a loop that takes such a kernel half a
    # minute for each device; "q35" by a list.
    machine: str = "pc"
    cpus: int = 2
    memory: int = 2048     # MiB
    patience: int = 1      # what its time limits are multiplied by
    arguments: Tuple[str, ...] = ()
    architecture: str = "amd64"
    directory: str = ""    # where its image, modules and headers are, if neither Debian's nor ours

    @property
    def is_cross(self) -> bool:
        """Are modules for it compiled on, and its guests emulated by, a machine of another kind?"""
        return self.architecture != "amd64"

    @property
    def has_pmem(self) -> bool:
        """Can its guests' images be persistent memory? Needs ACPI."""
        return not self.is_cross

    @property
    def packages(self) -> List[str]:
        return [f"linux-image-{self.flavour}", f"linux-headers-{self.flavour}"]

    def owns(self, release: str) -> bool:
        """Is this `uname -r` of this flavour? ("...-rt-amd64" also ends in "-amd64".)"""
        if self.directory:
            return True
        is_rt = release.endswith("-rt-amd64")
        return is_rt if self.flavour == "rt-amd64" else not is_rt


KERNELS: Dict[str, Kernel] = {kernel.name: kernel for kernel in (
    Kernel("bullseye", "bullseye", "amd64", "5.10", virtual_smp=False),
    Kernel("bookworm", "bookworm", "amd64", "6.1", virtual_smp=False),
    Kernel("trixie", "trixie", "amd64", "6.12"),
    Kernel("trixie-rt", "trixie", "rt-amd64", "6.12 PREEMPT_RT"),
    Kernel("sid", "sid", "amd64", "7.2"),
)}

# init_on_alloc, which Debian's kernels have too, lets kmemleak see leaks: otherwise memory in use keeps old links of the
# allocator and of KASAN, which point to what leaked, and a leaked object to the next one.
CHECKED_ARGUMENTS = "kasan_multi_shot", "init_on_alloc=1"

# No part of "all": each takes half an hour to compile on two CPUs, once.
CHECKED_KERNELS: Dict[str, Kernel] = {kernel.name: kernel for kernel in (
    Kernel("debug", "trixie", "lw-debug", "6.12 with KASAN, lockdep, kmemleak, UBSAN",
           config=("preempt.config", "debug.config"), machine="q35", cpus=4, memory=4096, patience=10,
           arguments=CHECKED_ARGUMENTS),
    Kernel("debug-rt", "trixie", "lw-debug-rt", "6.12 PREEMPT_RT with KASAN, lockdep, kmemleak, UBSAN",
           config=("rt.config", "debug.config"), machine="q35", cpus=4, memory=4096, patience=10,
           arguments=CHECKED_ARGUMENTS),
    Kernel("kcsan", "trixie", "lw-kcsan", "6.12 with KCSAN",
           config=("preempt.config", "kcsan.config"), machine="q35", cpus=4, memory=3072, patience=10),
)}

# No part of "all" either: modules are compiled for them, across.
ARM64_KERNELS: Dict[str, Kernel] = {kernel.name: kernel for kernel in (
    Kernel("bookworm-arm64", "bookworm", "arm64", "6.1", architecture="arm64"),
    Kernel("trixie-arm64", "trixie", "arm64", "6.12", architecture="arm64", cpus=4, patience=3),
    Kernel("sid-arm64", "sid", "arm64", "7.2", architecture="arm64"),
)}

DIRECTORY = "directory"


def directory_kernels(environment: Mapping[str, str]) -> Dict[str, Kernel]:
    """One more, of a directory that the environment names, with the user space of a suite (directory_kernel.py)."""
    directory = environment.get("LW_KERNEL_DIR")
    if not directory:
        return {}
    suite = environment.get("LW_KERNEL_SUITE") or "trixie"
    return {DIRECTORY: Kernel(DIRECTORY, suite, "", f"of {directory}", virtual_smp=False, directory=directory)}


# What guests boot.
ALL_KERNELS: Dict[str, Kernel] = {**KERNELS, **CHECKED_KERNELS,
                                  "trixie-arm64": ARM64_KERNELS["trixie-arm64"], **directory_kernels(os.environ)}

SUITES: List[str] = list(dict.fromkeys(kernel.suite for kernel in KERNELS.values()))

# Named although some are dependencies of others: what a test calls is listed.
GUEST_PACKAGES = [
    "ccache",            # for the builds in the tree, see layer.py
    "dbus",              # targetcli talks to it
    "dkms",
    "dmsetup",
    "e2fsprogs",
    "fio",
    "iproute2",          # ip, and tc for netem
    "kmod",
    "mount",
    "multipath-tools",
    "nvme-cli",
    "open-iscsi",
    "procps",
    "python3",
    "python3-pytest",
    "sg3-utils",
    "sparse",
    "targetcli-fb",
    "udev",
    "util-linux",
]


def kernels_of(suite: str) -> List[Kernel]:
    return [kernel for kernel in KERNELS.values() if kernel.suite == suite]


def guest_packages(suite: str) -> List[str]:
    return GUEST_PACKAGES + [p for kernel in kernels_of(suite) for p in kernel.packages]
