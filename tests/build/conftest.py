"""Every build test runs once per kernel of --suite, in a chroot of that kernel's tree."""
import os
import re
import shutil
import tempfile
from pathlib import Path

import pytest

from tests.build import made
from tests.vm import compiled_kernel, cross_headers, image, layer, matrix
from tests.vm.image import Tree
from tests.vm.kernels import ARM64_KERNELS, KERNELS
from tests.vm.places import cache_dir, log_file

HERE = Path(__file__).parent
SOURCES = "src Kbuild Makefile dkms.conf tools/still-used"
ALL_KERNELS = {**KERNELS, **ARM64_KERNELS}
KERNELS_OF = {
    "test_compile.py": ALL_KERNELS,
    "test_stand_ins.py": KERNELS,   # as they are x86-64's sizes of structures
    "test_gendwarfksyms.py": {matrix.NEWEST: KERNELS[matrix.NEWEST]},   # the first Debian's with that program in its source
    "test_install.py": KERNELS,     # dkms and depmod act for the machine they run on
    "test_packages.py": KERNELS,    # and so do dpkg and mkinitramfs
    "test_kmod.py": KERNELS,        # and rpm
    "test_ppa.py": {name: KERNELS[name] for name in ("bullseye", "bookworm")},
    "test_debian.py": {matrix.NEWEST: KERNELS[matrix.NEWEST]},
    "test_autopkgtest.py": KERNELS,
    "test_multipath_conf.py": {name: kernel for name, kernel in KERNELS.items() if name == kernel.suite},
    "test_cross.py": ARM64_KERNELS,
    "test_upstream.py": {matrix.NEWEST: KERNELS[matrix.NEWEST]},
    "test_upstream_tree.py": {matrix.NEWEST: KERNELS[matrix.NEWEST]},
}
# Of those, what make check has: the two ends, each of which has what the other lacks of dkms and dpkg.
IN_CHECK = {
    "test_compile.py": [matrix.OLDEST, matrix.NEWEST],
    "test_stand_ins.py": [matrix.OLDEST],   # it has checksums
    "test_gendwarfksyms.py": [],
    "test_install.py": [matrix.NEWEST],
    "test_packages.py": [matrix.OLDEST],
    "test_kmod.py": [matrix.OLDEST],        # its rpm is the one of RHEL 9
    "test_ppa.py": [matrix.OLDEST],
    "test_debian.py": [],                   # the host's lintian has looked, and this one is large
    "test_autopkgtest.py": [matrix.NEWEST],
    "test_multipath_conf.py": [name for name, kernel in KERNELS.items() if name == kernel.suite],
    "test_cross.py": [],
    "test_upstream.py": [matrix.NEWEST],
    "test_upstream_tree.py": [],
}

CLOCK_SET_BACK = "Clock skew detected|has modification time .* in the future"


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
        # dkms 2.8 sets a PATH of its own, in which ccache would be missing.
        self.run("sed -i 's|^PATH=\"/bin:|PATH=\"/usr/lib/ccache:/bin:|' /usr/sbin/dkms")

    def run(self, script):
        """Run a shell script; (exit status, what it printed)."""
        log = log_file(f"build-{self.kernel.name}.log")
        start = log.stat().st_size if log.exists() else 0
        status = layer.chroot_run(self.tree, self.upper, script, log=log, check=False,
                                  label=self.kernel.name)
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
            cp -r --parents {SOURCES} /root/module
            cd /root/module
            {prepare}
            make -j{os.cpu_count()} KVER={self.release} {self.make_arguments} {arguments} 2>&1""")

    def configured_kernel(self, tools, options, log, label):
        """The kernel's source and what it is compiled with, in place of what was there, configured; as a tree."""
        made = Tree(self.kernel.suite, self.home, self.tree)
        made.root.mkdir()
        self.upper = made.root
        (made.root / "lib").symlink_to("usr/lib")
        compiled_kernel.download(self.kernel, made, tools, self.home / "apt", log, label)
        compiled_kernel.configure(made, options.read_text(), log, label)
        return made

    def version(self):
        """Of the module, as dkms.conf has it."""
        status, output = self.run(r"sed -n 's/^PACKAGE_VERSION=\"\(.*\)\"/\1/p' /lw/src/dkms.conf")
        assert status == 0
        return output.strip()

    def installed_at(self):
        """Where modprobe would find the module, or ''."""
        _, output = self.run(f"modinfo -k {self.release} -F filename dm-latency-weighted")
        return output.strip() if output.startswith("/") else ""

    @staticmethod
    def complaints(output):
        """Of the compiler and of sparse, and modpost's, which are in capitals; but not make's of the clock."""
        return [line for line in output.splitlines()
                if re.search(r"\b(warning|error)\b", line, re.I) and not re.search(CLOCK_SET_BACK, line)]


def chosen_kernels(config, file):
    """Those of --suite for which there is something in the file; arm64 only if asked for."""
    suites = config.getoption("suite") or ["all"]
    meant = {"all": matrix.thoroughly(config, HERE, *IN_CHECK[file.name]), "arm64": list(ARM64_KERNELS)}
    chosen = [name for suite in suites for name in meant.get(suite, [suite])]
    return [name for name in KERNELS_OF[file.name] if name in chosen]


def pytest_configure(config):
    if matrix.asked_for(config, HERE) and not any(chosen_kernels(config, Path(name)) for name in KERNELS_OF):
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


@pytest.fixture(scope="session")
def packages():
    """Each file that make wrote for the packages, by its name."""
    return made.make_packages()
