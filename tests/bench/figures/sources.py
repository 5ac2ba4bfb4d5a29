"""Which sources are measured."""
from tests.lib.commit import git

MEASURED = ["src", "Kbuild", "tests", "tools"]
# What may change without making figures old: documents, and how figures are shown.
ONLY_SHOWS = [":(exclude)*.md", ":(exclude)tests/bench/figures"]
LENGTH = 7


class Modified(ValueError):
    """Figures would be of no commit."""


def modified():
    """Files that differ from the commit, new ones included."""
    return [line[3:] for line in git("status", "--porcelain", "--", *MEASURED).splitlines()]


def commit(dirty=False):
    """The last one that changed what is measured; "+" if that was changed since."""
    found = git("log", "-1", f"--abbrev={LENGTH}", "--format=%h", "--", *MEASURED, *ONLY_SHOWS)
    if not found:
        raise ValueError("figures are of a commit, and this is no checkout of git's")
    changed = modified()
    if changed and not dirty:
        raise Modified(f"modified: {', '.join(changed[:5])}{' ...' if changed[5:] else ''}; commit first, or --dirty")
    return found + ("+" if changed else "")
