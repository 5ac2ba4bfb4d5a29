"""The series as git makes it: each patch a commit in a scratch repository of what it touches."""
import os
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Callable, Dict, List, NamedTuple

from . import page, sources
from .edits import NotFound, inserted_before, replaced

PAGE = "Documentation/admin-guide/device-mapper/dm-latency-weighted.rst"
INDEX = "Documentation/admin-guide/device-mapper/index.rst"
KCONFIG, MAKEFILE, MAINTAINERS = "drivers/md/Kconfig", "drivers/md/Makefile", "MAINTAINERS"
TOUCHED = [MAINTAINERS, INDEX, KCONFIG, MAKEFILE]
# What a series in another tree cannot do without.
INTERFACE = ["drivers/md/dm-path-selector.h", "drivers/md/dm-mpath.h"]
TITLE = "DEVICE-MAPPER LATENCY-WEIGHTED PATH SELECTOR"
MESSAGES = Path(__file__).parent / "messages"

# git's environment without the user's settings, which are for other work
NO_SETTINGS = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}

Files = Dict[str, str]  # by their place in the kernel's tree


class Patch(NamedTuple):
    message: str                        # its file in messages/
    change: Callable[[Files, str], Files]  # of the touched files so far, and the author: the new ones


def entry(author: str, *places: str) -> str:
    """Of MAINTAINERS."""
    lines = [TITLE, f"M:\t{author}", "L:\tdm-devel@lists.linux.dev", "S:\tMaintained"]
    return "\n".join(lines + [f"F:\t{place}" for place in sorted(places)]) + "\n\n"


def with_entry(text: str, new: str) -> str:
    """MAINTAINERS with an entry at its place among those of the device mapper."""
    titles = re.findall(r"(?<=\n\n)DEVICE-MAPPER [A-Z].*", text)
    after = next((title for title in titles if title > TITLE), None)
    if not after:
        raise NotFound(f"{MAINTAINERS} has no entry of the device mapper before which {TITLE} goes")
    return inserted_before(text, after, new)


def with_place(text: str, old: str, *new: str) -> str:
    """The entry with other files in place of one."""
    return replaced(text, f"\nF:\t{old}\n", "".join(f"\nF:\t{place}" for place in new) + "\n")


def model(files: Files, author: str) -> Files:
    headers = {name: text for name, text in sources.driver_files().items() if "/model/" in name}
    return {**headers, MAINTAINERS: with_entry(files[MAINTAINERS], entry(author, f"{sources.DRIVER}/model/"))}


def selector(files: Files, _: str) -> Files:
    code = {name: text for name, text in sources.driver_files().items() if "/model/" not in name}
    selectors = re.findall(r"^obj-\$\(CONFIG_DM_MULTIPATH.*\n", files[MAKEFILE], re.MULTILINE)
    options = re.search(r"^config DM_MULTIPATH_IOA\n(?:(?!config ).*\n)*", files[KCONFIG], re.MULTILINE)
    if not selectors or not options:
        raise NotFound(f"{MAKEFILE} or {KCONFIG} has no path selectors after which this one goes")
    option = (sources.TREE / "Kconfig").read_text()
    return {**code,
            MAKEFILE: replaced(files[MAKEFILE], selectors[-1],
                               selectors[-1] + "obj-$(CONFIG_DM_MULTIPATH_LW)\t+= dm-latency-weighted/\n"),
            KCONFIG: replaced(files[KCONFIG], options[0], options[0] + option),
            MAINTAINERS: with_place(files[MAINTAINERS], f"{sources.DRIVER}/model/", f"{sources.DRIVER}/")}


def documentation(files: Files, _: str) -> Files:
    pages = re.findall(r"^    (\S+)$", files[INDEX].split(":maxdepth:")[-1], re.MULTILINE)
    name = Path(PAGE).stem
    after = next((other for other in pages if other > name), None)
    if not after:
        raise NotFound(f"{INDEX} has no page before which {name} goes")
    return {PAGE: page.text(),
            INDEX: inserted_before(files[INDEX], f"    {after}", f"    {name}\n"),
            MAINTAINERS: with_place(files[MAINTAINERS], f"{sources.DRIVER}/", PAGE, f"{sources.DRIVER}/")}


PATCHES = [Patch("1-model", model), Patch("2-selector", selector), Patch("3-documentation", documentation)]


def read(linux: Path) -> Files:
    """What the series changes in a tree; LookupError if that is none that it knows."""
    for name in TOUCHED + INTERFACE:
        if not (linux / name).is_file():
            raise NotFound(f"{linux} is no kernel tree with device-mapper multipath: it has no {name}")
    if (linux / sources.DRIVER).exists():
        raise NotFound(f"{linux} has {sources.DRIVER} already: wanted a tree without")
    return {name: (linux / name).read_text() for name in TOUCHED}


def kernel_version(linux: Path) -> str:
    """As the tree's Makefile says, for the cover letter."""
    words = dict(re.findall(r"^(VERSION|PATCHLEVEL|SUBLEVEL) = (\d+)$", (linux / "Makefile").read_text(), re.MULTILINE))
    return ".".join(words[word] for word in ("VERSION", "PATCHLEVEL", "SUBLEVEL") if word in words)


def message(name: str, author: str) -> str:
    return f"{(MESSAGES / f'{name}.txt').read_text().strip()}\n\nSigned-off-by: {author}\n"


def git(home: Path, *words: str, author: str) -> str:
    name, _, address = author.rstrip(">").partition(" <")
    identity = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER")
                for what, value in (("NAME", name), ("EMAIL", address))}
    done = subprocess.run(["git", "-C", str(home), *words], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env={**os.environ, **identity, **NO_SETTINGS})
    if done.returncode:
        raise OSError(f"git {words[0]}: {done.stderr.strip()}")
    return done.stdout


def write(linux: Path, out: Path, author: str) -> List[Path]:
    """Make the series against a tree, in an empty or new directory; the patches, the cover letter first."""
    files = read(linux)
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise NotFound(f"{out} has something already: wanted a new directory, or an empty one")
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch)
        git(home, "init", "--quiet", "--initial-branch=latency-weighted", author=author)
        commit(home, files, "base", author)
        for patch in PATCHES:
            new = patch.change(files, author)
            commit(home, new, message(patch.message, author), author)
            files.update(new)
        cover = (MESSAGES / "0-cover.txt").read_text().replace("{kernel}", kernel_version(linux))
        git(home, "config", "branch.latency-weighted.description", cover, author=author)
        out.mkdir(parents=True, exist_ok=True)
        git(home, "format-patch", "--quiet", "--zero-commit", "--no-signature", "--cover-letter",
            "--cover-from-description=auto", "-o", str(out.resolve()), "HEAD~%d" % len(PATCHES), author=author)
    return sorted(out.glob("*.patch"))


def commit(home: Path, files: Files, text: str, author: str) -> None:
    for name, content in files.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    git(home, "add", "--all", author=author)
    git(home, "commit", "--quiet", "-m", text, author=author)
