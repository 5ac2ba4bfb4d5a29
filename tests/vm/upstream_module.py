"""The selector as the series for the kernel's tree has it (upstream/), as a module for Debian's kernel.

Made of the files of the series, and of that tree's own declarations of the interface, as Debian's source
package of the kernel has them.
"""
# promise lifecycle/upstream-selector: The selector of that series steers, and survives failures and hangs, as the
#   module does | by: guest tests marked `upstream` | check: no | full: `guests-sid`

import hashlib
import shutil
from pathlib import Path

from upstream import series, sources

from . import kernel_source
from .kernels import Kernel

# Besides what the series touches: what checkpatch wants to see of a tree, and reads.
FILES = ["COPYING", "CREDITS", "Kbuild", "Makefile", "README", "scripts/checkpatch.pl", "scripts/spelling.txt",
         "scripts/const_structs.checkpatch"]
DIRECTORIES = ["arch", "fs", "include", "init", "ipc", "kernel", "lib"]

# Beside the driver's own Makefile, and taken in place of it.
KBUILD = """\
CONFIG_DM_MULTIPATH_LW := m
include $(src)/Makefile
"""


def linux(kernel: Kernel) -> Path:
    """As much of the kernel's tree as the series and checkpatch need; downloaded once."""
    def make(scratch: Path, made: Path) -> None:
        wanted = FILES + series.TOUCHED + series.INTERFACE
        kernel_source.unpack(kernel, scratch, "a part of the tree", *wanted)
        for name in wanted:
            (made / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.move(str(scratch / name), str(made / name))
        for name in DIRECTORIES:
            (made / name).mkdir()
    return kernel_source.kept(kernel, "tree", make)


class UpstreamModule:
    """Takes the place of a kernel_source.Driver in a layer."""
    name = "dm-latency-weighted"

    def key(self) -> str:
        return hashlib.sha256(repr([KBUILD, sources.driver_files()]).encode()).hexdigest()

    def place(self, kernel: Kernel, directory: Path) -> None:
        """Make a directory in which it can be compiled as a module."""
        for name, text in sources.driver_files().items():
            path = directory / Path(name).relative_to(sources.DRIVER)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        for name in series.INTERFACE:
            shutil.copy(linux(kernel) / name, directory)
        (directory / "Kbuild").write_text(KBUILD)
