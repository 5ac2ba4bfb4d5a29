"""Every build test runs once per kernel of --suite, in a chroot of that kernel's tree."""
import os
import re
import shutil
import tempfile
from pathlib import Path

import pytest

from tests.vm import cross_headers, image, layer
from tests.vm.kernels import ARM64_KERNELS, KERNELS
from tests.vm.places import cache_dir, log_file

SOURCES = "src Kbuild Makefile dkms.conf LICENSE"
ALL_KERNELS = {**KERNELS, **ARM64_KERNELS}
KERNELS_OF = {
    "test_compile.py": ALL_KERNELS,
    "test_install.py": KERNELS,     # dkms and depmod act for the machine they run on
    "test_cross.py": ARM64_KERNELS,
}


class Workshop:
    """A chroot with a kernel's headers and its distribution's compiler."""

    def __init__(self, kernel):
        self.kernel = kernel
        self.is_cross = kernel.is_cross
        self.tree = cross_headers.tree_of(kernel) if self.is_cross else image.tree(kernel.suite)
        self.make_arguments = cross_headers.MAKE_ARGUMENTS if self.is_cross else ""
        self.objdump = f"{cross_headers.PREFIX if self.is_cross else ''}objdump"
        self.release = self.tree.release(kernel)
        (cache_dir() / "tmp").mkdir(exist_ok=True)
        # of its own, since other checkouts share the cache
        self.home = Path(tempfile.mkdtemp(prefix=f"build-{kernel.name}-", dir=cache_dir() / "tmp"))
        self.upper = self.home / "upper"

    def run(self, script, timeout=300):
        """Run a shell script; (exit status, what it printed)."""
        log = log_file(f"build-{self.kernel.name}.log")
        start = log.stat().st_size if log.exists() else 0
        status = layer.chroot_run(self.tree, self.upper, script, log=log, check=False,
                                  label=f"{self.kernel.name}", timeout=timeout)
        with open(log, errors="replace") as file:
            file.seek(start)
            return status, file.read()

    def make(self, arguments="", prepare=""):
        """Compile a copy of the sources, changed by the shell commands `prepare`."""
        return self.run(f"""
            set -e
            rm -rf /root/module
            mkdir /root/module
            cd /lw/src
            cp -r {SOURCES} /root/module
            cd /root/module
            {prepare}
            make -j{os.cpu_count()} KVER={self.release} {self.make_arguments} {arguments} 2>&1""")

    @staticmethod
    def complaints(output):
        """Of the compiler and of sparse, and modpost's, which are in capitals."""
        return [line for line in output.splitlines() if re.search(r"\b(warning|error)\b", line, re.I)]


def named(config):
    """Were these tests asked for, and not all?"""
    here = Path(__file__).parent
    paths = [(config.invocation_params.dir / word.split("::")[0]).resolve() for word in config.args]
    return any(here in (path, *path.parents) for path in paths)


def kernels_of_all(config):
    """What `all` means: among all tests, as in make check, the oldest and the newest of Debian's."""
    names = list(KERNELS)
    return names if named(config) or config.getoption("long") else [names[0], names[-1]]


def chosen_kernels(config, file):
    """Those of --suite for which there is something in the file; arm64 only if asked for."""
    suites = config.getoption("suite") or ["all"]
    meant = {"all": kernels_of_all(config), "arm64": list(ARM64_KERNELS)}
    chosen = [name for suite in suites for name in meant.get(suite, [suite])]
    return [name for name in KERNELS_OF[file.name] if name in chosen]


def pytest_configure(config):
    if named(config) and not any(chosen_kernels(config, Path(name)) for name in KERNELS_OF):
        raise pytest.UsageError(f"builds are tested on Debian's kernels: {', '.join(ALL_KERNELS)}")


def pytest_ignore_collect(collection_path, config):
    if collection_path.name in KERNELS_OF and not chosen_kernels(config, collection_path):
        return True
    return None


def pytest_generate_tests(metafunc):
    if "workshop" in metafunc.fixturenames:
        names = chosen_kernels(metafunc.config, Path(metafunc.module.__file__))
        metafunc.parametrize("workshop", names, indirect=True, scope="module")


@pytest.fixture(scope="module")
def workshop(request):
    shop = Workshop(ALL_KERNELS[request.param])
    yield shop
    shutil.rmtree(shop.home)
