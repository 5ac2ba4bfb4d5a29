"""Layers of packages over a suite's tree, kept in the cache: of another architecture, mostly.

They are unpacked, not configured. Not keyed by the date: remove the directory to get newer ones.
"""
import hashlib
from pathlib import Path
from typing import Callable, Sequence

from .apt import Apt
from .boot_files import cached
from .image import Tree, builders_lock
from .places import cache_dir, log_file
from .progress import require_root, run_logged

# $1 the directory of the packages, $2 the layer, then what is taken of them, by default all. In
# bookworm they have a directory lib, in whose stead dpkg-deb --extract would drop the layer's link.
EXTRACT_SCRIPT = """
debs=$1 layer=$2
shift 2
for deb in "$debs"/*.deb; do
	dpkg-deb --fsys-tarfile "$deb" | tar -x --keep-directory-symlink -C "$layer" --wildcards "$@"
done
rm "$debs"/*.deb
"""


def over(base: Tree, name: str, recipe: object, build: Callable[[Path], None]) -> Tree:
    """The layer of this recipe over `base`; built first if the cache has none."""
    key = hashlib.sha256(repr([recipe, EXTRACT_SCRIPT, base.home.name]).encode()).hexdigest()[:12]
    home = cache_dir() / f"{name}-{key}"
    if not home.exists():
        require_root(f"unpacking packages for {name}")
        with builders_lock(name):
            cached(home, build)
    return Tree(base.suite, home, base)


def empty_root(made: Path) -> Path:
    """Where a layer's packages go; with the tree's own link, as its paths are looked up here, too."""
    root = made / "root"
    root.mkdir(parents=True)
    (root / "lib").symlink_to("usr/lib")
    return root


def apt_for(suite: str, made: Path, label: str, architectures: Sequence[str]) -> Apt:
    """apt for what is being built at `made`; gone when that is done."""
    log = log_file(f"{made.name}.log")
    log.write_text("")
    apt = Apt(suite, made.parent / "apt", log, label, architectures)
    apt.get("update")
    return apt


def extract(apt: Apt, debs: Path, root: Path, *what: str) -> None:
    """Unpack all packages of a directory, or what of them matches, and remove them."""
    run_logged(["bash", "-e", "-o", "pipefail", "-c", EXTRACT_SCRIPT, "extract", str(debs),
                str(root), *what], apt.log, apt.label)
