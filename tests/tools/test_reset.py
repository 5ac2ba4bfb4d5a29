"""dm-lw reset: a 1 into a file of debugfs."""
import errno
import os
import shutil

import pytest

from dm_lw import sysfs


@pytest.fixture
def resets(tool):
    """The files; reading tells whether they were written."""
    files = {}
    for dm in ("dm-0", "dm-10"):
        files[dm] = tool.root / "kernel/debug/dm-latency-weighted" / dm / "reset"
        files[dm].parent.mkdir(parents=True, exist_ok=True)
        files[dm].write_text("")
    return files


def test_one_map(tool, resets):
    assert tool("reset", "mpathb") == ""
    assert (resets["dm-0"].read_text(), resets["dm-10"].read_text()) == ("", "1\n")


def test_all_maps(tool, resets):
    tool("reset")
    assert [file.read_text() for file in resets.values()] == ["1\n", "1\n"]


def test_unknown_map_resets_nothing(tool, resets):
    assert "no map is called mpathz" in tool.fails("reset", "mpatha", "mpathz")
    assert resets["dm-0"].read_text() == ""


def test_no_debugfs(tool):
    shutil.rmtree(tool.root / "kernel/debug")
    assert "debugfs is not mounted" in tool.fails("reset")


def test_module_without_debugfs(tool):
    (tool.root / "kernel/debug/dm-latency-weighted").rename(tool.root / "kernel/debug/block")
    assert "the loaded module has no" in tool.fails("reset")


@pytest.mark.parametrize("number, lockdown, complaint", [
    (errno.EPERM, "none [integrity] confidentiality", "locked down"),
    (errno.EPERM, "[none] integrity confidentiality", "Operation not permitted"),
    (errno.EACCES, "[none] integrity confidentiality", "only root may do this"),
])
def test_refusals(tool, resets, monkeypatch, number, lockdown, complaint):
    def refuse(*_):
        raise OSError(number, os.strerror(number))

    (tool.root / "kernel/security").mkdir()
    (tool.root / "kernel/security/lockdown").write_text(lockdown)
    monkeypatch.setattr(sysfs.Sysfs, "write", refuse)
    assert complaint in tool.fails("reset", "mpatha")
