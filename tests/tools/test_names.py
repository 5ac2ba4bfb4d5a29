"""Maps with names that programs write differently, or take for something else: in every command, as plain ones."""
# promise output/map-names: A map of any name is found, kept and changed; no name sends control characters to a
#   terminal | by: real multipathd | full: `guests-*`

import json
import re
import shlex
import shutil

import pytest

from dm_lw import apply, bench, cli, disable, doctor, enable, events, kernel_log, maps, settings, topology, unset

from .fake_map import NAME, FakeMap, MapDevice, guardian
from .fake_site import FakeSite, is_the_host

# As libdevmapper gives them to the kernel, by the alias in multipath.conf; the last ones are of other programs.
NAMES = {
    "oracle data": r"oracle\x20data", "data,1": r"data\x2c1", "(a)": r"\x28a\x29", "db: data": r"db:\x20data",
    "-x": "-x", "--help": "--help", "données": r"donn\xc3\xa9es", "a\\b": r"a\x5cb", "50%": r"50\x25",
    "a\x1b[31mb\tc": r"a\x1b\x5b31mb\x09c", "a'b\"$(c)": r"a\x27b\x22\x24\x28c\x29", "my data": "my data",
    "red: \x1b[31m": "red: \x1b[31m", "plain": "plain",
}
CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f]")
EVENT = "device-mapper: multipath latency-weighted: dm-0 (%s): path sd0a became slow 5.120 s ago: was 5 us, is 30871 us"


RED = "red\x1b[31m"


@pytest.mark.parametrize("words", [["stat"], ["show"], ["topology"], ["stat", "--prometheus", "-"]])
def test_directory_that_the_kernel_does_not_make(sys_tree, tool, words):
    """As in a copy of another host's /sys."""
    paths = sys_tree / "kernel/dm-latency-weighted/dm-0/paths"
    shutil.copytree(str(paths / "sda"), str(paths / RED))
    (sys_tree / "block/dm-0/slaves" / RED).mkdir(parents=True)
    (sys_tree / "block" / RED).mkdir()
    (sys_tree / "dev/block").mkdir(parents=True, exist_ok=True)
    (sys_tree / "dev/block/8:0").symlink_to(sys_tree / "block" / RED)
    status, out, _ = tool.run(*words)
    assert status == 0 and "mpatha" in out and "\x1b" not in out


@pytest.fixture(params=NAMES, ids=[repr(name) for name in NAMES])
def own(request):
    """As its user writes it."""
    return request.param


@pytest.fixture
def site(in_memory, clock, monkeypatch, own):
    site = FakeSite(in_memory, NAMES[own], "mpathb")
    monkeypatch.setattr(kernel_log, "records", lambda follow=False: iter([(clock.now, EVENT % kernel_name(own))]))
    return is_the_host(site, monkeypatch, (apply, disable, doctor, enable, settings, topology, unset))


def kernel_name(own):
    """As /sys and the kernel log show it."""
    return "".join(char if char.isprintable() else "\\x%02x" % ord(char) for char in NAMES[own])


@pytest.fixture
def run(site, capsys):
    """dm-lw; what it printed. It succeeds, and prints nothing that could confuse a terminal."""
    def run(*words, status=0):
        try:
            was = cli.main(["--sysfs", site.sysfs.root, *words])
        except SystemExit as end:
            was = end.code
        out, err = capsys.readouterr()
        assert not CONTROL.search(out + err), (out, err)
        assert was == status, err
        return out + err
    return run


def spellings(own):
    kernel = kernel_name(own)
    for name in dict.fromkeys((own, kernel)):
        yield from (name, "/dev/mapper/" + name)


CONF_D = "etc/multipath/conf.d"
READ = (["stat"], ["show"], ["latency"], ["topology"], ["topology", "-j"], ["stat", "-j"], ["reset"], ["events"],
        ["stat", "--prometheus", "-"])


def test_shown(run, own):
    """Called by either spelling; what is shown is that of /sys and /dev/mapper."""
    for words in READ:
        for name in spellings(own):
            told = run(*words, "--", name)
            assert words == ["reset"] or kernel_name(own) in told.replace("\\\\", "\\").replace('\\"', '"'), words
            assert "-j" in words or "mpathb" not in told, words


def test_recorded(run, own, in_memory):
    file = str(in_memory / "recording")
    run("record", file, "1", "3")
    for name in spellings(own):
        told = run("report", file, "--", name) if name[0] != "-" else run("report", "--", file, name)
        assert kernel_name(own) in told and "mpathb" not in told


def test_states_are_known(run, own):
    """The map of dm and the module's are one."""
    (found,) = json.loads(run("topology", "-j", "--", own))["maps"]
    assert found["dm"] == "dm-0"
    assert [(path["state"], path["latency_us"]) for path in found["groups"][0]["paths"]] == [("active", 1200)] * 2


def test_set_and_kept(run, site, own):
    for value, name in enumerate(spellings(own), 30):
        assert "max_penalty" in run("set", "--persist", "--", name, "max_penalty=%d" % value)
        assert "prefer" in run("set", "--", name + "/sd0a", "prefer=%d" % (value % 2))
        site.write("sys/kernel/dm-latency-weighted/dm-0/max_penalty", "20\n")
        assert "max_penalty 20 -> %d" % value in run("apply", "--", name)
        assert "no longer kept" in run("unset", "--", name)


def test_pilot(run, site, own):
    for name in spellings(own):
        assert "%s: latency-weighted 0 (was service-time 0)" % kernel_name(own) in run("enable", "--map=" + name)
        assert site.users() == [0]
        run("disable", "--map=" + name)
        assert site.users() == []


def test_all(run, site, own):
    told = run("enable")
    assert site.users() == [0, 1] and "%s: latency-weighted 0" % kernel_name(own) in told
    run("doctor", status=doctor_status(site))
    assert "%s: service-time 0" % kernel_name(own) in run("disable")
    assert site.users() == []


def doctor_status(site):
    """What else is wrong on the fake host is no business of this test."""
    return max(doctor.STATUSES.get(finding.result, 0) for _, finding in doctor.diagnose(site))


def test_multipathd_that_takes_the_paths(run, site, own):
    """0.15.1 was seen to: enable and doctor say so before it is told to reconfigure."""
    site.answer("multipath -h", "multipath-tools v0.15.1 (8/27, 2026)\n")
    is_mangled = maps.own_spelling(kernel_name(own)) != kernel_name(own)
    told = run("enable", status=1 if is_mangled else 0)
    assert ("takes all paths" in told and kernel_name(own) in told) == is_mangled == (site.asked.count(("reconfigure",)) == 0)
    assert ("takes all paths" in run("doctor", status=doctor_status(site))) == is_mangled
    run("enable", "--force")
    assert site.users() == [0, 1]
    asked = site.asked.count(("reconfigure",))
    told = run("disable", status=1 if is_mangled else 0)
    assert ("takes all paths" in told) == is_mangled == (site.asked.count(("reconfigure",)) == asked)
    assert site.users() == ([0, 1] if is_mangled else []) and bool(site.list(CONF_D)) == is_mangled
    run("disable", "--force", "--if-enabled")
    assert (site.users(), site.list(CONF_D)) == ([], [])


def test_no_map_is_lost_with_the_module(run, site, own):
    """At the last moment: the maps are held open, and all is put back."""
    site.module_goes = True
    for words in (["enable"], ["enable", "--map=" + own]):
        assert "all is as it was before" in run(*words, status=1)
        assert list(site.selectors.values()) == ["service-time 0"] * 2
        assert site.list("etc/multipath/conf.d") == []


def test_doctor_sees_the_map(run, site, own):
    site.write("sys/kernel/dm-latency-weighted/dm-0/accounting", "0\n")
    site.write("etc/multipath.conf", 'defaults {\n\tpath_selector "latency-weighted 0"\n}\n')
    told = run("doctor", status=doctor_status(site))
    assert "%s uses service-time 0" % kernel_name(own) in told
    command = " ".join(re.search(r"-> (dm-lw set .*?) accounting=1;", told, re.S)[1].split())
    if "  " not in kernel_name(own):
        (_, _, word) = shlex.split(command)
        assert maps.find_map(site.sysfs, maps.list_maps(site.sysfs), word).dm == "dm-0" and word[0] != "-"


def test_bench(tmp_path, own, tool, monkeypatch):
    """dmsetup is told the map's number."""
    host = FakeMap(tmp_path)
    host.write("sys/block/dm-3/dm/name", NAMES[own] + "\n")
    monkeypatch.setattr(MapDevice, "resume", lambda device: device.host.resume())
    monkeypatch.setattr(guardian.syslog, "syslog", lambda *_: None)
    monkeypatch.setattr(bench, "Host", lambda sysfs: host)
    dmsetup, live = host.dmsetup, host.live

    def by_number(verb, *words):
        assert ("--major", "253", "--minor", "3") == words[-4:] or "--major" in words and "load" == verb
        return dmsetup(verb, *words)

    host.dmsetup = by_number
    for name in spellings(own):
        status, out, err = tool.run("bench", "--runtime", "1", "--repeat", "1", "--job", "randread-1", "--", name)
        assert status == 0 and host.live == live and not CONTROL.search(out + err), err
        assert NAME not in out + err


def test_unknown_name(run, own):
    told = run("show", "--", own + "\x1b[31m", status=1)
    assert "no map is called" in told and kernel_name(own) in told
