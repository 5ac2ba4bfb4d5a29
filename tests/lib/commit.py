"""Which sources the figures are of."""
import subprocess

from tests.vm.places import CHECKOUT


def git(*words: str) -> str:
    """What git says, "" if it fails. Blanks in front stay: `git status --porcelain` begins lines with them."""
    done = subprocess.run(["git", "-C", str(CHECKOUT), *words], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return done.stdout.rstrip("\n") if done.returncode == 0 else ""


def commit() -> str:
    """The commit, with a "+" if the module's sources have been changed since."""
    changed = git("status", "--porcelain", "--", "src", "Kbuild")
    return (git("rev-parse", "--short", "HEAD") or "unknown") + ("+" if changed else "")
