"""Which sources are measured."""
from tests.lib.commit import git

MEASURED = ["src", "Kbuild", "tests", "tools"]
# What may change without making figures old: documents, how figures are shown, and tests and tools that no step runs.
NO_STEP_RUNS = ["build", "fuzz", "full", "guest/faults", "guest/observe", "guest/select", "guest/tool", "meta", "model",
                "stress", "tools", "unit"]
NOT_MEASURED = [":(exclude)*.md", ":(exclude)tests/bench/figures", ":(exclude)tools/dm_lw/doctor",
                *(f":(exclude)tests/{room}" for room in NO_STEP_RUNS)]
LENGTH = 7


class Modified(ValueError):
    """Figures would be of no commit."""


def modified():
    """Files that differ from the commit, new ones included."""
    return [line[3:] for line in git("status", "--porcelain", "--", *MEASURED).splitlines()]


def commit(dirty=False):
    """The last one that changed what is measured; "+" if that was changed since."""
    found = git("log", "-1", f"--abbrev={LENGTH}", "--format=%h", "--", *MEASURED, *NOT_MEASURED)
    if not found:
        raise ValueError("figures are of a commit, and this is no checkout of git's")
    changed = modified()
    if changed and not dirty:
        raise Modified(f"modified: {', '.join(changed[:5])}{' ...' if changed[5:] else ''}; commit first, or --dirty")
    return found + ("+" if changed else "")
