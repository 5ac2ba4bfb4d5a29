"""Tunables that are kept: dm-lw set --persist, unset and apply, and what doctor says."""
# promise output/persist: Values kept by `dm-lw set --persist` are set when the map is made anew or gets another
#   table, and at no other time; a path is known by the place where it is attached | by: with udev | full:
#   `guests-*`

import fcntl
import os
import re
import signal

import pytest
from dm_lw import apply, kept, settings, unset
from dm_lw.doctor import checks_kept
from dm_lw.errors import LwError

from .conftest import AS_ROOT, TOOLS
from .fake_host import FakeHost

UUID, OTHER_UUID = "mpath-36001405aaaa", "mpath-36001405bbbb"
FILE = "etc/dm-latency-weighted/%s.conf"
SDA, SDC = "pci-0000:00:03.0-fc-0x50-lun-0", "pci-0000:00:04.0-fc-0x51-lun-0"
TABLE = "0 8 multipath 0 0 1 1 latency-weighted %s 2 1 8:0 1 8:32 1\n"
# Owner and mode of what others may have written.
UNTRUSTED = [(65534, 0o644), (0, 0o664), (0, 0o646)]
RULES = TOOLS / "udev" / checks_kept.RULE


@pytest.fixture
def host(in_memory, sys_tree, monkeypatch):
    """The machine to which the tree belongs; dm-lw takes it for this one."""
    host = FakeHost(in_memory)
    host.make("run")
    for name, number in (("dm-0", "254:0"), ("dm-10", "254:10")):
        host.write("sys/block/%s/dev" % name, number + "\n")
    host.answer("udevadm info", "DEVTYPE=disk\n")
    attach(host, "8:0", SDA)
    attach(host, "8:32", SDC)
    host.set_tables("mpatha: " + TABLE % "0", "mpathb: " + TABLE % "0")
    for module in (settings, apply, unset):
        monkeypatch.setattr(module, "Host", lambda sysfs: host)
    return host


def refusal(path, owner, mode):
    return ("dm-lw: %s belongs to user %d and has mode %04o; wanted is a file or directory that only root may write:"
            " chown root, chmod go-w\n" % (path, owner, mode))


def attach(host, number, where):
    host.answer("udevadm info --query=property --path=" + host.path("sys/dev/block/" + number),
                "DEVTYPE=disk\nID_PATH=%s\nID_PATH_TAG=x\n" % where)


def kept_lines(host, uuid=UUID):
    text = host.read(FILE % uuid)
    return None if text is None else [line for line in text.splitlines() if line[0] != "#"]


def value(tool, *names):
    return int(tool.file("dm-0", *names).read_text())


def new_map(tool):
    """As after a boot."""
    tool.file("dm-0/window_ms").write_text("20\n")
    tool.file("dm-0/tolerance").write_text("12\n")
    tool.file("dm-0/paths/sdc/prefer").write_text("0\n")


def test_set_is_kept_and_applied(tool, host):
    out = tool("set", "--persist", "mpatha", "window_ms=100", "tolerance=5")
    assert out == "mpatha: window_ms 50 -> 100, kept\nmpatha: tolerance 12 -> 5, kept\n"
    assert kept_lines(host) == ["tolerance=5", "window_ms=100"]
    assert host.read(FILE % UUID).startswith("# For mpatha, kept by dm-lw set --persist")
    assert os.stat(host.path(FILE % UUID)).st_mode & 0o777 == 0o644
    assert (value(tool, "window_ms"), value(tool, "tolerance")) == (100, 5)
    new_map(tool)
    assert tool("apply", "mpatha") == "mpatha: tolerance 12 -> 5\nmpatha: window_ms 20 -> 100\n"
    assert tool("apply") == ""
    assert (value(tool, "window_ms"), value(tool, "tolerance")) == (100, 5)


def test_path_is_known_by_where_it_is_attached(tool, host):
    """After the boot, the two disks have changed their names."""
    assert tool("set", "-p", "mpatha/sdc", "prefer=1") == "mpatha/sdc: prefer 0 -> 1, kept\n"
    assert kept_lines(host) == [SDC + " prefer=1"]
    new_map(tool)
    attach(host, "8:0", SDC)
    attach(host, "8:32", SDA)
    assert tool("apply") == "mpatha/sda: prefer 0 -> 1\n"


def test_path_that_is_attached_nowhere_or_twice(tool, host):
    attach(host, "8:32", SDA)
    assert "mpatha/sdc cannot be kept: sda is attached at the same place (ID_PATH %s)" % SDA \
        in tool.fails("set", "-p", "mpatha/sdc", "prefer=1")
    del host.answers[tuple(("udevadm info --query=property --path="
                            + host.path("sys/dev/block/8:32")).split())]
    assert "udev does not tell where it is attached (ID_PATH)" in tool.fails(
        "set", "-p", "mpatha/sdc", "prefer=1")
    assert kept_lines(host) is None and value(tool, "paths/sdc/prefer") == 0


def test_more_is_kept_beside_what_was(tool, host):
    tool("set", "-p", "mpatha", "window_ms=100", "max_penalty=30")
    tool("set", "-p", "mpatha", "window_ms=200")
    tool("set", "-p", "mpatha/sda", "prefer=1")
    tool("set", "-p", "mpathb", "tolerance=1")
    assert kept_lines(host) == ["max_penalty=30", "window_ms=200", SDA + " prefer=1"]
    assert kept_lines(host, OTHER_UUID) == ["tolerance=1"]


def test_nothing_is_kept_without_persist_or_in_a_dry_run(tool, host):
    tool("set", "mpatha", "window_ms=100")
    assert tool("set", "-n", "-p", "mpatha", "max_penalty=3") == "mpatha: max_penalty 20 -> 3, kept\n"
    assert kept_lines(host) is None and value(tool, "max_penalty") == 20


def test_both_or_neither(tool, host, monkeypatch):
    """The module refuses, or the file cannot be written."""
    tool("set", "-p", "mpatha", "max_penalty=30")
    write = type(host.sysfs).write

    def refuse(tree, number, *names):
        if names[-1] == "window_ms":
            raise OSError(22, os.strerror(22))
        write(tree, number, *names)
    monkeypatch.setattr(type(host.sysfs), "write", refuse)
    assert "nothing was changed" in tool.fails("set", "-p", "mpatha", "max_penalty=40", "window_ms=100")
    assert kept_lines(host) == ["max_penalty=30"] and value(tool, "max_penalty") == 30

    def full(_descriptor):
        raise OSError(28, os.strerror(28))
    monkeypatch.setattr(os, "fsync", full)
    assert "No space left on device" in tool.fails("set", "-p", "mpatha", "max_penalty=40")
    assert kept_lines(host) == ["max_penalty=30"] and value(tool, "max_penalty") == 30
    assert host.list("etc/dm-latency-weighted") == [UUID + ".conf"]


def test_refused_value_leaves_the_file_of_the_user(tool, host, monkeypatch):
    """Comments, mode and all; and its absence."""
    def refuse(*_words):
        raise OSError(22, os.strerror(22))
    monkeypatch.setattr(type(host.sysfs), "write", refuse)
    assert "nothing was changed" in tool.fails("set", "-p", "mpatha", "max_penalty=40")
    assert host.list("etc/dm-latency-weighted") == []
    text = "# mine: ask me first\nmax_penalty=30\n"
    host.write(FILE % UUID, text)
    os.chmod(host.path(FILE % UUID), 0o640)
    assert "nothing was changed" in tool.fails("set", "-p", "mpatha", "max_penalty=40")
    assert host.read(FILE % UUID) == text
    assert os.stat(host.path(FILE % UUID)).st_mode & 0o777 == 0o640


def test_signal_waits_until_all_is_set_and_kept(tool, host, monkeypatch):
    write = type(host.sysfs).write

    def interrupted(*args):
        signal.raise_signal(signal.SIGINT)
        write(*args)
    monkeypatch.setattr(type(host.sysfs), "write", interrupted)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        assert tool.run("set", "-p", "mpatha", "max_penalty=40", "window_ms=100")[0] == 130
    finally:
        signal.signal(signal.SIGINT, before)
    assert kept_lines(host) == ["max_penalty=40", "window_ms=100"]
    assert (value(tool, "max_penalty"), value(tool, "window_ms")) == (40, 100)


def test_nobody_else_keeps_it_waiting(tool, host):
    """Everybody may open, and so lock, the directory; only root the lock."""
    host.make("etc/dm-latency-weighted")
    directory = os.open(host.path("etc/dm-latency-weighted"), os.O_RDONLY)
    fcntl.flock(directory, fcntl.LOCK_EX)
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.alarm(60)                # else it would wait for ever
    try:
        tool("set", "-p", "mpatha", "max_penalty=30")
    finally:
        signal.alarm(0)
        os.close(directory)
    assert os.stat(host.path(kept.LOCK)).st_mode & 0o777 == 0o600


def test_one_that_does_not_end_is_not_waited_for(tool, host, clock):
    clock.later.clear()
    with kept.changing(host):
        start = clock.now
        for words in (["set", "-p", "mpatha", "max_penalty=30"], ["unset", "mpatha"]):
            host.write(FILE % UUID, "max_penalty=40\n")
            assert "another dm-lw set --persist or unset is at work (%s)" % host.path(kept.LOCK) \
                in tool.fails(*words)
        assert 2 * kept.PATIENCE <= clock.now - start < 3 * kept.PATIENCE
    assert kept_lines(host) == ["max_penalty=40"]
    assert tool("unset", "mpatha") == "mpatha: no longer kept: max_penalty=40\n"


def test_one_apply_at_a_time_for_each_map(tool, host, clock):
    """Other maps do not wait; nor does anybody have the lock who is not root."""
    clock.later.clear()
    for uuid in (UUID, OTHER_UUID):
        host.write(FILE % uuid, "max_penalty=40\n")
    lock = host.path(kept.LOCK_OF_MAP % UUID)
    with kept.putting_in_force(host, UUID):
        start = clock.now
        assert tool("apply", "mpathb") == "mpathb: max_penalty 20 -> 40\n" and clock.now == start
        assert "is at work (%s)" % lock in tool.fails("apply", "mpatha")
        assert kept.PATIENCE <= clock.now - start < 2 * kept.PATIENCE
        assert os.stat(lock).st_mode & 0o777 == 0o600
    assert tool("apply") == "mpatha: max_penalty 20 -> 40\n"
    host.root_user = False
    assert "only root may do this" in tool.fails("apply")


def test_limits_of_probing_that_would_cross_after_a_boot(tool, host):
    tool("set", "mpatha", "probe_max_ms=9000")
    complaint = tool.fails("set", "-p", "mpatha", "probe_min_ms=6000")
    assert "6000 is more than probe_max_ms, which is 5000 for a map that is made anew" in complaint
    tool("set", "-p", "mpatha", "probe_min_ms=6000", "probe_max_ms=9000")
    tool("set", "-p", "mpatha", "probe_min_ms=7000")
    tool.file("dm-0/probe_min_ms").write_text("100\n")
    tool.file("dm-0/probe_max_ms").write_text("5000\n")
    tool("apply")
    assert (value(tool, "probe_min_ms"), value(tool, "probe_max_ms")) == (7000, 9000)


@pytest.mark.parametrize("uuid, why", [("", "no UUID"), ("mpath-a/b", "no name for a file"),
                                       ("mpath-" + "x" * 128, "no name for a file")])
def test_map_that_cannot_be_known_again(tool, host, uuid, why):
    host.write("sys/block/dm-0/dm/uuid", uuid + "\n")
    assert why in tool.fails("set", "-p", "mpatha", "max_penalty=30")
    assert "nothing is kept for mpatha" in tool.fails("apply", "mpatha")
    assert host.list("etc/dm-latency-weighted") == []


def test_argument_of_the_table_wins(tool, host):
    tool("set", "-p", "mpatha", "window_ms=100", "max_penalty=30")
    tool("set", "-p", "mpatha/sda", "prefer=1")
    for name in ("window_ms", "max_penalty", "paths/sda/prefer"):
        tool.file("dm-0", name).write_text("7\n" if name != "paths/sda/prefer" else "0\n")
    host.set_tables("mpatha: " + TABLE % "4 window_ms 7 prefer 8:0")
    assert tool("apply") == "mpatha: max_penalty 7 -> 30\n"
    host.set_tables("mpatha: " + TABLE % "0")
    assert tool("apply") == "mpatha: window_ms 7 -> 100\nmpatha/sda: prefer 0 -> 1\n"


@pytest.mark.parametrize("line, complaint", [
    ("window_ms", "wanted is KEY=VALUE, or ID_PATH KEY=VALUE, and not \"window_ms\""),
    ("a b c=1", "and not \"a b c=1\""), ("speed=1", "there is no \"speed\" to keep of a map, but: ewma_"),
    ("x max_penalty=1", "there is no \"max_penalty\" to keep of a path, but: prefer"),
    ("prefer=1", "no \"prefer\" to keep of a map"), ("max_penalty=0", "max_penalty: \"0\" is not a number from 1 to 1000"),
    ("max_penalty=٣", "is not a number")])
def test_bad_line_is_named(tool, host, line, complaint):
    host.write(FILE % UUID, "# a comment\n\n  max_penalty=30\n%s\n" % line)
    told = tool.fails("apply")
    assert "%s:4: " % host.path(FILE % UUID) in told
    assert complaint in told or line.endswith("٣")
    for words in (["set", "-p", "mpatha", "max_penalty=1"], ["unset", "mpatha"]):
        assert ":4: " in tool.fails(*words)
    assert value(tool, "max_penalty") == 20
    (finding,) = [each for each in checks_kept.tunables(host) if ":4: " in each.text]
    assert finding.result == "warn"


def test_what_is_no_regular_file_is_left(tool, host):
    host.make("etc/dm-latency-weighted")
    os.mkfifo(host.path(FILE % UUID))
    for words in (["set", "-p", "mpatha", "max_penalty=1"], ["apply"], ["unset", "mpatha"]):
        assert "is a FIFO; wanted is a regular file" in tool.fails(*words)


@AS_ROOT
@pytest.mark.parametrize("owner, mode", UNTRUSTED)
@pytest.mark.parametrize("what", ["file", "directory"])
def test_what_others_may_have_written(tool, host, what, owner, mode):
    """udev has root obey it."""
    host.write(FILE % UUID, "max_penalty=30\n")
    path = host.path(FILE % UUID)
    if what == "directory":
        path, mode = os.path.dirname(path), mode | 0o111
    os.chown(path, owner, 0)
    os.chmod(path, mode)
    for words in (["apply"], ["set", "-p", "mpatha", "max_penalty=1"], ["unset", "mpatha"]):
        assert tool.fails(*words) == refusal(path, owner, mode)
    assert value(tool, "max_penalty") == 20 and kept_lines(host) == ["max_penalty=30"]
    (finding,) = [each for each in checks_kept.tunables(host) if "belongs to user" in each.text]
    assert finding.result == "warn"


def test_directory_is_for_all_to_read(tool, host):
    """With any umask."""
    mask = os.umask(0o077)
    try:
        tool("set", "-p", "mpatha", "max_penalty=30")
    finally:
        os.umask(mask)
    assert os.stat(host.path("etc/dm-latency-weighted")).st_mode & 0o777 == 0o755


def test_unset(tool, host):
    tool("set", "-p", "mpatha", "window_ms=100", "max_penalty=30")
    tool("set", "-p", "mpatha/sda", "prefer=1")
    assert tool("unset", "mpatha", "max_penalty") == "mpatha: no longer kept: max_penalty=30\n"
    assert kept_lines(host) == ["window_ms=100", SDA + " prefer=1"]
    host.write("sys/block/sda/dev", "8:0\n")
    assert tool("unset", "mpatha/sda") == "mpatha: no longer kept: %s prefer=1\n" % SDA
    assert value(tool, "max_penalty") == 30
    assert tool("unset", "/dev/dm-0") == "/dev/dm-0: no longer kept: window_ms=100\n"
    assert host.list("etc/dm-latency-weighted") == []


def test_apply_goes_on_after_a_map_that_is_wrong(tool, host):
    """And tells of each, in one line."""
    host.write(FILE % UUID, "max_penalty=0\n")
    host.write(FILE % OTHER_UUID, "max_penalty=30\n")
    status, out, err = tool.run("apply")
    assert (status, out) == (1, "mpathb: max_penalty 20 -> 30\n")
    assert err.startswith("dm-lw: %s:1: " % host.path(FILE % UUID)) and err.count("\n") == 1
    host.write(FILE % OTHER_UUID, "tolerance=x\n")
    for words in (["apply"], ["apply", "mpatha", "mpathb"]):
        told = tool.fails(*words)
        assert "; %s:1: tolerance: " % host.path(FILE % OTHER_UUID) in told
        assert "%s:1: max_penalty: " % host.path(FILE % UUID) in told


def test_unset_that_cannot_be_saved(tool, host, monkeypatch):
    def refuse(*_words, **_options):
        raise OSError(30, os.strerror(30))
    host.write(FILE % UUID, "max_penalty=30\nwindow_ms=100\n")
    monkeypatch.setattr(kept.output, "rename_over", refuse)
    assert "Read-only file system" in tool.fails("unset", "mpatha", "max_penalty")
    assert kept_lines(host) == ["max_penalty=30", "window_ms=100"]


@pytest.mark.parametrize("words, complaint", [
    (["mpathb"], "nothing is kept for mpathb, but for: mpatha\n"),
    (["mpatha", "tolerance"], "tolerance is not kept for mpatha, but: max_penalty=30, %s prefer=1" % SDA),
    (["mpatha", "max_penalty", "tolerence"], "tolerence is not kept for mpatha, but: max_penalty=30"),
    (["mpatha/sdq"], "anything is not kept for mpatha/sdq"), ([""], "nothing is kept for ,")])
def test_unset_of_what_is_not_kept(tool, host, words, complaint):
    host.write(FILE % UUID, "max_penalty=30\n%s prefer=1\n" % SDA)
    assert complaint in tool.fails("unset", *words)
    assert kept_lines(host) == ["max_penalty=30", SDA + " prefer=1"]


@pytest.mark.parametrize("name", ["36001405cccc", "mpath-36001405cccc", "36001405cccc/" + SDA])
def test_unset_of_a_map_that_is_not_there(tool, host, name):
    host.write(FILE % "mpath-36001405cccc", SDA + " prefer=1\n")
    tool("unset", name)
    assert host.list("etc/dm-latency-weighted") == []


def test_not_for_a_copy_of_another_hosts_sysfs(tool, monkeypatch, sys_tree):
    """Without the fixture that takes the tree for this machine's."""
    for words in (["set", "-p", "mpatha", "max_penalty=1"], ["apply"], ["unset", "mpatha"]):
        assert "what is kept is of this machine: not with --sysfs" in tool.fails(*words, status=2)


def test_a_word_is_kept(tool, host):
    tool("set", "-p", "mpatha", "choose=queue-length")
    assert kept_lines(host) == ["choose=queue-length"]
    tool.file("dm-0/choose").write_text("latency\n")
    assert "mpatha has choose latency, and queue-length is kept" in [each.text for each in checks_kept.tunables(host)]
    assert tool("apply", "mpatha") == "mpatha: choose latency -> queue-length\n"


def test_doctor(tool, host):
    assert [each.text for each in checks_kept.tunables(host)] == ["no tunables are kept"]
    tool("set", "-p", "mpatha", "window_ms=100")
    host.write(FILE % "mpath-36001405cccc", "max_penalty=30\n")
    (rule, *_) = checks_kept.tunables(host)
    assert rule.result == "warn" and "no udev rule sets them" in rule.text
    host.write("usr/lib/udev/rules.d/" + checks_kept.RULE)
    assert [(each.result, each.text) for each in checks_kept.tunables(host)] == [
        ("ok", "mpatha: window_ms=100"),
        ("ok", "kept for mpath-36001405cccc, which does not use the selector now: max_penalty=30")]
    assert tool("set", "mpatha", "window_ms=200") == ("mpatha: window_ms 100 -> 200; 100 is kept, and comes back"
                                                      " with the map's next table, unless you --persist\n")
    (found, _) = checks_kept.tunables(host)
    assert (found.result, found.text) == ("warn", "mpatha has window_ms 200, and 100 is kept")
    assert found.advice.startswith("dm-lw apply mpatha;")


def test_doctor_without_root(tool, host):
    tool("set", "-p", "mpatha", "window_ms=100")
    host.root_user = False
    with pytest.raises(LwError, match="only root"):
        checks_kept.tunables(host)


def test_rule_goes_by_the_same_names():
    """udev's rule, dm-lw and the documents mean one directory, and one program."""
    text = RULES.read_text()
    assert 'TEST=="/%s/$attr{dm/uuid}%s", RUN+="/usr/sbin/dm-lw apply %%k"' % (
        kept.DIRECTORY, kept.ENDING) in text
    labels = set(re.findall(r'LABEL="(\w+)"', text))
    assert labels == set(re.findall(r'GOTO="(\w+)"', text))
