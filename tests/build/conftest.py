"""Every build test runs once per kernel of --suite, in a chroot of that kernel's tree."""
import os
import shutil
import tempfile
from pathlib import Path

import pytest

from tests.vm import image, layer
from tests.vm.kernels import KERNELS
from tests.vm.places import cache_dir, log_file

SOURCES = "src Kbuild Makefile dkms.conf LICENSE"


class Workshop:
    """A chroot with a kernel's headers and its distribution's compiler."""

    def __init__(self, kernel):
        self.kernel = kernel
        self.tree = image.tree(kernel.suite)
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
            make -j{os.cpu_count()} KVER={self.release} {arguments} 2>&1""")


def kernels_of(config):
    chosen = config.getoption("suite") or ["all"]
    return [name for name in KERNELS if "all" in chosen or name in chosen]


def named(config):
    """Were these tests asked for, and not all?"""
    here = Path(__file__).parent
    paths = [(config.invocation_params.dir / word.split("::")[0]).resolve() for word in config.args]
    return any(here in (path, *path.parents) for path in paths)


def pytest_configure(config):
    if named(config) and not kernels_of(config):
        raise pytest.UsageError(f"builds are tested on Debian's kernels: {', '.join(KERNELS)}")


def pytest_generate_tests(metafunc):
    if "workshop" in metafunc.fixturenames:
        metafunc.parametrize("workshop", kernels_of(metafunc.config), indirect=True, scope="module")


@pytest.fixture(scope="module")
def workshop(request):
    shop = Workshop(KERNELS[request.param])
    yield shop
    shutil.rmtree(shop.home)
