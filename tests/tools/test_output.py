"""Files that dm-lw writes: what it must not replace, and what is left if it cannot."""
# promise output/whole-files: `dm-lw` writes files whole or not at all, and never in place of a device, a FIFO or a
#   directory

import os
import signal
import stat
import subprocess
import sys

import pytest

from dm_lw import output
from dm_lw.errors import LwError

from .conftest import AS_ROOT, TOOLS

# Nodes of their own, of devices that do nothing: /dev/full, and a block device that no driver has.
DEVICES = {"full": (stat.S_IFCHR, 1, 7), "disk": (stat.S_IFBLK, 240, 0)}


@pytest.fixture
def place(tmp_path):
    place = tmp_path / "place"
    place.mkdir()
    return place


def make(kind, path):
    if kind in DEVICES:
        form, major, minor = DEVICES[kind]
        os.mknod(str(path), form | 0o600, os.makedev(major, minor))
    elif kind == "fifo":
        os.mkfifo(str(path))
    elif kind == "socket":
        os.mknod(str(path), stat.S_IFSOCK | 0o600)
    else:
        path.mkdir()


KINDS = [pytest.param("full", "a character device", marks=AS_ROOT),
         pytest.param("disk", "a block device", marks=AS_ROOT),
         ("fifo", "a FIFO"), ("socket", "a socket"), ("directory", "a directory")]


@pytest.mark.parametrize("through_link", [False, True])
@pytest.mark.parametrize("kind, told", KINDS)
def test_what_is_no_regular_file_stays(tool, place, kind, told, through_link):
    file = place / kind
    make(kind, file)
    before = os.lstat(file)
    if through_link:
        os.symlink(kind, place / "link")
        file = place / "link"
    names = sorted(os.listdir(place))
    for write in (lambda: tool.fails("stat", "--prometheus", str(file)),
                  lambda: refused(output.replace, str(file), "x"),
                  lambda: refused(output.require_replaceable, str(file))):
        complaint = write()
        assert "%s is %s; wanted is a regular file, or a name that is free" % (file, told) in complaint
        assert "- writes to stdout" in complaint
    after = os.lstat(place / kind)
    assert (after.st_ino, after.st_mode, after.st_rdev) == (
        before.st_ino, before.st_mode, before.st_rdev)
    assert sorted(os.listdir(place)) == names


def refused(function, *arguments):
    with pytest.raises(LwError) as error:
        function(*arguments)
    return str(error.value)


@pytest.mark.parametrize("target_is_there", [True, False])
def test_a_link_stays_and_its_target_is_written(tool, place, target_is_there):
    (place / "there").mkdir()
    target = place / "there" / "dm_lw.prom"
    if target_is_there:
        target.write_text("old\n")
    os.symlink("there/dm_lw.prom", place / "second")
    os.symlink("second", place / "first")
    tool("stat", "--prometheus", str(place / "first"))
    assert os.readlink(place / "first") == "second"
    assert os.readlink(place / "second") == "there/dm_lw.prom"
    assert "dm_lw_path_done_total" in target.read_text()
    assert os.listdir(place / "there") == ["dm_lw.prom"]


def test_links_in_a_circle(tool, place):
    os.symlink("one", place / "two")
    os.symlink("two", place / "one")
    assert "one: Too many levels" in tool.fails("stat", "--prometheus", str(place / "one"))


@pytest.fixture
def shared(tmp_path):
    """A directory like /tmp."""
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    return shared


FOREIGN = "%s: %s is a link of another user; wanted is a name without one"


@AS_ROOT
@pytest.mark.parametrize("owner, mode", [(0, 0o1777), (65534, 0o1777), (65534, 0o755), (0, 0o755)])
@pytest.mark.parametrize("through_own_link", [True, False])
@pytest.mark.parametrize("victim_is_there", [True, False])
def test_link_of_another_user(tool, shared, place, owner, mode, through_own_link, victim_is_there):
    """In any directory; the kernel refuses it only in one like /tmp."""
    victim, planted = place / "victim", shared / "file"
    if victim_is_there:
        victim.write_text("old")
    os.chown(str(shared), owner, owner)
    shared.chmod(mode)
    file = plant(planted, victim)
    if through_own_link:
        file = place / "link"
        file.symlink_to(planted)
    for write in (lambda: tool.fails("stat", "--prometheus", str(file)),
                  lambda: tool.fails("record", str(file), "1", "1"),
                  lambda: refused(output.replace, str(file), "new")):
        assert FOREIGN % (file, planted) in write()
    assert victim_is_there == victim.exists() and (not victim_is_there or victim.read_text() == "old")
    assert planted.is_symlink()


def plant(link, target):
    """By another user."""
    link.symlink_to(target)
    os.lchown(str(link), 65534, 65534)
    return link


@AS_ROOT
def test_directory_that_is_a_link_of_another_user(shared, place):
    plant(shared / "there", place)
    file = shared / "there" / "file"
    assert refused(output.replace, str(file), "new") == FOREIGN % (file, shared / "there")
    assert os.listdir(place) == []


@AS_ROOT
def test_recording_is_read_through_links_of_others(tool, shared, place):
    tool("record", str(place / "recording"), "1", "2")
    shared.chmod(0o755)                 # for the kernel
    assert tool("report", "-j", str(plant(shared / "link", place / "recording")))


@pytest.mark.parametrize("when", ["followed", "require_regular"])
def test_link_that_came_after_links_were_followed(place, monkeypatch, when):
    """It is refused, or replaced; its target is neither written nor asked for owner and mode."""
    victim = place / "victim"
    victim.write_text("old")
    victim.chmod(0o600)
    look = getattr(output, when)

    def look_then_plant(*words, **options):
        found = look(*words, **options)
        if not os.path.lexists(place / "file"):
            (place / "file").symlink_to(victim)
        return found

    monkeypatch.setattr(output, when, look_then_plant)
    assert "file is a link; wanted is a regular file" in refused(output.replace, str(place / "file"), "new")
    assert victim.read_text() == "old" and (place / "file").is_symlink()


def test_recording_that_becomes_a_link(tool, place, monkeypatch):
    (place / "victim").write_text("")
    find = output.place

    def find_then_plant(*words):
        found = find(*words)
        (place / "file").symlink_to(place / "victim")
        return found

    monkeypatch.setattr(output, "place", find_then_plant)
    assert "file: Too many levels of symbolic links" in tool.fails("record", str(place / "file"), "1", "1")
    assert (place / "victim").read_text() == ""


def test_links_by_any_way(place):
    """As the kernel goes it."""
    (place / "one" / "two").mkdir(parents=True)
    (place / "deep").symlink_to("one//./two/")
    (place / "absolute").symlink_to(place / "deep")
    for name in ("file", "./one/../file", "deep/../../file", "absolute/..//../file"):
        assert output.followed(str(place / name)) == os.path.realpath(str(place / "file")), name


@AS_ROOT
def test_rights_stay_but_no_setuid(place):
    file = place / "file"
    file.write_text("old")
    os.chown(str(file), 65534, 65534)
    file.chmod(0o6755)
    output.replace(str(file), "new")
    assert stat.S_IMODE(file.stat().st_mode) == 0o755 and file.stat().st_uid == 65534


@AS_ROOT
def test_links_of_ones_own(shared, place):
    (shared / "link").symlink_to(place / "file")
    output.replace(str(shared / "link"), "new")
    assert (place / "file").read_text() == "new" and (shared / "link").is_symlink()


def test_links_in_a_circle_that_came_after_the_kernel_looked(place, monkeypatch):
    os.symlink("one", place / "one")
    monkeypatch.setattr(output, "require_regular", lambda *_, **_options: None)
    assert "one: Too many levels" in refused(output.replace, str(place / "one"), "new")


def test_link_into_a_directory_that_is_not_there(tool, place):
    os.symlink("none/dm_lw.prom", place / "link")
    assert "link: No such file" in tool.fails("stat", "--prometheus", str(place / "link"))
    assert "no directory" in refused(output.require_replaceable, str(place / "link"))


@pytest.mark.parametrize("name", ["", "none/"])
def test_no_name(tool, place, name, monkeypatch):
    monkeypatch.chdir(place)
    assert '"%s" is no name of a file' % name in tool.fails("stat", "--prometheus", name)


@pytest.mark.parametrize("words", [["record", "-"], ["report", "-"], ["report", "--bundle", "-"]])
def test_no_file_called_as_stdout(tool, place, words, monkeypatch):
    monkeypatch.chdir(place)
    assert '"-" is no name of a file' in tool.fails(*words)
    assert list(place.iterdir()) == []


def test_owner_and_mode_stay(place):
    file = place / "file"
    file.write_text("old")
    file.chmod(0o640)
    if os.geteuid() == 0:
        os.chown(str(file), 65534, 65534)
    before = file.stat()
    output.replace(str(file), "new")
    after = file.stat()
    assert file.read_text() == "new"
    assert (after.st_mode, after.st_uid, after.st_gid) == (before.st_mode, before.st_uid, before.st_gid)


def test_the_working_directory_may_be_gone(tool, place, monkeypatch):
    (place / "gone").mkdir()
    monkeypatch.chdir(place / "gone")
    (place / "gone").rmdir()
    tool("stat", "--prometheus", str(place / "metrics"))
    assert (place / "metrics").read_text().startswith("#")


def test_new_file_can_be_read_by_others(place):
    mask = os.umask(0o077)
    try:
        output.replace(str(place / "file"), "new")
    finally:
        os.umask(mask)
    assert (place / "file").stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize("what", ["write", "replace"])
def test_nothing_is_left_if_it_cannot_be_written(tool, place, monkeypatch, what):
    def fail(*_):
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(os, "replace" if what == "replace" else "fchmod", fail)
    (place / "file").write_text("old\n")
    assert "file: No space left on device" in tool.fails("stat", "--prometheus", str(place / "file"))
    assert os.listdir(place) == ["file"]
    assert (place / "file").read_text() == "old\n"


KILLED = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
from dm_lw import output
fchmod = os.fchmod
os.fchmod = lambda *words: (os.kill(os.getpid(), signal.SIGTERM), fchmod(*words))
output.replace(sys.argv[2], "new")
"""


def test_nothing_is_left_if_a_signal_ends_it(place):
    """The file is written first."""
    done = subprocess.run([sys.executable, "-c", KILLED, str(TOOLS), str(place / "file")], timeout=60)
    assert done.returncode == -signal.SIGTERM
    assert os.listdir(place) == ["file"]
    assert (place / "file").read_text() == "new"


# With another file system, which only this shell and its children see.
MOUNTED = 'mount -t tmpfs -o "$1" none "$2" && shift 2 && %s && exec "$@"'


def on_tmpfs(options, prepare, place, *words):
    done = subprocess.run(
        ["unshare", "--mount", "--propagation", "private", "sh", "-c", MOUNTED % prepare, "sh",
         options, str(place), sys.executable, str(TOOLS / "dm-lw"), *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


@AS_ROOT
def test_full_disk(sys_tree, place):
    """A page, and the old file has it."""
    file = str(place / "file")
    assert on_tmpfs("size=4k", "echo old >%s" % file, place, "--sysfs", str(sys_tree), "stat",
                    "--prometheus", file) == (1, "", "dm-lw: %s: No space left on device\n" % file)


@AS_ROOT
def test_file_system_that_cannot_be_written(sys_tree, place):
    file = str(place / "file")
    assert on_tmpfs("ro", ":", place, "--sysfs", str(sys_tree), "stat", "--prometheus",
                    file) == (1, "", "dm-lw: %s: Read-only file system\n" % file)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_directory_of_somebody_else(tool, place):
    place.chmod(0o555)
    assert "Permission denied" in tool.fails("stat", "--prometheus", str(place / "file"))
    assert "cannot be replaced" in refused(output.require_replaceable, str(place / "file"))
