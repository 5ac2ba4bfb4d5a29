"""Files of the kernel's tree, from Debian's own source package: drivers that Debian does not compile, and the
selectors that ours is compared with.

Only what is needed is kept, in the cache, keyed by the kernel's release; the package
itself (150 MB) goes as soon as that is taken out.
"""
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

from .apt import Apt
from .boot_files import cached
from .image import tree
from .kernels import Kernel
from .places import cache_dir, log_file
from .progress import CommandFailed, run_logged, say


@dataclass(frozen=True)
class Driver:
    """A module of one source file."""
    name: str    # what modprobe takes
    source: str  # where it is in the kernel's tree

    def key(self) -> str:
        """Changes with what it is."""
        return repr(self)

    def place(self, kernel: Kernel, directory: Path) -> None:
        """Make a directory in which it can be compiled as a module."""
        shutil.copytree(fetch(kernel, self), directory)


# One version of them for all that is compared on the host; the guests' kernels bring their own.
PEERS_SUITE, PEERS_PACKAGE, PEERS = "trixie", "linux-source-6.12", "drivers/md/dm-ps-*.c"

# $1 package, then what of the kernel's tree; nothing for all of it
EXTRACT_SCRIPT = """
package=$1
shift
dpkg-deb --fsys-tarfile "$package"_*.deb | tar -xO --wildcards './usr/src/linux-source-*.tar.xz' |
	tar -xJ --strip-components=1 --wildcards --no-wildcards-match-slash "$@"
"""


def kept(kernel: Kernel, name: str, make: Callable[[Path, Path], None]) -> Path:
    """A directory in the cache; made once by `make`, of a scratch directory and an empty one to fill."""
    home = cache_dir() / "kernel-source" / tree(kernel.suite).release(kernel)
    home.parent.mkdir(exist_ok=True)

    def fill(made: Path) -> None:
        made.mkdir()
        make(made.parent, made)

    return cached(home / name, fill)


def fetch(kernel: Kernel, driver: Driver) -> Path:
    """A directory in which the driver can be compiled as a module; downloaded once."""
    def make(scratch: Path, made: Path) -> None:
        directory = str(Path(driver.source).parent)
        unpack(kernel, scratch, driver.name, f"{directory}/*.h", driver.source)
        source = scratch / driver.source
        if not source.exists():
            raise CommandFailed(f"the source package of {kernel.name} has no {driver.source}")
        gather(source, made)
        (made / "Kbuild").write_text(f"obj-m := {driver.name}.o\n"
                                     f"{driver.name}-y := {Path(driver.source).stem}.o\n")
    return kept(kernel, driver.name, make)


def package(kernel: Kernel) -> str:
    """The source package of the suite's kernels."""
    major, minor = tree(kernel.suite).releases()[0].split(".")[:2]
    return f"linux-source-{major}.{minor}"


def unpack(kernel: Kernel, scratch: Path, what: str, *members: str) -> None:
    """Download the package and unpack what is named of the kernel's tree, or all of it, in `scratch`."""
    unpack_package(kernel.suite, package(kernel), scratch, what, *members)


def path_selectors() -> Path:
    """A directory with the kernel's own selectors, dm-ps-*.c; downloaded once. Needs no root and no guest's tree."""
    def fill(made: Path) -> None:
        unpack_package(PEERS_SUITE, PEERS_PACKAGE, made.parent, "path selectors", PEERS)
        shutil.move(str((made.parent / PEERS).parent), str(made))

    home = cache_dir() / "kernel-source" / PEERS_PACKAGE
    home.parent.mkdir(exist_ok=True)
    return cached(home / "path-selectors", fill)


def unpack_package(suite: str, name: str, scratch: Path, what: str, *members: str) -> None:
    """The same of a package that is known by name."""
    log = log_file(f"{name}-{suite}.log")
    log.write_text("")
    label = f"{what} from {name}"
    say(f"{label}: downloading 150 MB; log {log}")
    apt = Apt(suite, scratch, log, label)
    apt.get("update")
    apt.get("download", name)
    run_logged(["env", f"--chdir={scratch}", "bash", "-o", "pipefail", "-c", EXTRACT_SCRIPT,
                "extract", name, *(f"linux-source-*/{member}" for member in members)], log, label)


def gather(source: Path, made: Path) -> None:
    """Copy the file and what it includes of its own directory, and so on."""
    if (made / source.name).exists():
        return
    shutil.copy(source, made)
    for header in re.findall(r'^#include "([^"/]+)"', source.read_text(), re.MULTILINE):
        gather(source.with_name(header), made)
