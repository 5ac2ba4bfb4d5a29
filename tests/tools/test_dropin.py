"""multipath.conf as it is read, and the drop-in that dm-lw writes, saves and takes back."""
import os

import pytest
from dm_lw import enable, multipath_conf
from dm_lw.dropin import DropIn
from dm_lw.errors import LwError
from dm_lw.patience import Patience
from dm_lw.scope import SECTIONS, AllMaps, OneMap

from .fake_host import FakeHost

WHERE = "etc/multipath/conf.d"
OURS = "latency-weighted 0"


@pytest.fixture
def host(tmp_path):
    return FakeHost(tmp_path)


@pytest.fixture
def drop_in(host):
    return DropIn(host, WHERE)


def files(host):
    return host.list(WHERE)


@pytest.mark.parametrize("text, expected", [
    ('defaults {\n\tpath_selector "service-time 0"\n}', [("defaults",)]),
    ("defaults {\n path_selector round-robin\n}", [("defaults",)]),
    ("devices {\n device {\n vendor \"A\" # path_selector\n path_selector x # y\n}\n}",
     []),
    ("devices {\n device {\n product B\n path_selector x # y\n vendor \"A\" # path_selector\n}\n}",
     [("devices", "device")]),
    ("! path_selector x\n# path_selector y", []),
    ("}\n}\npath_selector x", []),
    ("overrides\n{\n path_selector x\n}\ndefaults\n{\n path_selector x\n}", [("defaults",)]),
    ("path_selector", []),
])
def test_settings_by_section(text, expected):
    found = multipath_conf.parse(text, "f")
    assert [each.section for each in found if each.name == "path_selector"] == expected


def test_values_and_lines():
    text = '\n# a comment\ndefaults {\n\n  path_selector  "a  ""b"" 0"  ! more\n}\n'
    (setting,) = multipath_conf.parse(text, "/etc/x")
    assert setting.value == 'a  "b" 0'
    assert multipath_conf.place(setting) == "/etc/x:5 (defaults)"


def test_the_last_one_about_the_same_wins_for_a_map():
    """Among devices the last one that matches and names it."""
    text = ("devices {\ndevice {\nvendor A\nproduct .*\npath_selector \"a 0\"\n}\n"
            "device {\nvendor A\nproduct B\npath_selector \"b 0\"\n}\n"
            "device {\nvendor A\nproduct B\nrevision 2\npath_selector \"c 0\"\n}\n"
            "device {\nvendor .*\nproduct .*\nfeatures 0\n}\n}\n"
            "multipaths {\nmultipath {\nwwid 1\npath_selector \"d 0\"\n}\n}\n"
            "defaults {\npath_selector \"e 0\"\npath_selector \"f\"\n}\n")

    def wins(more, *which):
        blocks = multipath_conf.blocks_of(multipath_conf.parse(text + more, "f"))
        found = multipath_conf.winner(blocks, "path_selector", *which)
        return found and found.value

    assert wins("", "1", ("A", "B", "1")) == "d 0"
    assert wins("", "2", ("A", "B", "1")) == "b 0"
    assert wins("", "2", ("A", "B", "2")) == "c 0"
    assert wins("", "2", ("A", "C", "1")) == "a 0"
    assert wins("", "2", ("X", "B", "1")) == "e 0"
    more = "overrides {\npath_selector \"o 0\"\n}\n"
    assert wins(more, "1", ("A", "B", "1")) == "d 0"
    assert wins(more, "2", ("A", "B", "1")) == "o 0"
    assert multipath_conf.winner({}, "path_selector", "1", ("A", "B", "1")) is None


def test_what_is_written_is_what_is_read(drop_in):
    for section in SECTIONS:
        assert drop_in.write(AllMaps(section))
        assert drop_in.scopes() == [AllMaps(section)]
        assert not drop_in.write(AllMaps(section))


def test_what_was_put_aside_does_not_come_back(host, drop_in):
    """A drop-in made by hand; disable --force, enable, disable."""
    for _ in range(2):
        host.set_drop_in(OURS)
        drop_in.put_aside()
        assert drop_in.write(AllMaps())
        drop_in.take_back()
        assert drop_in.text() is None
    assert files(host) == ["zz-latency-weighted.conf.kept-by-dm-lw",
                           "zz-latency-weighted.conf.kept-by-dm-lw.2"]


def test_what_was_saved_long_ago_does_not_come_back(host, drop_in):
    host.write(WHERE + "/zz-latency-weighted.conf.before-dm-lw", "old")
    host.write(WHERE + "/zz-latency-weighted.conf", "of today")
    assert drop_in.write(AllMaps())
    drop_in.take_back()
    assert drop_in.text() == "of today"
    assert host.read(WHERE + "/zz-latency-weighted.conf.kept-by-dm-lw") == "old"


@pytest.mark.parametrize("version, obeyed", [("0.8.5", True), ("0.9.4", False)])
def test_drop_ins_may_be_elsewhere(host, version, obeyed):
    """In what is no longer obeyed nobody looks."""
    host.answer("multipath -h", err="multipath-tools v%s (12/19, 2022)\n" % version)
    host.write("etc/multipath.conf", 'defaults {\n\tconfig_dir "/etc/mp.d"\n}\n')
    for directory in ("etc/mp.d", "etc/multipath/conf.d"):
        host.write(directory + "/x.conf", 'defaults {\n\tpath_selector "%s"\n}\n' % OURS)
    (setting,) = multipath_conf.selector_settings(host)
    where = "/etc/mp.d" if obeyed else "/etc/multipath/conf.d"
    assert multipath_conf.place(setting) == where + "/x.conf:2 (defaults)"


def test_write_and_take_back(host, drop_in):
    assert drop_in.write(AllMaps())
    assert drop_in.is_dm_lws()
    assert files(host) == ["zz-latency-weighted.conf"]
    assert os.stat(drop_in.file).st_mode & 0o777 == 0o644
    drop_in.take_back()
    assert files(host) == []


ADDED = "\tno_path_retry 12\n"


def test_what_somebody_added_is_not_lost(host, drop_in):
    """Neither by enable and disable for a part, which refuse, nor by disable, which keeps it."""
    scopes = [OneMap("3600a"), OneMap("3600b")]
    for scope in scopes:
        drop_in.write(scope)
    text = drop_in.text().replace("\tmultipath {\n", "\tmultipath {\n" + ADDED, 1) + "# a remark\n"
    host.write(WHERE + "/zz-latency-weighted.conf", text)
    for change in (lambda: drop_in.write(OneMap("3600c")), lambda: drop_in.write(AllMaps()),
                   lambda: drop_in.leave(scopes[:1])):
        with pytest.raises(LwError, match='has lines that dm-lw did not write, such as "no_path_retry 12"'):
            change()
        assert drop_in.text() == text
    drop_in.take_back()
    assert files(host) == ["zz-latency-weighted.conf.kept-by-dm-lw"]
    assert host.read(WHERE + "/zz-latency-weighted.conf.kept-by-dm-lw") == text


def test_undo_removes_the_directories_too(host, drop_in):
    host.make("etc")
    drop_in.write(AllMaps())
    drop_in.undo(None)
    assert host.list("etc") == []


@pytest.mark.parametrize("content", [b"", b"defaults {\n}\n", b"\xff\x00\xfe garbage"])
def test_file_that_was_there(host, drop_in, content):
    host.write(WHERE + "/zz-latency-weighted.conf", content)
    before = os.stat(drop_in.file)
    text = drop_in.text()
    for back in (drop_in.take_back, lambda: drop_in.undo(text)):
        assert drop_in.write(AllMaps())
        assert len(files(host)) == 2
        back()
        assert files(host) == ["zz-latency-weighted.conf"]
        assert os.stat(drop_in.file).st_ino == before.st_ino
        assert host.read_bytes(WHERE + "/zz-latency-weighted.conf") == content


def test_symbolic_link_comes_back_as_one(host, drop_in):
    host.write("srv/mine.conf", "defaults {\n}\n")
    host.make(WHERE)
    os.symlink(host.path("srv/mine.conf"), drop_in.file)
    drop_in.write(AllMaps())
    assert host.read("srv/mine.conf") == "defaults {\n}\n"
    drop_in.take_back()
    assert os.readlink(drop_in.file) == host.path("srv/mine.conf")


def test_link_to_nothing_comes_back_as_one(host, drop_in):
    host.make(WHERE)
    os.symlink("nothing", drop_in.file)
    for back in (drop_in.take_back, lambda: drop_in.undo(None)):
        assert drop_in.write(AllMaps())
        assert drop_in.is_dm_lws()
        back()
        assert files(host) == ["zz-latency-weighted.conf"]
        assert os.readlink(drop_in.file) == "nothing"


def test_what_is_no_regular_file_is_refused(host, drop_in):
    """Reading a FIFO would take for ever."""
    host.make(WHERE)
    os.mkfifo(drop_in.file)
    with pytest.raises(LwError, match="is a FIFO; wanted is a regular file"):
        drop_in.write(AllMaps())
    assert files(host) == ["zz-latency-weighted.conf"]


def test_file_made_by_hand_is_left(host, drop_in):
    host.set_drop_in(OURS)
    assert not drop_in.write(AllMaps())
    assert not drop_in.is_dm_lws()


def test_changes_to_our_file_are_undone(host, drop_in):
    drop_in.write(AllMaps())
    text = drop_in.text()
    drop_in.write(AllMaps("overrides"))
    drop_in.undo(text)
    assert drop_in.text() == text


def test_killed_between_saving_and_writing(host, drop_in):
    """Two names of one file; the next run goes on from there, back or forth."""
    host.write(WHERE + "/zz-latency-weighted.conf", "mine\n")
    os.link(drop_in.file, drop_in.saved)
    drop_in.write(AllMaps())
    drop_in.undo("mine\n")
    assert files(host) == ["zz-latency-weighted.conf"]
    os.link(drop_in.file, drop_in.saved)
    drop_in.write(AllMaps())
    drop_in.take_back()
    assert drop_in.text() == "mine\n"


def test_disable_that_was_killed_keeps_one_copy(host, drop_in):
    drop_in.write(AllMaps())
    host.write(WHERE + "/zz-latency-weighted.conf", drop_in.text() + "defaults {\n" + ADDED + "}\n")
    os.link(drop_in.file, drop_in.aside())
    drop_in.take_back()
    assert files(host) == ["zz-latency-weighted.conf.kept-by-dm-lw"]


NAME = "zz-latency-weighted.conf"
SAVED = NAME + ".before-dm-lw"
SELECTS_IT = 'defaults {\n\tpath_selector "%s"\n}\n' % OURS


@pytest.fixture
def fails_to_enable(host, drop_in):
    """What enable says of a failure, on a host without maps."""
    host.make("etc")
    host.answer("dmsetup")
    host.set_tables()
    host.answer("multipathd show daemon", "pid 12 idle\n")
    host.patience = Patience(1)

    def fails():
        with pytest.raises(LwError) as failed:
            enable.write_and_reconfigure(host, drop_in, [], AllMaps())
        return str(failed.value)
    return fails


def full(*_):
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("before", [{}, {NAME: "mine\n"}, {SAVED: "old\n"},
                                    {NAME: "mine\n", SAVED: "old\n"}])
def test_failed_write_leaves_all_as_it_was(host, drop_in, monkeypatch, fails_to_enable, before):
    for name, content in before.items():
        host.write("%s/%s" % (WHERE, name), content)
    monkeypatch.setattr(os, "fsync", full)
    assert fails_to_enable() == (
        "%s: No space left on device; the configuration is as it was" % drop_in.file)
    assert {name: host.read("%s/%s" % (WHERE, name)) for name in files(host)} == before
    assert host.list("etc") == (["multipath"] if before else [])


@pytest.mark.parametrize("before, told", [
    ({}, "all is as it was before"), ({NAME: "mine\n"}, "all is as it was before"),
    ({NAME: "mine\n", SAVED: "old\n"}, "all is as it was before"),
    ({NAME: SELECTS_IT, SAVED: "old\n"}, "the configuration is as it was")])
def test_failed_reconfigure_leaves_all_as_it_was(host, monkeypatch, fails_to_enable, before, told):
    """Also an older saved file, beside a file that was not written."""
    for name, content in before.items():
        host.write("%s/%s" % (WHERE, name), content)
    faults = [LwError("not now")]

    def reconfigure(*_):
        if faults:
            raise faults.pop()
    monkeypatch.setattr(enable, "reconfigure", reconfigure)
    assert fails_to_enable() == "not now; " + told
    assert {name: host.read("%s/%s" % (WHERE, name)) for name in files(host)} == before
    assert host.list("etc") == (["multipath"] if before else [])


def test_what_cannot_be_made_is_named(host, drop_in, monkeypatch, fails_to_enable):
    def half(path, **_):
        os.mkdir(os.path.dirname(path))
        raise OSError(28, "No space left on device", path)
    monkeypatch.setattr(os, "makedirs", half)
    assert fails_to_enable() == (
        "%s: No space left on device; the configuration is as it was" % drop_in.directory)
    assert host.list("etc") == []


def test_directory_in_its_place(host, drop_in):
    host.make(WHERE + "/zz-latency-weighted.conf")
    with pytest.raises(LwError, match="zz-latency-weighted.conf is a directory; wanted is a regular file"):
        drop_in.write(AllMaps())
