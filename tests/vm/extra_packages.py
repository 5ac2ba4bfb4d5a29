"""Packages for some tests only, as an image to stack over a tree: larger than all others need.

They are unpacked, not configured, as for programs and their libraries is enough.
"""
import hashlib
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
    key = hashlib.sha256(repr([sorted(packages), UNPACK]).encode()).hexdigest()[:12]
    return cached(base.home / "extra" / f"{key}.squashfs",
                  lambda made: make(base, packages, made))


def make(base: Tree, packages: Sequence[str], made: Path) -> None:
    label = f"{base.suite}: {', '.join(packages)}"
    log = log_file(f"extra-packages-{base.suite}.log")
    log.write_text("")
    say(f"{label}: downloading; log {log}")
    content = made.parent / "content"
    content.mkdir()
    apt = Apt(base.suite, made.parent / "apt", log, label)
    apt.get("update")
    unpack(apt, base, packages, content)
    layer.pack(content, made)


def unpack(apt: Apt, base: Tree, packages: Sequence[str], content: Path) -> None:
    """Fill a directory with the packages and what they need beyond the tree."""
    apt.get("install", "--yes", "--download-only",
            f"--option=Dir::State::status={base.root}/var/lib/dpkg/status", *packages)
    run_logged(["sh", "-e", "-c", UNPACK, "unpack", str(apt.top / "archives"), str(content)],
               apt.log, apt.label)
