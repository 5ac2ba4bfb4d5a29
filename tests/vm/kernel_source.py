"""Drivers of the kernel that Debian does not compile, from Debian's own source package.

Only the driver and the private headers it needs are kept, in the cache, keyed by the
kernel's release; the package itself (150 MB) goes as soon as they are taken out.
"""
import re
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from .apt import Apt
from .image import tree
from .kernels import Kernel
from .places import cache_dir, log_file
from .progress import CommandFailed, run_logged, say


@dataclass(frozen=True)
class Driver:
    """A module of one source file."""
    name: str    # what modprobe takes
    source: str  # where it is in the kernel's tree


# $1 package, $2 the driver's directory in the kernel's tree, $3 its file
EXTRACT_SCRIPT = """
dpkg-deb --fsys-tarfile "$1"_*.deb | tar -xO --wildcards './usr/src/linux-source-*.tar.xz' |
	tar -xJ --strip-components=1 --wildcards "linux-source-*/$2/*.h" "linux-source-*/$2/$3"
"""


def fetch(kernel: Kernel, driver: Driver) -> Path:
    """A directory in which the driver can be compiled as a module; downloaded once."""
    home = cache_dir() / "kernel-source" / tree(kernel.suite).release(kernel) / driver.name
    if home.exists():
        return home
    home.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache_dir(), prefix="source-") as scratch:
        made = Path(scratch, "made")
        made.mkdir()
        source = unpacked(kernel, driver, Path(scratch)) / Path(driver.source).name
        if not source.exists():
            raise CommandFailed(f"the source package of {kernel.name} has no {driver.source}")
        gather(source, made)
        (made / "Kbuild").write_text(f"obj-m := {driver.name}.o\n"
                                     f"{driver.name}-y := {Path(driver.source).stem}.o\n")
        if not home.exists():  # somebody else may have been as quick
            made.rename(home)
    return home


def package(kernel: Kernel) -> str:
    """The source package of the suite's kernels."""
    major, minor = tree(kernel.suite).releases()[0].split(".")[:2]
    return f"linux-source-{major}.{minor}"


def unpacked(kernel: Kernel, driver: Driver, scratch: Path) -> Path:
    """The driver's directory of the kernel's tree: its file and all headers."""
    name = package(kernel)
    log = log_file(f"kernel-source-{kernel.name}.log")
    log.write_text("")
    label = f"{driver.name} from {name}"
    say(f"{label}: downloading 150 MB; log {log}")
    apt = Apt(kernel.suite, scratch, log, label)
    apt.get("update")
    apt.get("download", name)
    source = Path(driver.source)
    run_logged(["env", f"--chdir={scratch}", "bash", "-o", "pipefail", "-c", EXTRACT_SCRIPT,
                "extract", name, str(source.parent), source.name], log, label)
    return scratch / source.parent


def gather(source: Path, made: Path) -> None:
    """Copy the file and what it includes of its own directory, and so on."""
    if (made / source.name).exists():
        return
    shutil.copy(source, made)
    for header in re.findall(r'^#include "([^"/]+)"', source.read_text(), re.MULTILINE):
        gather(source.with_name(header), made)
