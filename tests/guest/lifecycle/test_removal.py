"""What packages run before they take the module away, with real multipathd and a map in use."""
# promise lifecycle/removal

import os
import subprocess

import pytest

from tests.lib.command import CHECKOUT, LONGEST_WAIT, is_loaded, limit, sh, unload_module, wait_until
from tests.lib.dm_lw import TOOL, dm_lw, only_this_kernel
from tests.lib.lio import loop_paths, ram_disk
from tests.lib.multipathd import DROP_IN, running

pytestmark = [pytest.mark.time_limit(240), pytest.mark.programs, pytest.mark.observe]

OURS = "latency-weighted 0"


@pytest.fixture
def daemon():
    if is_loaded("dm_latency_weighted"):
        unload_module("dm_latency_weighted")
    with only_this_kernel(), ram_disk() as disk, loop_paths(disk) as paths:
        with running(selector=None) as daemon:
            daemon.map = daemon.wait_for_map(paths)
            yield daemon


@pytest.fixture
def reader(daemon):
    """I/O that goes on until it is ended, unless it fails; with rests, which leave the CPU to the programs."""
    process = subprocess.Popen(["sh", "-c", "while dd if=/dev/mapper/%s of=/dev/null bs=64k count=64"
                                " iflag=direct 2>&1; do sleep 0.1; done" % daemon.map],
                               stdout=subprocess.DEVNULL)
    yield process
    assert process.poll() is None, "an I/O failed"
    process.kill()
    process.wait()


def before_removal(tmp_path):
    """(exit status, what it printed)."""
    if not os.path.exists(str(tmp_path / "dm-lw")):
        os.symlink(TOOL, str(tmp_path / "dm-lw"))
    done = subprocess.run([CHECKOUT + "/tools/before-removal"], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, universal_newlines=True, timeout=limit(200),
                          env=dict(os.environ, PATH="%s:%s" % (tmp_path, os.environ["PATH"])))
    return done.returncode, done.stdout


def uses_us(daemon):
    return " %s 2 1 " % OURS in sh("dmsetup", "table", daemon.map)


def test_undoes_enable(daemon, reader, tmp_path):
    assert before_removal(tmp_path) == (0, "")
    dm_lw("enable").success()
    status, told = before_removal(tmp_path)
    assert status == 0 and "%s: removed" % DROP_IN in told, told
    assert not os.path.exists(DROP_IN)
    assert "%s: service-time 0" % daemon.map in told and not uses_us(daemon)


def test_leaves_what_was_configured_by_hand(daemon, reader, tmp_path):
    daemon.configure(OURS)
    daemon.reconfigure()
    wait_until(lambda: uses_us(daemon), "the map uses it", timeout=LONGEST_WAIT)
    reloads = daemon.reloads()
    status, told = before_removal(tmp_path)
    assert status == 1 and told == "multipath uses latency-weighted: %s %s\n" % (DROP_IN, daemon.map)
    assert uses_us(daemon) and os.path.exists(DROP_IN) and daemon.reloads() == reloads


def test_waits_for_maps_that_nobody_changes(daemon, reader, tmp_path):
    """multipathd does not run: the next boot is safe, but not what is up now."""
    dm_lw("enable").success()
    daemon.stop()
    try:
        status, told = before_removal(tmp_path)
        assert status == 1 and not os.path.exists(DROP_IN), told
        assert "multipath uses latency-weighted: %s\n" % daemon.map in told and uses_us(daemon)
    finally:
        daemon.start()
    wait_until(lambda: not uses_us(daemon), "the new multipathd has changed the map",
               timeout=LONGEST_WAIT)
    assert before_removal(tmp_path) == (0, "")
