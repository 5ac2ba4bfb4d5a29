"""The layer of a kernel: the module as an administrator gets it, and the test modules.

`dkms install` of the checkout, and the modules under tests/modules/*/Kbuild compiled by the
suite's own gcc; on demand also drivers of the kernel that Debian leaves out. Keyed by
the sources, so that a second run finds it ready.
"""
import contextlib
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Iterable, List, Optional, Sequence

from tests.lib import stages

from . import cross_headers
from . import layer as layers
from .image import builders_lock
from .kernel_source import Driver
from .kernel_tree import tree_of, workshop_of
from .kernels import DIRECTORY, Kernel
from .places import CHECKOUT, cache_dir, log_file
from .progress import CommandFailed, bound_to_us, require_root, say

# What dkms gets of the checkout: nothing but what a build for one kernel reads.
MODULE_SOURCES = ["src", "Kbuild", "Makefile", "dkms.conf"]
DRIVERS_DIR = "usr/src/lw-drivers"  # in the layer
LAYER_DAYS = 7  # unused layers older than this are dropped
LAYERS = "layers/*", f"{DIRECTORY}-*"   # in the cache; the latter are copies of kernels that others have
# In the cache, too; cached() makes things beside where they go: at the top, in a tree's boot/ or extra/, in kernel-source/.
LEFT_BEHIND = "*.tmp", "chroot-*", "tmp/*", "making-*", "*/*/making-*"

DKMS_SCRIPT = """
set -e
source=/usr/src/{name}-{version}
mkdir -p "$source"
for item in {items}; do cp -a "/lw/src/$item" "$source/"; done
dkms add -m {name} -v {version}
dkms build -m {name} -v {version} -k {release} ||
	{{ cat /var/lib/dkms/{name}/{version}/build/make.log; exit 1; }}
dkms install -m {name} -v {version} -k {release}
dkms status
"""

# For another machine, which dkms does not do.
MAKE_SCRIPT = """
set -e
mkdir /tmp/module
for item in {items}; do cp -a "/lw/src/$item" /tmp/module/; done
make -C /tmp/module KVER={release} {make_arguments} all install
"""

MODULES_SCRIPT = """
set -e
for directory in {directories}; do
	rm -rf /tmp/build
	cp -a "$directory" /tmp/build
	make -C /lib/modules/{release}/build M=/tmp/build modules
	install -D -m 644 -t /lib/modules/{release}/updates/lw-tests /tmp/build/*.ko
done
depmod {release}
"""


def source_files(top: Path, items: Iterable[str]) -> List[Path]:
    """The sources under `items`, without what a build in place leaves behind."""
    found = []
    for item in items:
        path = top / item
        inside = sorted(path.rglob("*")) if path.is_dir() else [path]
        found += [f for f in inside if f.is_file() and not is_build_product(f)]
    return found


def is_build_product(path: Path) -> bool:
    return (path.suffix in (".o", ".ko", ".mod", ".cmd", ".order", ".symvers", ".pyc")
            or path.name.endswith(".mod.c"))


def test_module_directories() -> List[str]:
    return sorted(str(path.parent.relative_to(CHECKOUT)) for path in CHECKOUT.glob("tests/modules/*/Kbuild"))


def layer_key(kernel: Kernel, with_module: bool, drivers: Sequence[Driver]) -> str:
    """Changes with the sources, the scripts above, the tree and the kernel in it."""
    guest_tree = tree_of(kernel)
    recipe = [guest_tree.home.name, guest_tree.release(kernel), DKMS_SCRIPT, MAKE_SCRIPT,
              MODULES_SCRIPT, *(driver.key() for driver in drivers)]
    digest = hashlib.sha256("".join(recipe).encode())
    items = test_module_directories() + (MODULE_SOURCES if with_module else [])
    for path in source_files(CHECKOUT, items):
        digest.update(str(path.relative_to(CHECKOUT)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]


def layer(kernel: Kernel, with_module: bool = True, drivers: Sequence[Driver] = ()) -> Path:
    """The directory to stack over the kernel's tree; built first if the sources are new.

    `with_module=False` leaves out dm-latency-weighted: for work on a test module while
    the module itself does not compile. `drivers` of the kernel that Debian does not
    compile are added.
    """
    while True:
        home = cache_dir() / "layers" / f"{kernel.name}-{layer_key(kernel, with_module, drivers)}"
        if home.exists():
            os.utime(home)
            return home / "upper"
        with builders_lock(f"layer-{kernel.name}"):
            if not home.exists():
                with stages.stage("layer", kernel.name):
                    build(kernel, home, with_module, drivers)


def build(kernel: Kernel, home: Path, with_module: bool, drivers: Sequence[Driver]) -> None:
    """Fill a directory under a temporary name, then rename it: what has its name is complete."""
    require_root(f"building the layer of {kernel.name}")
    home.parent.mkdir(exist_ok=True)
    drop_old()
    building = Path(tempfile.mkdtemp(prefix=f"{home.name}.", suffix=".tmp", dir=home.parent))
    building.chmod(0o755)
    try:
        fill(kernel, building / "upper", with_module, drivers)
        unchanged = home.name.endswith(layer_key(kernel, with_module, drivers))
        if unchanged:
            building.rename(home)
    finally:
        shutil.rmtree(building, ignore_errors=True)
    if not unchanged:
        say(f"layer {kernel.name}: the sources changed meanwhile, once more")


def drop_old() -> None:
    """Layers that nothing used for long, and what sessions left that were killed."""
    oldest = time.time() - LAYER_DAYS * 86400
    for path in (path for pattern in (*LAYERS, *LEFT_BEHIND) for path in cache_dir().glob(pattern)):
        with contextlib.suppress(FileNotFoundError):    # another kernel's builder drops the same
            if path.stat().st_mtime < oldest:
                shutil.rmtree(path, ignore_errors=True)


def fill(kernel: Kernel, upper: Path, with_module: bool, drivers: Sequence[Driver]) -> None:
    workshop = workshop_of(kernel)
    release = workshop.release(kernel)
    log = log_file(f"layer-{kernel.name}.log")
    log.write_text("")
    start = time.monotonic()
    for driver in drivers:
        driver.place(kernel, upper / DRIVERS_DIR / driver.name)
    script = modules_script(release, drivers)
    if kernel.is_cross:
        script = f"export {cross_headers.MAKE_ARGUMENTS}\n{script}"
    if with_module:
        script = (make_script if kernel.is_cross else dkms_script)(release) + script
    say(f"layer {kernel.name}: compiling for {release}; log {log}")
    layers.chroot_run(workshop, upper, script, log, f"layer {kernel.name}")
    say(f"layer {kernel.name}: done in {time.monotonic() - start:.0f} s")


def dkms_conf(name: str) -> str:
    match = re.search(rf'^{name}="(.*)"$', (CHECKOUT / "dkms.conf").read_text(), re.MULTILINE)
    if not match:
        raise CommandFailed(f"dkms.conf has no {name}")
    return match.group(1)


def dkms_script(release: str) -> str:
    return DKMS_SCRIPT.format(name=dkms_conf("PACKAGE_NAME"), version=dkms_conf("PACKAGE_VERSION"),
                              items=" ".join(MODULE_SOURCES), release=release)


def make_script(release: str) -> str:
    return MAKE_SCRIPT.format(make_arguments=cross_headers.MAKE_ARGUMENTS, release=release,
                              items=" ".join(MODULE_SOURCES))


def modules_script(release: str, drivers: Sequence[Driver]) -> str:
    directories = [f"/lw/src/{directory}" for directory in test_module_directories()]
    directories += [f"/{DRIVERS_DIR}/{driver.name}" for driver in drivers]
    return MODULES_SCRIPT.format(directories=" ".join(directories), release=release)


def run_in_layer(kernel: Kernel, command: str, content: Optional[Path]) -> int:
    """Run a shell command in the chroot on a throw-away copy of the layer, output to ours."""
    with tempfile.TemporaryDirectory(dir=cache_dir(), prefix="chroot-") as scratch:
        upper = Path(scratch, "upper")
        upper.mkdir()
        if content:
            subprocess.run(["cp", "-a", f"{content}/.", str(upper)], check=True)
        argv = layers.chroot_argv(workshop_of(kernel), upper, command)
        return subprocess.run(bound_to_us(argv)).returncode
