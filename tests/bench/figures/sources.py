"""Which sources are measured."""
from tests.lib.commit import git

# With dkms.conf the module is built, and the demo has multipathd read the example of multipath.conf.d.
MEASURED = ["src", "Kbuild", "dkms.conf", "multipath.conf.d", "tests", "tools"]
# What may change without making figures old: documents, how figures are shown, and tests and tools that no step runs.
ONLY_SHOWS = ["allowed.toml", "blocks", "conftest.py", "documents.py", "markdown.py", "markers.py", "prose.py",
              "store.py", "summary.py", "test_*.py"]
NO_STEP_RUNS = ["build", "fuzz", "full", "guest/faults", "guest/observe", "guest/select", "guest/tool", "meta", "model",
                "stress", "tools", "unit"]
NOT_MEASURED = [":(exclude)*.md", ":(exclude)tools/dm_lw/doctor",
                *(f":(exclude)tests/bench/figures/{name}" for name in ONLY_SHOWS),
                *(f":(exclude)tests/{room}" for room in NO_STEP_RUNS)]
LENGTH = 7


class Modified(ValueError):
    """Figures would be of no commit."""


def modified():
    """Files of these that differ from the commit, new ones included."""
    return [line[3:] for line in git("status", "--porcelain", "--", *MEASURED, *NOT_MEASURED).splitlines()]


def commit(dirty=False):
    """The last one that changed what is measured; "+" if that was changed since."""
    found = git("log", "-1", f"--abbrev={LENGTH}", "--format=%h", "--", *MEASURED, *NOT_MEASURED)
    if not found:
        raise ValueError("figures are of a commit, and this is no checkout of git's")
    changed = modified()
    if changed and not dirty:
        raise Modified(f"modified: {', '.join(changed[:5])}{' ...' if changed[5:] else ''}; commit first, or --dirty")
    return found + ("+" if changed else "")
