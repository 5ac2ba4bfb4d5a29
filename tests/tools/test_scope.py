"""A pilot: the selector for one map, one WWID or one kind of device, and what doctor says of it."""
# promise output/scope: `dm-lw enable` for one map, a WWID or one kind of device changes no other map; `disable`
#   ends each part separately | full: `guests-*`

import argparse
import re

import pytest
from dm_lw import disable, enable, scope
from dm_lw.doctor import checks_conf, checks_multipath
from dm_lw.dropin import DropIn
from dm_lw.errors import LwError
from dm_lw.live_tables import Table
from dm_lw.multipath_conf import parse
from dm_lw.scope import AllMaps, LikeDevices, OneDevice, OneMap

from .fake_host import TABLE, FakeHost, only

WHERE = "etc/multipath/conf.d"
ONE, TWO = OneMap("3600a"), OneDevice("LIO-ORG", "lw")


@pytest.fixture
def host(tmp_path):
    host = FakeHost(tmp_path)
    for number, vendor, model in (("8:0", "LIO-ORG ", "lw  "), ("8:16", "NETAPP", "LUN C-Mode")):
        host.write("sys/dev/block/%s/device/vendor" % number, vendor + "\n")
        host.write("sys/dev/block/%s/device/model" % number, model + "\n")
    host.write("sys/dev/block/259:0/device/model", "Fast Disk\n")
    for dm, name, uuid in (("dm-0", "mpatha", "mpath-3600a"), ("dm-1", "mpathb", "mpath-3600b")):
        host.add_map(dm, name, uuid)
    return host


@pytest.fixture
def drop_in(host):
    return DropIn(host, WHERE)


def tables(host, first, second):
    group = "1 1 %s 0 1 1 %s 1"
    host.set_tables(TABLE % ("mpatha", group % (first, "8:0")),
                    TABLE % ("mpathb", group % (second, "8:16")))


@pytest.mark.parametrize("expected", [
    AllMaps(), AllMaps("overrides"), ONE, TWO, OneDevice("NVME", "a.b [c] (d)+ {2} \\ $^|*?"),
    OneDevice("IBM", "S/390 DASD ECKD")], ids=str)
def test_what_is_written_is_what_is_read(drop_in, expected):
    assert drop_in.write(expected)
    assert drop_in.scopes() == [expected]
    assert drop_in.is_dm_lws() and not drop_in.write(expected)


@pytest.mark.parametrize("text", ["LUN C-Mode", "a.b", "[x]", "2+2", "{2}", "a|b", "\\", "^$", "(?)"])
def test_expression_matches_nothing_else(text):
    """Python's are like POSIX' as far as these go."""
    expression = re.compile(scope.exactly(text))
    assert expression.search(text) and scope.meant_by(scope.exactly(text)) == text
    for other in (text + "x", "x" + text, text[:-1], "axb", "b", "22", ""):
        assert not expression.search(other), other


def test_expression_of_others_stays():
    (found,) = scope.scopes_in(parse("devices {\n device {\n vendor NET.*\n product \"LUN\"\n"
                                     " path_selector \"latency-weighted 0\"\n}\n}", "f"))
    assert found == LikeDevices("NET.*", "LUN")


def test_expressions_of_others_are_matched(host):
    tables(host, "latency-weighted", "service-time")
    first, second = scope.multipathds(host)
    for product, covered in (("LUN.*", True), ("^LUN", True), ("LUN$", False), ("L[UV]N", True), ("(", False)):
        like = LikeDevices("NETAPP", product)
        assert [like.covers(host, first), like.covers(host, second)] == [False, covered], product


def test_order_within_a_block_does_not_matter():
    text = ("multipaths {\n multipath {\n wwid A\n path_selector \"round-robin 0\"\n }\n"
            " multipath {\n path_selector \"latency-weighted 0\"\n wwid B\n }\n}\n"
            "devices {\n device {\n path_selector \"latency-weighted 0\"\n product \"^P$\"\n vendor \"^V$\"\n }\n}\n")
    assert scope.scopes_in(parse(text, "f")) == [OneMap("B"), OneDevice("V", "P")]


@pytest.mark.parametrize("written, value", [
    ("latency-weighted 0", "latency-weighted"), ("\"latency-weighted 0\" x", "latency-weighted 0"),
    ("latency-weighted#0", "latency-weighted"), ("latency-weighted!0", "latency-weighted")])
def test_value_is_the_first_word_or_what_is_in_quotes(written, value):
    (setting,) = parse("}\ndefaults {\n path_selector %s\n}\n}\n" % written, "f")
    assert (setting.section, setting.value) == (("defaults",), value)
    assert bool(scope.scopes_in([setting])) == (value == "latency-weighted 0")


def test_parts_come_together_until_all_take_their_place(drop_in):
    assert drop_in.write(ONE) and drop_in.write(TWO) and drop_in.write(OneMap("3600b"))
    assert drop_in.scopes() == [ONE, TWO, OneMap("3600b")]
    assert drop_in.write(AllMaps())
    assert drop_in.scopes() == [AllMaps()]
    assert not drop_in.write(ONE)


def test_parts_are_not_mixed_into_a_file_made_by_hand(host, drop_in):
    host.set_drop_in("round-robin 0")
    assert drop_in.write(ONE)
    assert drop_in.scopes() == [ONE]
    drop_in.take_back()
    assert "round-robin" in drop_in.text()


def test_last_word_counts():
    text = "multipaths {\n multipath {\n wwid 3600a\n path_selector \"%s\"\n}\n}\n"
    ours, other = text % "latency-weighted 0", text % "round-robin 0"
    assert scope.scopes_in(parse(ours + other, "f")) == []
    assert scope.scopes_in(parse(other + ours, "f")) == [ONE]


def test_parts_are_taken_back_one_by_one(host, drop_in):
    for each in (ONE, TWO):
        drop_in.write(each)
    assert disable.remaining(drop_in, ONE) == [TWO]
    drop_in.leave([TWO])
    with pytest.raises(LwError, match="does not select for the WWID 3600a, but for the device LIO-ORG/lw$"):
        disable.remaining(drop_in, ONE)
    assert disable.remaining(drop_in, TWO) == []
    host.set_drop_in("latency-weighted 0")
    with pytest.raises(LwError, match="does not select for the device LIO-ORG/lw$"):
        disable.remaining(drop_in, TWO)


@pytest.mark.parametrize("path, expected", [
    ("8:0", ("LIO-ORG", "lw")), ("8:16", ("NETAPP", "LUN C-Mode")), ("259:0", ("NVME", "Fast Disk")),
    ("8:99", ("NVME", None))])
def test_devices(host, path, expected):
    assert scope.device_of(host, path) == expected


def test_what_is_covered(host):
    tables(host, "latency-weighted", "service-time")
    first, second = scope.multipathds(host)
    for each, covered in ((AllMaps(), [True, True]), (ONE, [True, False]), (TWO, [True, False]),
                          (OneDevice("NETAPP", "LUN C-Mode"), [False, True]),
                          (OneDevice("NETAPP", "LUN"), [False, False])):
        assert [each.covers(host, first), each.covers(host, second)] == covered, each
    assert Table("by-hand", uuid="LVM-x").wwid == ""


def test_what_enable_waits_for(host, drop_in):
    """That the maps of the part change, and that multipathd goes by it for those that come later."""
    host.answer("multipathd show daemon", "pid 12 idle\n")
    host.answer("multipathd show config", "\n".join(ONE.lines()))
    for first, expected in (("service-time", ["mpatha uses service-time 0"]), ("latency-weighted", [])):
        tables(host, first, "service-time")
        assert enable.faults(host, drop_in, [], ONE) == expected
    assert enable.faults(host, drop_in, [], OneMap("3600c")) == [
        "multipathd's configuration does not select it for the WWID 3600c"]
    host.answer("multipathd show config", "\n".join(AllMaps().lines()))
    assert enable.faults(host, drop_in, [], ONE) == []


@pytest.mark.parametrize("word", ["", "a b", 'a"b', "a\tb", "ä", "x" * 128, "a\n"])
def test_no_wwid(word):
    with pytest.raises(argparse.ArgumentTypeError, match="is no WWID: wanted are 1 to 127"):
        scope.wwid(word)


@pytest.mark.parametrize("made", ['1ATA"', "1ATA\n}\n}\ndefaults {", "1\x1b[31m", "1\u00e4"])
def test_wwid_of_an_array_that_would_be_more_than_a_value(host, drop_in, made):
    spelled = "".join(letter if letter.isalnum() and letter.isascii() else
                      "".join(r"\x%02x" % byte for byte in letter.encode()) for letter in made)
    host.add_map("dm-2", "mpathc", "mpath-" + spelled)
    host.set_tables(TABLE % ("mpathc", "1 1 service-time 0 1 1 8:0 1"))
    with pytest.raises(LwError, match="^mpathc: its WWID \".*\" cannot be written to multipath.conf$"):
        scope.chosen(argparse.Namespace(map="mpathc", wwid=None, device=None), host)
    assert drop_in.text() is None


@pytest.mark.parametrize("word", ["", "NETAPP", "/LUN", "NETAPP/", " / ", 'A/"', "A/b\nc", "A/ü"])
def test_no_device(word):
    with pytest.raises(argparse.ArgumentTypeError, match="is not VENDOR/PRODUCT, as in \"NETAPP/LUN C-Mode\""):
        scope.device(word)


def test_device_with_a_slash_and_blanks():
    assert scope.device("IBM/S/390 DASD ECKD") == [OneDevice("IBM", "S/390 DASD ECKD")]


@pytest.mark.parametrize("words", [["--map", "a", "--wwid", "b"], ["--section", "overrides", "--map", "a"],
                                   ["--wwid", "a b"], ["--device", "x"]])
def test_wrong_usage(tool, words):
    assert "error: argument" in tool.fails("enable", *words, status=2)


def doctor_on(host, drop_in, first, second, *scopes):
    tables(host, first, second)
    for each in scopes:
        drop_in.write(each)
    return only(checks_multipath.maps(host))


def test_doctor_of_a_pilot(host, drop_in):
    assert doctor_on(host, drop_in, "latency-weighted", "service-time", ONE) == (
        "ok", "latency-weighted: mpatha; not selected for: mpathb")
    assert only(checks_conf.selector(host))[0] == "ok"


@pytest.mark.parametrize("part", [ONE, TWO], ids=str)
def test_doctor_of_a_pilot_that_is_not_in_force(host, drop_in, part):
    assert doctor_on(host, drop_in, "service-time", "service-time", part) == (
        "warn", "mpatha uses service-time 0")


def test_doctor_of_a_pilot_whose_map_is_not_there(host, drop_in):
    assert doctor_on(host, drop_in, "service-time", "service-time", OneMap("3600c")) == (
        "ok", "latency-weighted: none; not selected for: mpatha, mpathb")


def test_enable_does_not_wait_for_a_map_that_lost_all_paths(host, drop_in):
    """multipathd gives it no selector before a path comes."""
    host.answer("multipathd show daemon", "pid 12 idle\n")
    host.answer("multipathd show config", "\n".join(AllMaps().lines()))
    host.set_tables(TABLE % ("mpatha", "1 1 latency-weighted 0 1 1 8:0 1"),
                    "mpathb: 0 2048 multipath 1 queue_if_no_path 0 0 0")
    assert enable.faults(host, drop_in, [], AllMaps()) == []
