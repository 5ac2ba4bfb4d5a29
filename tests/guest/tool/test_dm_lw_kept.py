"""dm-lw set and policy load --persist with real multipathd and udev: a map that is made anew gets what is kept.

dm-lw is installed as make tools-install does, since udev's rule calls it by its place. A boot is
here that the map goes, and the module with all that it knew.
"""
# promise output/persist

import contextlib
import json
import os
import shutil

import pytest

from tests.guest.lib import noted
from tests.guest.lib.parametrized import in_full
from tests.lib import bpf, iscsi
from tests.lib.command import (CHECKOUT, LONGEST_WAIT, read_text, settle, sh, tell_udev, unload_module,
                               wait_until, write_text)
from tests.lib.disks import path_disks
from tests.lib.dm_lw import dm_lw, only_this_kernel
from tests.lib.lio import loop_paths, ram_disk
from tests.lib.multipath import table
from tests.lib.multipathd import running
from tests.lib.scenario import SELECTOR

pytestmark = [pytest.mark.time_limit(240), pytest.mark.programs, pytest.mark.observe]

DIRECTORY = "/etc/dm-latency-weighted"
RULE = "/usr/lib/udev/rules.d/65-dm-latency-weighted.rules"
DEFAULTS = {"window_ms": 20, "tolerance": 12, "max_penalty": 20}
PORTALS = ["127.0.0.2", "127.0.0.3", "127.0.0.4"]
READS = 100


@pytest.fixture(scope="module")
def installed():
    sh("make", "-C", CHECKOUT, "tools-install")
    if "verify" in sh("udevadm", "--help"):         # from systemd 254 on
        sh("udevadm", "verify", "--no-summary", RULE)
    tell_udev("reload")
    yield
    sh("make", "-C", CHECKOUT, "tools-uninstall")
    assert not os.path.exists(RULE)
    tell_udev("reload")


@pytest.fixture(autouse=True)
def nothing_kept(installed):
    """Afterwards, for the next test."""
    yield
    shutil.rmtree(DIRECTORY, ignore_errors=True)


@pytest.fixture(scope="module")
def shared_daemon(installed):
    with only_this_kernel(), ram_disk() as disk, loop_paths(disk) as paths:
        with running() as daemon:
            daemon.map, daemon.paths = daemon.wait_for_map(paths), paths
            yield daemon
    unload_module("dm_latency_weighted")


@pytest.fixture
def daemon(shared_daemon):
    """With a map that has the defaults."""
    assert values(shared_daemon.map) == DEFAULTS
    yield shared_daemon
    dm_lw("set", shared_daemon.map, *("%s=%d" % item for item in DEFAULTS.items())).success()


def directory(name):
    return "/sys/kernel/dm-latency-weighted/" + os.path.basename(os.path.realpath("/dev/mapper/" + name))


def values(name):
    return {key: int(read_text("%s/%s" % (directory(name), key))) for key in DEFAULTS}


def boot(daemon):
    """multipathd's map goes, the module with it; then both are there again."""
    daemon.remove_map(daemon.map)
    unload_module("dm_latency_weighted")
    daemon.reconfigure()        # 0.8 fails to add a map
    assert daemon.wait_for_map(daemon.paths) == daemon.map
    settle()


def kept_by_doctor():
    """(result, text) of its findings on what is kept."""
    checks = json.loads(dm_lw("doctor", "--json").out)["checks"]
    return [(each["result"], each["text"]) for each in checks if each["check"] == "kept"]


def preferred(name):
    """The numbers of the paths that are preferred."""
    paths = directory(name) + "/paths/"
    return [read_text(paths + path + "/device") for path in os.listdir(paths)
            if read_text(paths + path + "/prefer") == "1"]


def load_policy(name, *words):
    bpf.mount()
    return dm_lw("policy", "load", *words, "--map", name).success()


def policy_of(name):
    """The name of the map's policy, None without one."""
    (found,) = json.loads(dm_lw("stat", "-j", name).success())["maps"]
    return found["policy"] and found["policy"]["name"]


# promise output/dm-lw-policy
def test_kept_policy_is_attached_to_a_map_that_dmsetup_makes():
    """Without multipathd: each time that it is made, and with another table."""
    with path_disks(2) as disks:
        def make():
            sh("dmsetup", "create", "lwkept", "--uuid", "mpath-lwkept", "--table", table(disks, SELECTOR, "bio"))
            settle()

        make()
        try:
            assert load_policy("lwkept", "-p", noted.object_file("round-robin")).endswith("attached, kept\n")
            for _ in range(3):
                sh("dmsetup", "remove", "--retry", "lwkept")
                unload_module("dm_latency_weighted")
                make()
                assert policy_of("lwkept") == "round_robin"
            assert "still has one kept" in dm_lw("policy", "none", "lwkept").err
            sh("dmsetup", "load", "lwkept", "--table", table(disks, SELECTOR, "bio"))
            sh("dmsetup", "resume", "lwkept")
            settle()
            assert policy_of("lwkept") == "round_robin"
            assert os.listdir(bpf.PINS) == []
        finally:
            settle()
            sh("dmsetup", "remove", "--retry", "lwkept")


@contextlib.contextmanager
def over_iscsi():
    """multipathd, the name of its map of all sessions, and the disks by their names.

    For tests that run before those which share a map on a disk in memory.
    """
    with ram_disk() as disk, iscsi.target_by_configfs(disk, PORTALS), iscsi.sessions(PORTALS) as paths:
        with running() as daemon:
            yield daemon, daemon.wait_for_map(paths), sorted(paths, key=lambda path: path.name)
    unload_module("dm_latency_weighted")


def address_of(path):
    (found,) = [address for address in PORTALS if iscsi.disk_at(address).name == path.name]
    return found


def come_back_in_reverse(paths):
    """The disks as they were ordered; the last one's session is the first to come back."""
    addresses = [address_of(path) for path in paths]
    for address in addresses:
        iscsi.logout(address)
    wait_until(lambda: not any(os.path.exists(path.sysfs) for path in paths), "the disks are gone")
    for address in reversed(addresses):
        iscsi.login_again(address)
        iscsi.disk_at(address)
    return [iscsi.disk_at(address) for address in addresses]


def boot_in_reverse(daemon, name, paths):
    """The disks as they were ordered. The last one has the name that the first one had."""
    daemon.remove_map(name)
    unload_module("dm_latency_weighted")
    now = come_back_in_reverse(paths)
    assert daemon.wait_for_map(now) == name
    assert now[-1].number == paths[0].number
    return now


def share(asked, name, paths, size):
    """Which part of reads of so many KiB the path has. Each read is one I/O, as the disks take such long ones."""
    assert all(int(read_text(path.sysfs + "/queue/max_sectors_kb")) >= size for path in paths)
    before = {path: path.used() for path in paths}
    sh("dd", "if=/dev/mapper/" + name, "of=/dev/null", "bs=%dk" % size, "count=%d" % READS, "iflag=direct")
    counts = {path: path.used() - before[path] for path in paths}
    assert READS <= sum(counts.values()) < READS * 1.1
    return counts[asked] / sum(counts.values())


def test_preferred_path_is_found_by_where_it_is_attached():
    with over_iscsi() as (daemon, name, paths):
        dm_lw("set", "--persist", "%s/%s" % (name, paths[-1].name), "prefer=1").success()
        assert preferred(name) == [paths[-1].number]
        paths = boot_in_reverse(daemon, name, paths)
        assert preferred(name) == [paths[-1].number]
        ((result, text),) = kept_by_doctor()
        assert result == "ok" and "ip-%s:" % address_of(paths[-1]) in text and text.endswith(" prefer=1")


# promise output/dm-lw-policy
def test_path_of_a_policy_is_found_by_where_it_is_attached():
    """After a boot, and while the map is there. Without a policy, each path has as many of the reads."""
    def require_large_reads_on(path):
        share(path, name, paths, 64)            # then each path is known
        assert share(path, name, paths, 64) > 0.9 and share(path, name, paths, 4) < 0.1

    with over_iscsi() as (daemon, name, paths):
        load_policy(name, "-p", noted.object_file("large-ios"), "path=" + paths[-1].name, "large_kib=64")
        paths = boot_in_reverse(daemon, name, paths)
        assert policy_of(name) == "large_ios"
        require_large_reads_on(paths[-1])
        number = paths[-1].number
        paths[-1], paths[1] = come_back_in_reverse([paths[-1], paths[1]])
        assert daemon.wait_for_map(paths) == name and paths[1].number == number
        require_large_reads_on(paths[-1])
        ((result, text),) = kept_by_doctor()
        assert result == "ok" and " policy large_kib=64 path=ip-%s:" % address_of(paths[-1]) in text


def test_kept_over_a_boot_until_unset(daemon):
    told = dm_lw("set", "--persist", daemon.map, "window_ms=100", "tolerance=5").success()
    assert "window_ms 20 -> 100, kept" in told
    dm_lw("set", daemon.map, "max_penalty=30").success()
    assert values(daemon.map) == {"window_ms": 100, "tolerance": 5, "max_penalty": 30}
    boot(daemon)
    assert values(daemon.map) == {"window_ms": 100, "tolerance": 5, "max_penalty": 20}
    assert kept_by_doctor() == [("ok", "%s: tolerance=5, window_ms=100" % daemon.map)]

    dm_lw("unset", daemon.map, "tolerance").success()
    boot(daemon)
    assert values(daemon.map) == dict(DEFAULTS, window_ms=100)
    dm_lw("unset", daemon.map).success()
    assert os.listdir(DIRECTORY) == []


# promise output/dm-lw-policy
def test_policy_is_kept_over_a_boot_until_none(daemon):
    assert load_policy(daemon.map, "-p", noted.object_file("round-robin")).endswith("attached, kept\n")
    boot(daemon)
    assert policy_of(daemon.map) == "round_robin"
    assert kept_by_doctor() == [("ok", "%s: policy" % daemon.map)]
    told = dm_lw("policy", "none", daemon.map)
    assert "still has one kept, which comes back with the map" in told.err
    assert kept_by_doctor() == [("warn", "%s has no policy, and one is kept" % daemon.map)]
    daemon.ask("reload", "map", daemon.map)
    settle()
    assert policy_of(daemon.map) == "round_robin"
    assert "no longer kept" in dm_lw("policy", "none", "-p", daemon.map).success()
    boot(daemon)
    assert policy_of(daemon.map) is None and os.listdir(DIRECTORY) == []


# promise output/dm-lw-policy
def test_kept_policy_that_cannot_be_attached_keeps_no_map_from_being_made(daemon):
    load_policy(daemon.map, "-p", noted.object_file("round-robin"))
    dm_lw("set", "-p", daemon.map, "window_ms=100").success()
    (name,) = [each for each in os.listdir(DIRECTORY) if each.endswith(".o")]
    write_text("%s/%s" % (DIRECTORY, name), "no object")
    boot(daemon)
    assert policy_of(daemon.map) is None and values(daemon.map)["window_ms"] == 100
    assert "%s is no object file of 64 bits" % name in dm_lw("apply", daemon.map).complaint()


def test_set_again_with_a_new_table_and_not_with_other_changes(daemon):
    """What is set for a while stays while the table does: when a path fails, or the map is written to."""
    dm_lw("set", "-p", daemon.map, "window_ms=100").success()
    dm_lw("set", daemon.map, "window_ms=30").success()
    daemon.ask("fail", "path", daemon.paths[0].name)
    sh("dd", "if=/dev/zero", "of=/dev/mapper/" + daemon.map, "count=1", "oflag=direct")
    sh("udevadm", "trigger", "--sysname-match=dm-*")
    settle()
    assert values(daemon.map)["window_ms"] == 30
    assert kept_by_doctor() == [("warn", "%s has window_ms 30, and 100 is kept" % daemon.map)]
    daemon.ask("reinstate", "path", daemon.paths[0].name)
    daemon.ask("reload", "map", daemon.map)
    settle()
    assert values(daemon.map)["window_ms"] == 100

    dm_lw("set", daemon.map, "window_ms=30").success()      # the boot of a map that the initramfs made
    sh("udevadm", "trigger", "--action=add", "--sysname-match=dm-*")
    settle()
    assert values(daemon.map)["window_ms"] == 100


@in_full
def test_map_without_the_selector_is_passed_over(daemon):
    dm_lw("set", "-p", daemon.map, "window_ms=100").success()
    daemon.configure("service-time 0")
    daemon.reconfigure()
    wait_until(lambda: not os.path.exists(directory(daemon.map)), "the map has another selector",
               timeout=LONGEST_WAIT)
    ((result, text),) = kept_by_doctor()
    assert result == "ok" and "does not use the selector now: window_ms=100" in text
    daemon.configure()
    daemon.reconfigure()
    wait_until(lambda: os.path.exists(directory(daemon.map)), "the map has the selector again",
               timeout=LONGEST_WAIT)
    settle()
    assert values(daemon.map)["window_ms"] == 100


@in_full
def test_bad_file_keeps_no_map_from_being_made(daemon):
    dm_lw("set", "-p", daemon.map, "window_ms=100").success()
    (name,) = os.listdir(DIRECTORY)
    write_text("%s/%s" % (DIRECTORY, name), "window_ms=100\nwindow_ms=many")
    boot(daemon)
    assert values(daemon.map) == DEFAULTS
    ((result, text),) = kept_by_doctor()
    assert result == "warn" and "%s:2: window_ms: \"many\" is not a number from 5 to 1000" % name in text
    assert "%s:2: " % name in dm_lw("apply", daemon.map).complaint()


@in_full
def test_path_without_a_place_cannot_be_kept(daemon):
    """tcm_loop's disks are attached to nothing that udev has a name for."""
    path = "%s/%s" % (daemon.map, daemon.paths[0].name)
    assert "udev does not tell where it is attached" in dm_lw("set", "-p", path, "prefer=1").complaint()
    assert not os.path.exists(DIRECTORY)
