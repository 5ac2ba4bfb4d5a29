"""dm-lw enable for a part of the maps, with real multipathd and two maps."""
# promise output/scope

import os

import pytest

from tests.guest.lib.parametrized import in_full
from tests.lib.command import LONGEST_WAIT, is_loaded, sh, unload_module, wait_until, write_text
from tests.lib.dm_lw import dm_lw, only_this_kernel
from tests.lib.lio import loop_paths, ram_disks
from tests.lib.multipathd import DROP_IN, MAIN, MAIN_CONFIG, running

pytestmark = [pytest.mark.time_limit(240), pytest.mark.programs, pytest.mark.observe]

OURS = "latency-weighted 0"
SERIAL = "6c770002-0000-4000-8000-000000000001"       # the last digits are no part of the WWID
PRODUCT = "lw 2.0 (b)"          # of the second
VENDORS = os.path.join(os.path.dirname(DROP_IN), "pure.conf")
FIRST, SECOND = 0, 1            # the maps, whose products differ


class Site:
    def __init__(self, daemon, names):
        self.daemon = daemon
        self.names = names

    def users(self):
        """Which of the maps use the selector."""
        return [number for number, name in enumerate(self.names)
                if " %s 2 1 " % OURS in sh("dmsetup", "table", name)]

    def wwid(self, number):
        return sh("dmsetup", "info", "-c", "--noheadings", "-o", "uuid",
                  self.names[number]).strip()[len("mpath-"):]

    def begin(self):
        self.daemon.reconfigure()
        wait_until(lambda: self.users() == [], "no map uses the selector", timeout=LONGEST_WAIT)

    def end(self):
        for path in (DROP_IN, VENDORS):
            if os.path.exists(path):
                os.unlink(path)
        write_text(MAIN_CONFIG, MAIN)


@pytest.fixture(scope="module")
def shared_site():
    if is_loaded("dm_latency_weighted"):
        unload_module("dm_latency_weighted")
    with only_this_kernel(), ram_disks(2) as (one, other), loop_paths(one) as paths, \
            loop_paths(other, first=2, serial=SERIAL, product=PRODUCT) as others:
        with running(selector=None) as daemon:
            yield Site(daemon, [daemon.wait_for_map(paths), daemon.wait_for_map(others)])


@pytest.fixture
def site(shared_site):
    shared_site.begin()
    yield shared_site
    shared_site.end()


def maps_by_doctor():
    (line,) = [line for line in dm_lw("doctor").out.splitlines() if line.split()[1] == "maps"]
    return line


def test_one_map_then_the_other_then_all(site):
    first, second = site.names
    told = dm_lw("enable", "--map", first).success()
    assert "%s: %s (was service-time 0)" % (first, OURS) in told and second not in told
    assert site.users() == [FIRST]
    line = maps_by_doctor()
    assert line.startswith("ok") and "%s; not selected for: %s" % (first, second) in line

    dm_lw("enable", "--wwid", site.wwid(SECOND)).success()
    assert site.users() == [FIRST, SECOND]
    assert "no longer for the WWID " + site.wwid(FIRST) in dm_lw(
        "disable", "--map", "/dev/mapper/" + first).success()
    assert site.users() == [SECOND]
    assert "does not select for the WWID " + site.wwid(FIRST) in dm_lw(
        "disable", "--map", first).complaint()

    dm_lw("enable").success()
    assert site.users() == [FIRST, SECOND]
    assert "%s: removed" % DROP_IN in dm_lw("disable").success()
    assert site.users() == [] and not os.path.exists(DROP_IN)


@in_full
def test_one_kind_of_device(site):
    """Its name is taken as it is: as a regular expression, it would not match itself. A vendor's drop-in is beaten."""
    write_text(VENDORS, 'devices {\n\tdevice {\n\t\tvendor "LIO-ORG"\n\t\tproduct ".*"\n'
                        '\t\tpath_selector "round-robin 0"\n\t}\n}\n')
    told = dm_lw("enable", "--device", "LIO-ORG/" + PRODUCT).success()
    assert "%s: %s (was service-time 0)" % (site.names[SECOND], OURS) in told
    assert site.users() == [SECOND]
    assert "%s: removed" % DROP_IN in dm_lw("disable", "--device", "LIO-ORG/" + PRODUCT).success()
    assert site.users() == [] and not os.path.exists(DROP_IN)


@in_full
def test_device_that_is_misspelled(site):
    told = dm_lw("enable", "--device", "LIO-ORG/misspelled").success()
    assert "there is no multipath map yet, of the device LIO-ORG/misspelled; there are: " in told
    assert "LIO-ORG/" + PRODUCT in told.split("there are: ")[1]
    assert site.users() == []
    dm_lw("disable").success()


@in_full
def test_map_that_comes_later(site):
    wwid = site.wwid(SECOND)
    site.daemon.remove_map(site.names[SECOND])
    assert "there is no multipath map yet, of the WWID " + wwid in dm_lw("enable", "--wwid", wwid).success()
    site.daemon.reconfigure()
    wait_until(lambda: os.path.exists("/dev/mapper/" + site.names[SECOND]), "the map is back",
               timeout=LONGEST_WAIT)
    assert site.users() == [SECOND]
    dm_lw("disable", "--wwid", wwid).success()
    assert site.users() == []


@in_full
def test_setting_that_wins(site):
    """overrides over devices: all is put back, and the line is named."""
    write_text(MAIN_CONFIG, MAIN.replace("overrides {", 'overrides {\n\tpath_selector "round-robin 0"'))
    site.daemon.reconfigure()
    told = dm_lw("enable", "--device", "LIO-ORG/" + PRODUCT).complaint()
    line = MAIN[:MAIN.index("overrides")].count("\n") + 2
    assert ("uses round-robin 0 (%s:%d (overrides) says so and wins; this would do: dm-lw enable --map %s)"
            % (MAIN_CONFIG, line, site.names[SECOND])) in told
    assert "all is as it was before" in told
    assert not os.path.exists(DROP_IN) and site.users() == []
    dm_lw("enable", "--map", site.names[SECOND]).success()      # multipaths wins over overrides
    assert site.users() == [SECOND]
    dm_lw("disable").success()


@in_full
def test_section_of_the_same_wwid_keeps_what_else_it_says(site):
    write_text(MAIN_CONFIG, MAIN + """multipaths {
	multipath {
		wwid %s
		no_path_retry 7
	}
}
""" % site.wwid(FIRST))
    dm_lw("enable", "--map", site.names[FIRST]).success()
    assert site.users() == [FIRST]
    shown = site.daemon.ask("show", "config")
    assert "no_path_retry 7" in shown[shown.index("multipaths {"):]
    dm_lw("disable").success()
