"""The release: its source and the packages are the same wherever they are made, and nothing is wrong with them in the eyes
of Debian's and of rpm's checkers."""
# promise lifecycle/same-bytes: The source of a release is the whole repository; it and the packages are the same
#   bytes wherever and whenever they are built (of the source rpm: its content)
# promise lifecycle/lintian: lintian and rpmlint find nothing; exceptions have their reasons

import hashlib
import os
import re
import subprocess
import tarfile
import time

import pytest

from tests.build.made import MODULE, run, warnings
from tests.vm.places import CHECKOUT

HOMEPAGE = re.compile(r"^Homepage: (.*)$", re.MULTILINE)
NAMES_HOMEPAGE = ["debian/copyright", "debian/upstream/metadata", "debian/watch", "rpm/dm-latency-weighted.spec",
                  "rpm/dm-latency-weighted-kmod.spec", "CONTRIBUTING.md"]
TELLS_OF_THE_MACHINE = (".buildinfo", ".changes")   # the latter has the former's checksum
# Standards-Version is of today, and the host's lintian may be older.
HOSTS_AGE = "newer-standards-version"
YEAR_2001 = 1000000000


def checksum(path):
    """Of an rpm's source only what is packed: its header has the directory in which it was made."""
    content = subprocess.run(["rpm2cpio", path], check=True, stdout=subprocess.PIPE).stdout \
        if path.name.endswith(".src.rpm") else path.read_bytes()
    return hashlib.sha256(content).hexdigest()


def with_suffix(packages, suffix):
    (path,) = (path for path in packages.values() if path.name.endswith(suffix))
    return path


@pytest.fixture(scope="session")
def tarball(packages):
    (path,) = (path for name, path in packages.items() if re.fullmatch(MODULE + r"-[\d.]+(~rc\d+)?\.tar\.gz", name))
    return path


def test_source_is_all_of_the_repository(tarball):
    """Tests included, and nothing that was built."""
    if not (CHECKOUT / ".git").exists():
        pytest.skip("no repository, whose files would be those of the release")
    files = run("git", "-c", f"safe.directory={CHECKOUT}", "ls-files", "--cached", "--others", "--exclude-standard")
    with tarfile.open(tarball) as tar:
        released = {member.name for member in tar if not member.isdir()}
    assert released == {f"{tarball.name[:-len('.tar.gz')]}/{name}" for name in files.splitlines()
                        if (CHECKOUT / name).exists()}


def test_source_tells_nothing_of_the_machine(tarball):
    with tarfile.open(tarball) as tar:
        members = tar.getmembers()
    day = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(members[0].mtime))
    assert f"\n## {tarball.name[len(MODULE) + 1:-len('.tar.gz')]} ({day.split()[0]})\n" in (CHECKOUT / "NEWS.md").read_text()
    assert day.endswith(" 00:00:00")
    assert {(member.uid, member.gid, member.uname, member.gname, member.mtime) for member in members} == \
        {(0, 0, "", "", members[0].mtime)}
    assert {member.mode for member in members} == {0o755, 0o644}
    assert tarball.read_bytes()[4:8] == bytes(4)    # where gzip would have the time


def test_packages_are_the_same_elsewhere(packages, tarball, tmp_path):
    """Made of the release, in another directory, later, with other files' times, umask, zone, language and user's name.
    What is unpacked there is as a clean checkout, and nothing warns of it."""
    with tarfile.open(tarball) as tar:
        tar.extractall(tmp_path)
    (elsewhere,) = tmp_path.iterdir()
    for path in elsewhere.rglob("*"):
        os.utime(path, (YEAR_2001, YEAR_2001))
        path.chmod(path.stat().st_mode & 0o700)
    other = dict(os.environ, TZ="Asia/Kolkata", LC_ALL="C", USER="somebody", LOGNAME="somebody", HOME=str(tmp_path),
                 DEBFULLNAME="Some Body", DEBEMAIL="some@body.example")
    told = run("sh", "-c", "umask 077; make deb rpm", directory=elsewhere, environment=other)
    assert not warnings(told), told
    ours, theirs = (
        {path.name: checksum(path) for path in paths
         if not path.name.endswith(TELLS_OF_THE_MACHINE)}
        for paths in (packages.values(), (elsewhere / "build/packages").iterdir()))
    assert ours == theirs


def test_lintian_finds_nothing(packages):
    """Neither in the packages nor in their source, with tests/; each exception has its reason in debian/."""
    found = subprocess.run(["lintian", "--no-cfg", "--display-info", "--pedantic", "--suppress-tags", HOSTS_AGE,
                            with_suffix(packages, ".changes"), with_suffix(packages, ".dsc")],
                           text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert (found.returncode, found.stdout) == (0, ""), found.stderr


def test_rpmlint_finds_nothing(packages):
    """Each exception has its reason in rpm/rpmlint.toml."""
    rpms = [path for name, path in packages.items() if name.endswith(".rpm")]
    assert len(rpms) == 4
    for each in [*rpms, f"rpm/{MODULE}.spec", f"rpm/{MODULE}-kmod.spec"]:      # one by one, or it takes all for one source
        found = run("rpmlint", "--config", "rpm/rpmlint.toml", each)
        assert re.search(r"^ 1 packages and 0 specfiles checked; 0 errors, 0 warnings,|"
                         r"^ 0 packages and 1 specfiles checked; 0 errors, 0 warnings,", found, re.MULTILINE), found


def test_there_is_one_homepage():
    """The one of debian/control, wherever one is named."""
    (homepage,) = HOMEPAGE.findall((CHECKOUT / "debian/control").read_text())
    for name in NAMES_HOMEPAGE:
        named = re.findall(r"https://dm-[^/\s`,]*", (CHECKOUT / name).read_text())
        assert named and set(named) == {homepage}, name
