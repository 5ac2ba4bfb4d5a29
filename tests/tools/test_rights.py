"""Who may read and write the files that dm-lw makes, held against the table in SECURITY.md."""
# promise output/rights

import os
import re

from dm_lw import kept, switching
from dm_lw.history import bundle
from dm_lw.policies import keeping

from .conftest import TOOLS
from .fake_policies import UUID, example, host, stand_in  # noqa: F401 (fixtures)

MODES = {("everybody", "root"): 0o644, ("everybody", "owner"): 0o644, ("root", "root"): 0o600,
         ("owner", "owner"): 0o600}
RECORDING, BUNDLE = "recordings, with umask 022", "bundles"


def documented():
    """The mode by the name of a file, or by what it is called."""
    found = {}
    for first, *who in re.findall(r"^\| (.+) \| (\w+) \| (\w+) \|$", (TOOLS.parent / "SECURITY.md").read_text(), re.M):
        names = re.findall(r"`([^`]+)`", first) or [first]
        for name in names if not first.startswith("`/sys/") and tuple(who) in MODES else ():
            found[name] = MODES[tuple(who)]
    return found


def mode(file):
    return os.stat(str(file)).st_mode & 0o7777


def test_files_of_this_host(host, tool, example):
    tool("policy", "load", "-p", str(example), "--map", "mpatha")
    tool("apply")
    with switching.only_one(host):
        pass
    rows = documented()
    plain = "/%s/<uuid>" % kept.DIRECTORY
    expected = {kept.file_of(host, UUID): rows[plain + ".conf"], keeping.object_file(host, UUID): rows[".o"],
                host.path(keeping.IN_FORCE % UUID): rows["/" + keeping.IN_FORCE % "<uuid>"],
                host.path(switching.LOCK): rows["/" + switching.LOCK]}
    for lock in (kept.LOCK, kept.LOCK_OF_MAP % UUID):
        expected[host.path(lock)] = rows["/run/dm-lw-kept*.lock"]
    assert {file: mode(file) for file in expected} == expected
    made = {host.path("%s/%s" % (directory, name)) for directory in ("run", kept.DIRECTORY)
            for name in host.list(directory)}
    assert made == set(expected)


def test_files_that_a_user_names(tool, tmp_path, monkeypatch):
    monkeypatch.setattr(bundle, "gather", lambda host: {"versions.txt": ""})
    tool("record", str(tmp_path / "recording"), "1", "1")
    tool("report", "--with-identities", "--bundle", str(tmp_path / "bundle"))
    assert (mode(tmp_path / "recording"), mode(tmp_path / "bundle")) == (documented()[RECORDING], documented()[BUNDLE])
