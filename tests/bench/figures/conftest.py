"""A repository of git's in place of the checkout."""
import subprocess
from pathlib import Path

import pytest

from tests.lib.commit import git

IDENTITY = ["-c", "user.name=test", "-c", "user.email=test@localhost", "-c", "commit.gpgsign=false"]


class Repository:
    def __init__(self, top: Path):
        self.top = top
        self.run("init", "--quiet")

    def run(self, *words):
        subprocess.run(["git", "-C", str(self.top), *words], check=True)

    def write(self, name, text):
        file = self.top / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def commit(self):
        """All that was written; the commit's short name."""
        self.run("add", "--all")
        self.run(*IDENTITY, "commit", "--quiet", "--message", "all")
        return git("rev-parse", "--short=7", "HEAD")


@pytest.fixture
def repository(tmp_path, monkeypatch):
    monkeypatch.setattr("tests.lib.commit.CHECKOUT", tmp_path / "checkout")
    (tmp_path / "checkout").mkdir()
    return Repository(tmp_path / "checkout")
