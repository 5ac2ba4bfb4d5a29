"""Which setting of multipath's configuration counts for a map, and what enable and disable say of it."""
# promise output/dm-lw-enable

import argparse
import os
from types import SimpleNamespace

import pytest

from dm_lw import disable, dm_ioctl, enable
from dm_lw.errors import LwError
from dm_lw.scope import OneDevice
from dm_lw.winning import Configuration

from .fake_site import FakeSite

MAIN, CONF_D = "etc/multipath.conf", "etc/multipath/conf.d/"
DEVICE = 'devices {\n\tdevice {\n\t\tvendor "%s"\n\t\tproduct "%s"\n\t\tpath_selector "%s 0"\n\t}\n}\n'
SECTION = '%s {\n\tpath_selector "%s 0"\n}\n'
MAP = 'multipaths {\n\tmultipath {\n\t\twwid "%s"\n\t\tpath_selector "%s 0"\n\t}\n}\n'
OF_SITE = DEVICE % ("LIO", "lw", "queue-length")
WOULD_DO = "this would do: "


@pytest.fixture
def site(tmp_path, clock, monkeypatch):
    site = FakeSite(tmp_path, "mpatha", r"oracle\x20data")
    for number in (0, 1):
        for path in site.paths(number):
            for name, text in (("vendor", "LIO-ORG "), ("model", "lw")):
                site.write("sys/dev/block/%s/device/%s" % (path, name), text)
    for module in (enable, disable):
        monkeypatch.setattr(module, "Host", lambda sysfs: site)
    return site


def arguments(section="defaults", name=None, device=None):
    return argparse.Namespace(sysfs=None, section=section, map=name, wwid=None, device=device, force=False, dry_run=False,
                              if_enabled=False, timeout=90)


def fails(site, **values):
    """What enable says; the command that it recommends works."""
    site.reconfigure()
    before = dict(site.selectors)
    with pytest.raises(LwError) as failed:
        enable.run(arguments(**values))
    assert (site.selectors, site.users()) == (before, [])
    return str(failed.value)


def obey(site, told):
    """Run the command for the first map that it names."""
    words = told.split(WOULD_DO)[1].split(")")[0].split()
    assert words[:2] == ["dm-lw", "enable"]
    enable.run(arguments(**{"--section": dict(section=words[3]), "--map": dict(name=words[3])}[words[2]]))
    assert 0 in site.users()


@pytest.mark.parametrize("file", [MAIN, CONF_D + "pure.conf"])
def test_vendors_device(site, file):
    """Beside the devices of other arrays, which do not matter here."""
    site.write(file, "".join(DEVICE % (vendor, ".*", "round-robin") for vendor in ("NETAPP", "DGC", "IBM")) + OF_SITE)
    told = fails(site)
    assert told.startswith(r"mpatha, oracle\x20data use queue-length 0 (/%s:26 (devices device) says so and wins; "
                           "this would do: dm-lw enable --section overrides)" % file)
    assert "round-robin" not in told and "all is as it was before" in told
    obey(site, told)


def test_device_of_multipaths_own_table(site):
    site.own_table = OF_SITE
    told = fails(site)
    assert "(multipath's own table of devices says so and wins; this would do: dm-lw enable --section overrides)" in told
    obey(site, told)


def test_map_that_has_a_setting_of_its_own_keeps_it(site, capsys):
    """The administrator exempts it: from all maps, or all of an array, but not if it is asked for by name."""
    site.write(MAIN, MAP % ("36001", "round-robin"))
    site.reconfigure()
    enable.run(argparse.Namespace(**{**vars(arguments()), "dry_run": True}))
    assert r"would keep oracle\x20data: round-robin 0" in capsys.readouterr().out
    for section in ({}, {"device": [OneDevice("LIO-ORG", "lw")]}):
        enable.run(arguments(**section))
        assert site.users() == [0]
        told = capsys.readouterr().out
        assert (r"oracle\x20data: keeps its selector: /etc/multipath.conf:4 (multipaths multipath) says so for this map"
                "\nmpatha: latency-weighted 0") in told
        assert r"oracle\x20data: latency" not in told
        disable.run(arguments())
    enable.run(arguments(name=r"oracle\x20data"))
    assert site.users() == [1]


def test_such_a_map_is_not_asked_for_beside_all(site):
    site.write(MAIN, MAP % ("36001", "round-robin"))
    site.reconfigure()
    enable.run(arguments())
    with pytest.raises(LwError) as failed:
        enable.run(arguments(name=r"oracle\x20data"))
    assert ("(/etc/multipath.conf:4 (multipaths multipath) says so for this map: remove it there, or disable first)"
            in str(failed.value))
    assert site.users() == [0]


def test_each_map_has_a_winner_of_its_own(site):
    site.write(MAIN, OF_SITE + MAP % ("36001", "round-robin"))
    told = fails(site)
    assert "mpatha uses queue-length 0 (/etc/multipath.conf:5 (devices device) says so and wins; " in told
    assert "round-robin" not in told


def test_overrides(site):
    """Ours in the same section are read later; in another one only those of a map win."""
    site.write(MAIN, SECTION % ("overrides", "round-robin"))
    told = fails(site)
    assert "this would do: dm-lw enable --section overrides)" in told
    obey(site, told)


def test_drop_in_that_is_read_later_still(site):
    site.write(CONF_D + "zzz.conf", SECTION % ("overrides", "round-robin"))
    told = fails(site, section="overrides")
    assert "mpatha uses round-robin 0 (/etc/multipath/conf.d/zzz.conf:2 (overrides) says so and wins; " \
           "this would do: dm-lw enable --map mpatha)" in told
    obey(site, told)


def test_nothing_would_do(site):
    site.write(CONF_D + "zzz.conf", MAP % ("36000", "round-robin"))
    assert "(/etc/multipath/conf.d/zzz.conf:4 (multipaths multipath) says so and wins; remove it there)" in fails(
        site, name="mpatha")


def test_vendors_drop_in_is_beaten(site):
    """Its defaults, and its settings for the same map: what is read last counts."""
    for name in ("pure.conf", "zfs.conf", "~x", "zx.conf"):
        site.write(CONF_D + name, SECTION % ("defaults", "round-robin") + MAP % ("36000", "round-robin"))
    enable.run(arguments(name="mpatha"))
    assert site.users() == [0]
    disable.run(arguments(name="mpatha"))
    assert site.users() == []


def test_vendors_device_is_beaten_by_the_same_device(site):
    site.write(CONF_D + "pure.conf", OF_SITE)
    site.reconfigure()
    enable.run(arguments(device=[OneDevice("LIO-ORG", "lw")]))
    assert site.users() == [0, 1]


def test_map_that_lost_all_paths_is_told(site, capsys):
    tell = site.tell

    def without_paths():
        tell()
        site.tables["mpatha", dm_ioctl.LIVE_TABLE] = "0 2048 multipath 1 queue_if_no_path 0 0 0"
    site.tell = without_paths
    site.reconfigure()
    enable.run(arguments())
    told = capsys.readouterr().out
    assert "mpatha: lost all paths; it gets the selector with the first that comes back" in told
    assert r"oracle\x20data: latency-weighted 0 (was service-time 0)" in told


def test_map_that_has_no_paths_for_a_while(site, clock):
    """multipathd may load such a table before the one with the selector."""
    tell = site.tell

    def without_paths():
        tell()
        if site.users():
            site.tables["mpatha", dm_ioctl.LIVE_TABLE] = "0 2048 multipath 0 0 0 0"
            clock.later += [lambda: None] * 3 + [tell]
    site.tell = without_paths
    began = clock.now
    enable.run(arguments())
    assert clock.now - began >= 1.5


def takes_paths(site, name):
    """multipathd reloads this map without paths, from now on."""
    tell = site.tell

    def without_paths():
        tell()
        site.tables[name, dm_ioctl.LIVE_TABLE] = "0 2048 multipath 0 0 0 0"
    site.tell = without_paths


def test_disable_does_not_take_a_map_without_paths_for_done(site):
    enable.run(arguments())
    takes_paths(site, "mpatha")
    with pytest.raises(LwError, match="the drop-in is taken back, but: mpatha has no paths any more$"):
        disable.run(arguments())


def test_part_of_a_pilot_whose_reconfigure_takes_the_paths_of_another_map(site):
    takes_paths(site, r"oracle\x20data")
    with pytest.raises(LwError) as failed:
        enable.run(arguments(name="mpatha"))
    told = r"oracle\x20data has no paths any more"
    assert str(failed.value) == "%s; the configuration is as it was, but the maps may not be: %s" % (told, told)
    assert site.list(CONF_D) == []


def test_directories_are_no_configuration(site):
    """multipath reads nothing of them."""
    site.make(CONF_D + "zzz.conf")
    site.write(MAIN, OF_SITE)
    assert "this would do: dm-lw enable --section overrides)" in fails(site)
    disable.run(arguments())


def test_disable_names_what_still_selects(site, capsys):
    enable.run(arguments())
    site.write(MAIN, MAP % ("36000", "latency-weighted"))
    with pytest.raises(LwError) as failed:
        disable.run(arguments())
    assert site.users() == [0]
    assert ("mpatha still uses latency-weighted 0 (/etc/multipath.conf:4 (multipaths multipath) selects it)"
            in str(failed.value))


OLD, NEW = "latency-weighted.conf", "zz-latency-weighted.conf"


def earlier(site, section="defaults"):
    """As an earlier version of dm-lw left it."""
    enable.run(arguments(section=section))
    os.rename(site.path(CONF_D + NEW), site.path(CONF_D + OLD))


def test_enable_moves_what_an_earlier_version_wrote(site, capsys):
    earlier(site)
    site.write(CONF_D + OLD + ".before-dm-lw", SECTION % ("defaults", "queue-length"))
    enable.run(arguments())
    assert site.list(CONF_D) == [OLD + ".before-dm-lw", NEW] and site.users() == [0, 1]
    disable.run(arguments())
    assert site.list(CONF_D) == [OLD] and site.users() == []
    assert "queue-length" in site.read(CONF_D + OLD)


def test_disable_removes_what_an_earlier_version_wrote(site, capsys):
    earlier(site)
    disable.run(arguments())
    assert site.list(CONF_D) == [] and site.users() == []
    assert "%s: removed" % site.path(CONF_D + OLD) in capsys.readouterr().out


def test_parts_of_a_pilot_are_moved(site):
    enable.run(arguments(name="mpatha"))
    os.rename(site.path(CONF_D + NEW), site.path(CONF_D + OLD))
    enable.run(arguments(name="oracle data"))
    assert site.list(CONF_D) == [NEW] and site.users() == [0, 1]
    disable.run(arguments(name="mpatha"))
    assert site.users() == [1]


def test_failure_leaves_what_an_earlier_version_wrote(site):
    earlier(site)
    before = site.read(CONF_D + OLD)
    site.write(MAIN, SECTION % ("overrides", "round-robin"))
    fails(site)
    assert site.list(CONF_D) == [OLD] and site.read(CONF_D + OLD) == before


def test_what_was_added_to_it_is_not_lost(site):
    earlier(site)
    site.write(CONF_D + OLD, site.read(CONF_D + OLD) + "defaults {\n\tno_path_retry 7\n}\n")
    with pytest.raises(LwError, match='has lines that dm-lw did not write, such as "no_path_retry 7"'):
        enable.run(arguments(section="overrides"))
    disable.run(arguments())
    assert site.list(CONF_D) == [OLD + ".kept-by-dm-lw"]


def test_file_made_by_hand_is_left_alone(site):
    site.write(CONF_D + OLD, SECTION % ("defaults", "latency-weighted"))
    enable.run(arguments())
    assert site.list(CONF_D) == [OLD, NEW]
    with pytest.raises(LwError, match=r"use latency-weighted 0 \(/etc/multipath/conf.d/latency-weighted.conf:2 \(defaults\) selects it"):
        disable.run(arguments())
    assert site.list(CONF_D) == [OLD]


@pytest.mark.parametrize("directory, file, later", [
    ("etc/multipath/conf.d", "/etc/multipath/conf.d/zzz.conf", True),
    ("etc/multipath/conf.d", "/etc/multipath/conf.d/pure.conf", False),
    ("etc/multipath/conf.d", "/etc/multipath.conf", False),
    ("etc/drop-ins", "/etc/multipath.conf", False), ("a", "/etc/multipath.conf", False),
    ("etc/multipath/conf.d/", "/etc/multipath/conf.d//zzz.conf", True)])
def test_what_is_read_after_the_drop_in(directory, file, later):
    """Where config_dir comes before /etc in the alphabet, multipath.conf is no later for that."""
    configuration = SimpleNamespace(directory=directory)
    assert Configuration.is_later(configuration, SimpleNamespace(file=file)) == later
