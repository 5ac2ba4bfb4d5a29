"""Guest trees: one directory per Debian suite, made by mmdebstrap, kept in the cache.

A tree serves twice: as a chroot in which modules are compiled at native speed
(layer.py), and, packed as an uncompressed squashfs, as the guests' root. (Over
9p, each file a guest opens costs it a millisecond under TCG; packing takes two
seconds once.)
"""
import contextlib
import fcntl
import hashlib
import json
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, Iterator, List, Optional

from tests.lib import stages

from .kernels import Kernel, guest_packages
from .places import cache_dir, log_file
from .progress import INTERVAL, CommandFailed, require_root, run_logged, say

RECIPE = 1  # raise it to rebuild all trees although no option below changed
DPKG_OPTIONS = [
    "force-unsafe-io",
    "path-exclude=/usr/share/doc/*",
    "path-exclude=/usr/share/man/*",
    "path-exclude=/usr/share/locale/*",
    # the harness brings its own initramfs; making Debian's takes most of a minute
    "path-exclude=/etc/kernel/postinst.d/initramfs-tools",
]
APT_OPTIONS = [
    'APT::Install-Recommends "false"',
    'Acquire::Languages "none"',
    # mirrors and frozen copies of sid may be days old
    'Acquire::Check-Valid-Until "false"',
    'Acquire::Retries "3"',
]
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"


@dataclass(frozen=True)
class Tree:
    """A finished tree in the cache; or a layer in it, with a kernel of its own, over a tree."""
    suite: str
    home: Path
    base: Optional["Tree"] = None

    @property
    def root(self) -> Path:
        return self.home / "root"

    @property
    def squashfs(self) -> Path:
        return self.home / "root.squashfs"

    @property
    def roots(self) -> List[Path]:
        """What is stacked, the uppermost first."""
        return [self.root] + (self.base.roots if self.base else [])

    @property
    def images(self) -> List[Path]:
        """The same for a guest, the lowermost first."""
        return (self.base.images if self.base else []) + [self.squashfs]

    def releases(self) -> List[str]:
        """`uname -r` of every kernel in the tree."""
        return sorted(path.name for path in (self.root / "lib/modules").iterdir())

    def release(self, kernel: Kernel) -> str:
        found = [release for release in self.releases() if kernel.owns(release)]
        if len(found) != 1:
            raise CommandFailed(f"{self.root}: expected one {kernel.name} kernel, found {found}")
        return found[0]

    def vmlinuz(self, kernel: Kernel) -> Path:
        return self.root / "boot" / f"vmlinuz-{self.release(kernel)}"


def recipe_hash(suite: str) -> str:
    recipe = [RECIPE, suite, guest_packages(suite), DPKG_OPTIONS, APT_OPTIONS]
    return hashlib.sha256(json.dumps(recipe).encode()).hexdigest()[:12]


def tree(suite: str) -> Tree:
    """The suite's tree, built first if the cache has none."""
    wanted = Tree(suite, cache_dir() / f"{suite}-{recipe_hash(suite)}")
    if wanted.home.exists():
        return wanted
    require_root(f"building the guest tree of {suite}")
    with builders_lock(suite):
        if not wanted.home.exists():
            with stages.stage("tree", suite):
                build(wanted)
    return wanted


@contextlib.contextmanager
def builders_lock(name: str) -> Iterator[None]:
    """One builder at a time; the others wait and then find it finished."""
    start = next_sign = time.monotonic()
    with (cache_dir() / f"{name}.lock").open("w") as lock:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= next_sign:
                    next_sign = time.monotonic() + INTERVAL
                    say(f"{name}: somebody else builds it, "
                        f"waiting since {time.monotonic() - start:.0f} s")
                time.sleep(0.5)
        yield


def build(wanted: Tree) -> None:
    """Build under a temporary name and rename: a tree that has its name is complete."""
    log = log_file(f"tree-{wanted.suite}.log")
    log.write_text("")
    for leftover in cache_dir().glob(f"{wanted.suite}-*.tmp"):
        shutil.rmtree(leftover)
    building = Tree(wanted.suite, wanted.home.with_name(wanted.home.name + ".tmp"))
    building.home.mkdir()
    start = time.monotonic()
    say(f"tree {wanted.suite}: downloading and unpacking, about 2 minutes; log {log}")
    run_logged(mmdebstrap(building), log, f"tree {wanted.suite}")
    run_logged(["mksquashfs", str(building.root), str(building.squashfs), "-noI", "-noD", "-noF",
                "-noX", "-no-xattrs", "-no-progress", "-quiet"], log, f"tree {wanted.suite}: pack")
    building.home.rename(wanted.home)
    say(f"tree {wanted.suite}: done in {time.monotonic() - start:.0f} s, {wanted.home}")


def mmdebstrap(building: Tree) -> List[str]:
    options = [f"--dpkgopt={option}" for option in DPKG_OPTIONS]
    options += [f"--aptopt={option}" for option in APT_OPTIONS + host_proxies()]
    # In namespaces of its own: an interrupted build leaves neither mounts nor processes. Verbose, since it says nothing
    # else while it downloads, however long that takes, and run_logged() takes silence for a hang.
    return ["unshare", "--mount", "--propagation", "private", "--pid", "--fork", "--kill-child",
            "--mount-proc", "mmdebstrap", "--verbose", "--variant=essential", "--mode=root",
            "--format=directory", *options,
            f"--include={','.join(guest_packages(building.suite))}",
            '--customize-hook=mkdir -p "$1/lw/src" "$1/lw/out" "$1/lw/ccache"',
            building.suite, str(building.root), *sources(building.suite)]


def sources(suite: str) -> List[str]:
    """The suite's sources.list lines, from the mirrors the host itself uses."""
    mirrors = host_mirrors()
    lines = []
    for kind, name in (("main", suite), ("security", f"{suite}-security")):
        serving = next((uri for uri in mirrors[kind] if serves(uri, name)), None)
        if serving:
            lines.append(f"deb [signed-by={KEYRING}] {serving} {name} main")
        elif kind == "main":
            raise CommandFailed(f"none of the host's apt sources {mirrors['main']} has {suite}")
    return lines


def host_mirrors() -> Dict[str, List[str]]:
    """URIs in the host's apt configuration, as apt itself understands it (.list and deb822)."""
    listing = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE) $(COMPONENT)",
         "Created-By: Packages"], check=True, text=True, stdout=subprocess.PIPE).stdout
    found: Dict[str, Dict[str, None]] = {"main": {}, "security": {}}
    for line in listing.splitlines():
        uri, release, component = line.split()
        if component == "main":
            is_security = release.endswith("-security")
            found["security" if is_security else "main"][uri] = None
    return {kind: list(uris) for kind, uris in found.items()}


def serves(uri: str, suite: str) -> bool:
    """Does this repository have the suite, and is it Debian's? Asked through apt's own client."""
    with tempfile.TemporaryDirectory() as scratch:
        release = Path(scratch, "InRelease")
        answer = subprocess.run(
            ["/usr/lib/apt/apt-helper", "download-file", f"{uri.rstrip('/')}/dists/{suite}/InRelease",
             str(release)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return answer.returncode == 0 and "Origin: Debian\n" in release.read_text(errors="replace")


def host_proxies() -> List[str]:
    """mmdebstrap does not read the host's apt.conf, so hand the proxies on."""
    dump = subprocess.run(["apt-config", "dump"], check=True, text=True, stdout=subprocess.PIPE).stdout
    return [line.rstrip(";") for line in dump.splitlines()
            if line.startswith("Acquire::") and "::Proxy " in line]
