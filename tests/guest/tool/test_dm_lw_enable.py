"""dm-lw enable and disable with real multipathd: nobody loses a map, whatever goes wrong."""
# promise output/dm-lw-enable

import os
import signal
import time

import pytest

from tests.guest.lib.parametrized import in_full, variant
from tests.lib.command import LONGEST_WAIT, is_loaded, settle, sh, unload_module, wait_until, write_text
from tests.lib.dm_lw import (NOBODY, another_kernel, dm_lw, end, module_file, module_hidden, module_lost,
                             only_this_kernel, stand_in, start, wait_for_file)
from tests.lib.lio import loop_paths, ram_disk
from tests.lib.multipathd import DROP_IN, MAIN, MAIN_CONFIG, running

pytestmark = [pytest.mark.time_limit(240), pytest.mark.programs, pytest.mark.observe]

OURS = "latency-weighted 0"
SAVED = DROP_IN + ".before-dm-lw"
ASIDE = DROP_IN + ".kept-by-dm-lw"
REFUSED = r"unknown path selector|error adding target"


class Site:
    """A host with multipathd and one map that nobody has open."""

    def __init__(self, daemon, name):
        self.daemon = daemon
        self.name = name
        self.usual = self.before = self.table()
        self.reloads = 0
        assert " service-time 0 2 " in self.usual

    def table(self):
        return sh("dmsetup", "table", self.name).strip()

    def uses_us(self):
        return " %s 2 1 " % OURS in self.table()

    def configure(self, text, selector="service-time"):
        """As main configuration. multipathd 0.8 puts it off, and calls itself idle, while udev does not know a map."""
        write_text(MAIN_CONFIG, text)
        self.daemon.reconfigure()
        wait_until(lambda: " %s 0 2 " % selector in self.table(), "the map has " + selector, timeout=LONGEST_WAIT)
        self.before = self.table()

    def assert_untouched(self):
        assert not os.path.exists(DROP_IN)
        assert self.table() == self.before
        assert sorted(os.listdir("/dev/mapper")) == sorted(["control", self.name])
        wait_until(self.daemon.is_idle, "multipathd is idle", timeout=LONGEST_WAIT)
        assert [each["name"] for each in self.daemon.maps()] == [self.name]

    def assert_not_reconfigured(self):
        self.assert_untouched()
        assert self.daemon.reloads() == self.reloads

    def begin(self):
        """A map that was made again queues a moment later."""
        wait_until(lambda: self.table() == self.usual, "the map is as it was first", timeout=LONGEST_WAIT)
        self.before = self.usual
        self.reloads = self.daemon.reloads()

    def end(self):
        """So that the next test begins as this one did."""
        for path in (DROP_IN, SAVED, ASIDE):
            if os.path.exists(path):
                os.unlink(path)
        write_text(MAIN_CONFIG, MAIN)
        if " service-time 0 2 " not in self.table():
            self.daemon.reconfigure()


@pytest.fixture(scope="module")
def shared_site():
    if is_loaded("dm_latency_weighted"):
        unload_module("dm_latency_weighted")
    with only_this_kernel(), ram_disk() as disk, loop_paths(disk) as paths:
        with running(selector=None) as daemon:
            yield Site(daemon, daemon.wait_for_map(paths))


@pytest.fixture
def site(shared_site):
    shared_site.begin()
    yield shared_site
    shared_site.end()


def fails(*words, status=1, **how):
    """dm-lw enable that ends with this one line."""
    return dm_lw("enable", *words, **how).complaint(status)


def test_there_and_back(site):
    told = dm_lw("enable").success()
    assert site.uses_us()
    assert "written" in told and "%s: %s (was service-time 0)" % (site.name, OURS) in told
    assert site.daemon.ask("show", "config").count('path_selector "%s"' % OURS) == 1

    assert "selects it already" in dm_lw("enable").success()
    assert site.uses_us()

    assert "removed" in dm_lw("disable").success()
    site.assert_untouched()
    assert "nothing to take back" in dm_lw("disable").success()


@in_full
def test_dry_run_changes_nothing(site):
    told = dm_lw("enable", "--dry-run").success()
    assert "would change %s: service-time 0" % site.name in told
    assert not is_loaded("dm_latency_weighted")
    site.assert_untouched()
    dm_lw("enable").success()
    assert "would remove" in dm_lw("disable", "--dry-run").success()
    assert site.uses_us() and os.path.exists(DROP_IN)
    dm_lw("disable").success()


@in_full
def test_file_that_was_there_comes_back(site):
    write_text(DROP_IN, "defaults {\n\tpolling_interval 7\n}\n# \xff")
    os.chmod(DROP_IN, 0o640)
    before = os.stat(DROP_IN)
    dm_lw("enable").success()
    assert site.uses_us()
    assert os.path.exists(SAVED)
    assert "back to what it was" in dm_lw("disable").success()
    after = os.stat(DROP_IN)
    assert (after.st_ino, after.st_mode, after.st_mtime_ns) == (
        before.st_ino, before.st_mode, before.st_mtime_ns)
    assert not os.path.exists(SAVED)
    assert not site.uses_us()


@in_full
def test_drop_in_made_by_hand_is_not_removed(site):
    """As the README told before there was dm-lw."""
    site.daemon.configure(OURS)
    assert "selects it already" in dm_lw("enable").success()
    assert site.uses_us()
    assert "not written by dm-lw" in dm_lw("disable").complaint()
    assert site.uses_us()
    assert "renamed" in dm_lw("disable", "--force").success()
    site.assert_untouched()
    assert os.path.exists(ASIDE)
    dm_lw("enable").success()
    assert "removed" in dm_lw("disable").success()
    site.assert_untouched()


@in_full
def test_disable_ends_what_an_earlier_one_began(site):
    dm_lw("enable").success()
    os.unlink(DROP_IN)
    assert "not there" in dm_lw("disable").success()
    site.assert_untouched()


def test_running_kernel_without_the_module(site):
    with module_hidden():
        assert "has no module dm-latency-weighted" in fails()
        assert "has no module dm-latency-weighted" in fails("--force")
        site.assert_not_reconfigured()


def test_another_kernel_without_the_module(site):
    with another_kernel() as release:
        assert release + " has no module" in fails()
        site.assert_untouched()
        assert "forced: " + release in dm_lw("enable", "--force").success()
        assert site.uses_us()
    dm_lw("disable").success()
    site.assert_untouched()


@pytest.mark.expect_dm_error(REFUSED)
def test_module_that_registers_nothing(site):
    """Its file is another selector's: it loads, but the kernel refuses the test table."""
    file = module_file()
    other = sh("modinfo", "-F", "filename", "dm-round-robin").strip()
    assert os.path.splitext(file)[1] == os.path.splitext(other)[1]      # both compressed or neither
    sh("mount", "--bind", other, file)
    try:
        assert "refuses a test table" in fails()
        site.assert_not_reconfigured()
    finally:
        sh("umount", file)
        sh("rmmod", "dm-round-robin")


@pytest.mark.expect_dm_error(REFUSED)
@pytest.mark.parametrize("deferred_remove", [variant("no"), "yes"])
def test_module_lost_at_the_last_moment(site, tmp_path, deferred_remove):
    """What removes a map that is not held open, and here does not."""
    site.configure(MAIN + "defaults {\n\tdeferred_remove %s\n}\n" % deferred_remove)
    with module_lost(tmp_path) as path:
        assert "all is as it was before" in fails(path=path)
        site.assert_untouched()
        the_danger_is_real(site)


def the_danger_is_real(site):
    """The same configuration without dm-lw; multipathd makes the map again without it."""
    site.daemon.configure(OURS)
    reconfigure_until(site, lambda: "No devices found" in sh("dmsetup", "table"), "the map is gone")
    os.unlink(DROP_IN)
    reconfigure_until(site, lambda: site.name in sh("dmsetup", "table"), "the map is back")


def reconfigure_until(site, condition, what):
    """Again and again: a map that is open at the moment, to udev for one, is left, and not come back to."""
    def done():
        settle()
        site.daemon.reconfigure()
        return condition()

    wait_until(done, what, timeout=LONGEST_WAIT, interval=1)


def test_reconfigure_refused(site, tmp_path):
    path = stand_in(tmp_path, "multipathd",
                    'if [ "$1" = reconfigure ]; then echo fail; else real "$@"; fi')
    told = fails(path=path)
    assert "multipathd does not reconfigure: fail" in told
    assert "the configuration is as it was" in told
    site.assert_untouched()


def test_multipathd_that_stays_busy(site, tmp_path):
    """The time is for all of it, and a signal shortens that."""
    path = stand_in(tmp_path, "multipathd", 'case "$*" in "show daemon") echo pid 1 configure ;; *) real "$@" ;; esac')
    began = time.monotonic()
    assert "multipathd is still reconfiguring" in fails("--timeout", "30", path=path)
    assert time.monotonic() - began < 40
    process = start("enable", "--timeout", "600", path=path)
    wait_until(lambda: os.path.exists(DROP_IN), "the drop-in is written", timeout=LONGEST_WAIT)
    began = time.monotonic()
    process.send_signal(signal.SIGTERM)
    end(process).complaint(128 + signal.SIGTERM)
    assert time.monotonic() - began < 20
    wait_until(lambda: not site.uses_us(), "the map is as it was", timeout=LONGEST_WAIT)
    site.assert_untouched()


@in_full
def test_multipathd_that_does_not_answer(site):
    site.configure(MAIN.replace("uxsock_timeout 60000", "uxsock_timeout 2000"))
    site.daemon.process.send_signal(signal.SIGSTOP)
    try:
        assert "multipathd" in fails()
    finally:
        site.daemon.process.send_signal(signal.SIGCONT)
    site.assert_untouched()


STUCK = """
case $1 in
reconfigure) touch {flag}; real "$@"; [ -e {flag}.once ] || {{ touch {flag}.once; sleep 1000; }} ;;
*) real "$@" ;;
esac
"""


@pytest.mark.parametrize("name", ["SIGINT", variant("SIGTERM"), variant("SIGHUP")])
def test_interrupted(site, tmp_path, name):
    flag = str(tmp_path / "reconfiguring")
    path = stand_in(tmp_path, "multipathd", STUCK.format(flag=flag))
    process = start("enable", path=path)
    wait_for_file(flag, process)
    wait_until(site.uses_us, "the map has changed already", timeout=LONGEST_WAIT)
    process.send_signal(signal.Signals[name])
    told = end(process).complaint(128 + signal.Signals[name])
    assert "interrupted by %s; all is as it was before" % name in told
    site.assert_untouched()


def test_map_with_a_setting_of_its_own_keeps_that(site):
    wwid = sh("dmsetup", "info", "-c", "--noheadings", "-o", "uuid", site.name).strip()[6:]
    site.configure(MAIN + """multipaths {
	multipath {
		wwid %s
		path_selector "queue-length 0"
	}
}
""" % wwid, "queue-length")
    told = dm_lw("enable").success()
    line = MAIN.count("\n") + 4
    assert ("%s: keeps its selector: %s:%d (multipaths multipath) says so for this map"
            % (site.name, MAIN_CONFIG, line)) in told
    assert not site.uses_us()
    dm_lw("disable").success()
    dm_lw("enable", "--map", site.name).success()
    assert site.uses_us()
    dm_lw("disable").success()
    site.assert_untouched()


@in_full
def test_overrides_win(site):
    site.configure(MAIN + """devices {
	device {
		vendor "LIO-ORG"
		product ".*"
		path_selector "queue-length 0"
	}
}
""", "queue-length")
    assert "this would do: dm-lw enable --section overrides)" in fails()
    dm_lw("enable", "--section", "overrides").success()
    assert site.uses_us()
    dm_lw("disable").success()
    site.assert_untouched()


@in_full
def test_what_an_earlier_version_wrote_is_moved(site):
    dm_lw("enable").success()
    old = os.path.join(os.path.dirname(DROP_IN), "latency-weighted.conf")
    os.rename(DROP_IN, old)
    dm_lw("enable").success()
    assert site.uses_us() and os.path.exists(DROP_IN) and not os.path.exists(old)
    os.rename(DROP_IN, old)
    assert "%s: removed" % old in dm_lw("disable").success()
    site.assert_untouched()


@in_full
def test_nothing_can_be_written(site):
    sh("mount", "--bind", "-o", "ro", os.path.dirname(DROP_IN), os.path.dirname(DROP_IN))
    sh("mount", "-o", "remount,bind,ro", os.path.dirname(DROP_IN))
    try:
        told = fails()
    finally:
        sh("umount", os.path.dirname(DROP_IN))
    assert "Read-only file system; the configuration is as it was" in told
    site.assert_untouched()


@in_full
def test_garbage_in_the_files(site):
    with open(MAIN_CONFIG, "ab") as main:
        main.write(b"\x00\xff\xfe{{ }} \"path_selector\n}}}}\npath_selector\n")
    dm_lw("enable").success()
    assert site.uses_us()
    dm_lw("disable").success()
    assert not site.uses_us()


def test_two_at_once(site, tmp_path):
    flag = str(tmp_path / "reconfiguring")
    path = stand_in(tmp_path, "multipathd", STUCK.format(flag=flag))
    first = start("enable", path=path)
    wait_for_file(flag, first)
    assert "another dm-lw" in fails()
    assert "another dm-lw" in dm_lw("disable").complaint()
    first.send_signal(signal.SIGTERM)
    end(first).complaint(128 + signal.SIGTERM)
    site.assert_untouched()


@in_full
def test_multipathd_does_not_run(site):
    site.daemon.stop()
    try:
        assert "multipathd is not running" in fails()
        assert not os.path.exists(DROP_IN)
        assert " service-time 0 2 " in site.table()     # its end may have changed the features
    finally:
        site.daemon.start()
    dm_lw("enable").success()
    site.daemon.stop()
    try:
        assert "multipathd is not running" in dm_lw("disable").success()
        assert not os.path.exists(DROP_IN)
        assert site.uses_us()
    finally:
        site.daemon.start()
    wait_until(lambda: not site.uses_us(), "the new multipathd has changed the map", timeout=LONGEST_WAIT)


def test_unprivileged():
    for command in ("enable", "disable"):
        assert dm_lw(command, prefix=NOBODY).complaint() == "dm-lw: only root may do this\n"
