"""A repository of git's in place of the checkout."""
import os
import subprocess
from pathlib import Path

import pytest

from tests.lib.commit import git
from upstream.series import NO_SETTINGS

# The author and date of each commit are fixed, so that its name is the same in each run: of random names one
# in 27 has only digits, and prose.py takes that for a number.
SIGNED = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER")
          for what, value in (("NAME", "test"), ("EMAIL", "test@localhost"), ("DATE", "2026-01-01T00:00:00Z"))}


class Repository:
    def __init__(self, top: Path):
        self.top = top
        self.run("init", "--quiet")

    def run(self, *words):
        subprocess.run(["git", "-C", str(self.top), *words], check=True, env={**os.environ, **NO_SETTINGS, **SIGNED})

    def write(self, name, text):
        file = self.top / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def commit(self):
        """All that was written; the commit's short name."""
        self.run("add", "--all")
        self.run("commit", "--quiet", "--message", "all")
        return git("rev-parse", "--short=7", "HEAD")


@pytest.fixture
def repository(tmp_path, monkeypatch):
    monkeypatch.setattr("tests.lib.commit.CHECKOUT", tmp_path / "checkout")
    (tmp_path / "checkout").mkdir()
    return Repository(tmp_path / "checkout")
