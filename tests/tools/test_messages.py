"""What dm-lw says of usage and at the end of a command: in the words of who reads it."""
import pytest
from dm_lw import disable, doctor, enable, intervals, scope
from dm_lw.doctor import checks_multipath
from dm_lw.doctor.finding import OK, WARN, Finding
from dm_lw.dropin import DropIn
from dm_lw.host import NotPermitted
from dm_lw.scope import AllMaps, OneDevice

from .conftest import commands
from .fake_host import ONE_GROUP, TABLE, FakeHost, only
from .trees import NOON, map_text, path_files, write


WITHOUT_WORDS = ("enable", "disable", "doctor")


@pytest.mark.parametrize("command", commands())
def test_usage_of_the_command(tool, command):
    """Whoever mistypes an option of stat wants to see stat's."""
    complaint = tool.fails(command, "--nonsense", *[] if command in WITHOUT_WORDS else ["a"], status=2)
    assert complaint.startswith("usage: dm-lw %s " % command), complaint
    assert complaint.endswith("dm-lw %s: error: unrecognized arguments: --nonsense\n" % command)


@pytest.mark.parametrize("command, told", [
    ("latency", "required: MAP"), ("record", "required: FILE"), ("set", "required: MAP[/PATH]")])
def test_required_is_what_is_required(tool, command, told):
    assert tool.fails(command, status=2).rstrip().endswith(told)


def run(capsys, *words):
    from dm_lw import cli
    with pytest.raises(SystemExit) as end:
        cli.main(list(words))
    return end.value.code, *capsys.readouterr()


def test_no_command(capsys):
    """The list of commands, as git has it."""
    status, out, err = run(capsys)
    assert (status, out) == (2, "") and "error" not in err
    assert all("    %s " % command in err for command in commands())


def test_words_for_options(capsys):
    for words, same in ((["help"], ["--help"]), (["help", "stat"], ["stat", "--help"]), (["version"], ["--version"])):
        told = run(capsys, *words)
        assert told == run(capsys, *same) and told[0] == 0


@pytest.mark.parametrize("count", ["0", "1.5"])
def test_count(count):
    with pytest.raises(Exception, match="\"%s\" is no COUNT: it must be a whole number, 1 or more" % count):
        intervals.split(["1", count])


def test_doctor_says_nothing_if_nothing_is_wrong(tool, monkeypatch):
    """Cron mails whatever it says, were it an empty line."""
    monkeypatch.setattr(doctor, "diagnose", lambda host: [("clock", Finding(OK, "fine"))])
    assert tool("doctor", "-q") == ""
    assert tool("doctor").endswith("all is well\n")


@pytest.mark.parametrize("count, told", [(1, "1 warning"), (3, "3 warnings")])
def test_warnings(count, told):
    assert doctor.summary([OK] + [WARN] * count) == told


@pytest.fixture
def host(tmp_path):
    host = FakeHost(tmp_path)
    host.add_map("dm-0", "mpatha")
    host.set_tables(TABLE % ("mpatha", ONE_GROUP % "latency-weighted"))
    host.answer("dmsetup status", "")
    return host


def paths(host, *states, known=3600):
    """Of a map on which I/O goes on, whose paths became known so many seconds ago."""
    write(map_text("dm-0", "mpatha", "3600a", {
        "sd%s" % "ab"[number]: path_files("8:%d" % (16 * number), state=state, state_since="%d.123" % (NOON - 61),
                                                 known_since="%d.000" % (NOON - known))
        for number, state in enumerate(states)}), host.path("sys"))
    return only(checks_multipath.paths(host))


def test_paths_that_are_not_well(host, clock):
    assert paths(host, "active", "new") == ("ok", "no path is failed, or became slow")
    assert paths(host, "failed", "active") == ("warn", "1 path failed (mpatha/sda since 12:58:59), 0 slow")
    assert paths(host, "failed", "probing") == (
        "warn", "1 path failed (mpatha/sda since 12:58:59), 1 slow (mpatha/sdb since 12:58:59)")
    assert paths(host, "failed", "failed")[1].startswith("2 paths failed (mpatha/sda since ")


def test_a_path_that_is_always_farther_is_no_fault(host, clock):
    """It is slow since the module knows it; a failed one is a fault at any time."""
    assert paths(host, "active", "probing", known=90) == (
        "ok", "no path is failed, or became slow; farther than others all the time: mpatha/sdb")
    assert paths(host, "failed", "active", known=90)[0] == "warn"


def test_files_for_root(host, monkeypatch):
    """By their whole names."""
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")
    for name, call in (("os.listdir", host.list), ("builtins.open", host.read)):
        with monkeypatch.context() as patch:
            patch.setattr(name, refuse)
            with pytest.raises(NotPermitted) as told:
                call("etc/multipath/conf.d")
        assert str(told.value) == host.path("etc/multipath/conf.d") + ": needs root"


def add_device(host, vendor, product):
    for name, text in (("vendor", vendor), ("model", product)):
        host.write("sys/dev/block/8:0/device/" + name, text + "\n")


@pytest.mark.parametrize("word, there, meant", [
    ("LIO-ORG,LUN-A", ("LIO-ORG", "LUN-A"), ("LIO-ORG", "LUN-A")),
    ("IBM,S/390", ("IBM", "S/390"), ("IBM", "S/390")),      # as multipath -ll prints it
    ("A,B/C", ("A,B", "C"), ("A,B", "C")), ("IBM,S/390", ("X", "Y"), ("IBM,S", "390"))])
def test_device_as_multipath_prints_it(host, word, there, meant):
    add_device(host, *there)
    args = type("Args", (), {"map": None, "wwid": None, "device": scope.device(word)})
    assert scope.chosen(args, host) == OneDevice(*meant)


def test_wwid_that_was_never_seen(host, capsys):
    host.write("etc/multipath/wwids", "# Multipath wwids\n/3600a/\n")
    enable.warn_if_unknown(host, "3600a")
    assert capsys.readouterr().err == ""
    enable.warn_if_unknown(host, "nonsense")
    assert "no map here has had the WWID nonsense yet" in capsys.readouterr().err


def test_foretold_by_disable(host):
    """What a dry run prints would happen; what happened is told after it."""
    drop_in = DropIn(host, "etc/multipath/conf.d")
    drop_in.write(AllMaps())
    _, foretold, told = disable.choose(drop_in, force=False)
    assert (foretold, told) == ("would remove " + drop_in.file, drop_in.file + ": removed")
    host.write("etc/multipath/conf.d/zz-latency-weighted.conf", "# somebody's\n")
    _, foretold, told = disable.choose(drop_in, force=True)
    assert foretold.startswith("would rename ") and ": renamed to " in told
