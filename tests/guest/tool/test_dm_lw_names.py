"""dm-lw on maps whose aliases libdevmapper spells otherwise for the kernel, with real multipathd."""
# promise output/map-names

import json

import pytest

from tests.lib.command import LONGEST_WAIT, is_loaded, sh, unload_module, wait_until, write_text
from tests.lib.dm_lw import dm_lw, module_lost, only_this_kernel
from tests.lib.lio import loop_paths, ram_disks
from tests.lib.multipathd import MAIN, MAIN_CONFIG, Multipathd, running

pytestmark = [pytest.mark.time_limit(240), pytest.mark.programs, pytest.mark.observe]

OURS = "latency-weighted 0"
SERIAL = "6c770002-0000-4000-8000-000000000001"
# By the alias, what /sys and /dev/mapper have.
ALIASES = {"oracle data": r"oracle\x20data", "db: data,1": r"db:\x20data\x2c1"}
SHORT = ("--job", "randread-1", "--runtime", "0.2", "--repeat", "1", "--quiet", "--selectors", "round-robin")


def table(alias):
    return sh("dmsetup", "table", alias)


def users():
    return [alias for alias in ALIASES if " %s " % OURS in table(alias)]


def numbers():
    """A map that was removed and made again has another one."""
    return [sh("dmsetup", "info", "-c", "--noheadings", "-o", "major,minor", alias) for alias in ALIASES]


def wwid(name):
    return sh("dmsetup", "info", "-c", "--noheadings", "-o", "uuid", name).strip()[len("mpath-"):]


@pytest.fixture(scope="module")
def daemon():
    if Multipathd().version() >= (0, 15):
        pytest.skip("this multipathd takes all paths from maps with such aliases")
    if is_loaded("dm_latency_weighted"):
        unload_module("dm_latency_weighted")
    with only_this_kernel(), ram_disks(2) as (one, other), loop_paths(one) as paths, \
            loop_paths(other, first=2, serial=SERIAL) as others, running(selector=None) as daemon:
        wwids = [wwid(daemon.wait_for_map(each)) for each in (paths, others)]
        write_text(MAIN_CONFIG, MAIN + "multipaths {\n%s}\n" % "".join(
            '\tmultipath {\n\t\twwid %s\n\t\talias "%s"\n\t}\n' % each for each in zip(wwids, ALIASES)))
        daemon.reconfigure()
        wait_until(lambda: sorted(each["name"] for each in daemon.maps()) == sorted(ALIASES), "the maps have their aliases",
                   timeout=LONGEST_WAIT)
        for alias in ALIASES:
            wait_until(lambda: " service-time 0 2 " in table(alias), "%s has one group" % alias, timeout=LONGEST_WAIT)
        yield daemon


@pytest.fixture(autouse=True)
def as_at_first(daemon):
    yield
    if users():
        dm_lw("disable").success()


def test_there_and_back(daemon):
    told = dm_lw("enable").success()
    assert users() == list(ALIASES)
    for alias, name in ALIASES.items():
        assert "%s: %s (was service-time 0)" % (name, OURS) in told
        for spelling in (alias, name, "/dev/mapper/" + name):
            assert name in dm_lw("show", spelling).success()
            (found,) = json.loads(dm_lw("topology", "-j", spelling).success())["maps"]
            assert all(path["state"] for group in found["groups"] for path in group["paths"])
            assert "max_penalty" in dm_lw("set", spelling, "max_penalty=21").success()
    assert [line for line in dm_lw("doctor").out.splitlines() if line.startswith("ok    maps ")]
    told = dm_lw("disable").success()
    assert users() == [] and all("%s: service-time 0" % name in told for name in ALIASES.values())


def test_pilot(daemon):
    first, second = ALIASES
    dm_lw("enable", "--map", first).success()
    assert users() == [first]
    dm_lw("enable", "--map", ALIASES[second]).success()
    dm_lw("disable", "--map", ALIASES[first]).success()
    assert users() == [second]
    dm_lw("disable").success()
    assert users() == []


@pytest.mark.expect_dm_error(r"unknown path selector|error adding target")
def test_module_lost_at_the_last_moment(daemon, tmp_path):
    before = numbers()
    with module_lost(tmp_path) as path:
        told = dm_lw("enable", path=path).complaint()
    assert "all is as it was before" in told
    assert users() == [] and numbers() == before
    wait_until(daemon.is_idle, "multipathd is idle", timeout=LONGEST_WAIT)
    assert sorted(each["name"] for each in daemon.maps()) == sorted(ALIASES)


def test_bench(daemon):
    """Without multipathd, which reloads a map with such a name when somebody else does."""
    daemon.stop()
    try:
        for alias in ALIASES:
            before = table(alias)
            assert "randread-1" in dm_lw("bench", alias, *SHORT).success()
            assert table(alias) == before
    finally:
        daemon.start()


def test_map_that_is_not_ours(daemon):
    """What the message recommends works."""
    sh("modprobe", "dm-latency-weighted")
    told = dm_lw("show", "oracle data").complaint()
    assert "service-time" in sh(*told.split("(")[1].split(" tells")[0].split())
