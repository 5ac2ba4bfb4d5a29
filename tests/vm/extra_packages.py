"""Packages for some tests only, larger than all others need: as an image to stack over a tree, in which they are
unpacked, not configured, as for programs and their libraries is enough; or as files for dpkg, for what asks it.
"""
import hashlib
import shutil
from pathlib import Path
from typing import Sequence

from . import layer
from .apt import Apt
from .boot_files import cached
from .image import Tree, tree
from .places import log_file
from .progress import run_logged, say

UNPACK = """
for deb in "$1"/*.deb; do dpkg-deb --extract "$deb" "$2"; done
rm -rf "$2/usr/share/doc" "$2/usr/share/man" "$2/usr/share/locale"
"""


def image(suite: str, packages: Sequence[str]) -> Path:
    """A squashfs of the packages and of what they need beyond the tree; downloaded once."""
    base = tree(suite)
    return cached(base.home / "extra" / f"{key([sorted(packages), UNPACK])}.squashfs",
                  lambda made: make(base, packages, made))


def debs(suite: str, packages: Sequence[str]) -> Path:
    """A directory of the same, for dpkg to install; downloaded once."""
    base = tree(suite)

    def fill(made: Path) -> None:
        apt = apt_in(made.parent, base, packages)
        download(apt, base, packages)
        shutil.copytree(apt.top / "archives", made, ignore=shutil.ignore_patterns("partial", "lock"))

    return cached(base.home / "extra" / f"{key([sorted(packages)])}.debs", fill)


def key(recipe: list) -> str:
    return hashlib.sha256(repr(recipe).encode()).hexdigest()[:12]


def make(base: Tree, packages: Sequence[str], made: Path) -> None:
    content = made.parent / "content"
    content.mkdir()
    unpack(apt_in(made.parent, base, packages), base, packages, content)
    layer.pack(content, made)


def apt_in(scratch: Path, base: Tree, packages: Sequence[str]) -> Apt:
    label = f"{base.suite}: {', '.join(packages)}"
    log = log_file(f"extra-packages-{base.suite}.log")
    log.write_text("")
    say(f"{label}: downloading; log {log}")
    apt = Apt(base.suite, scratch / "apt", log, label)
    apt.get("update")
    return apt


def download(apt: Apt, base: Tree, packages: Sequence[str]) -> None:
    """The packages and what they need beyond the tree."""
    shutil.copyfile(base.root / "var/lib/dpkg/status", apt.top / "status")
    apt.get("install", "--yes", "--download-only", *packages)


def unpack(apt: Apt, base: Tree, packages: Sequence[str], content: Path) -> None:
    """Fill a directory with the packages and what they need beyond the tree."""
    download(apt, base, packages)
    run_logged(["sh", "-e", "-c", UNPACK, "unpack", str(apt.top / "archives"), str(content)],
               apt.log, apt.label)
