"""enable and disable within their --timeout, whatever multipathd does: what they say meanwhile, and what a signal does."""
# promise output/dm-lw-enable

import argparse
import re
import signal
import subprocess
import sys
import time

import pytest

from dm_lw import disable, enable, patience
from dm_lw.errors import LwError
from dm_lw.host import Host
from dm_lw.patience import Patience
from tests.lib.command import wait_until, write_script

from .conftest import TOOLS
from .fake_site import FakeSite

CONF_D = "etc/multipath/conf.d"


@pytest.fixture
def site(tmp_path, clock, monkeypatch):
    """Asking multipathd takes its time."""
    site = FakeSite(tmp_path, "mpatha", "mpathb")
    answer = site.run

    def run(*argv, timeout=60):
        clock.sleep(min(0.3 if argv[0] == "multipathd" else 0.01, site.patience.for_program(timeout)))
        return answer(*argv, timeout=timeout)

    monkeypatch.setattr(site, "run", run)
    for module in (enable, disable):
        monkeypatch.setattr(module, "Host", lambda sysfs: site)
    return site


def arguments(**values):
    return argparse.Namespace(**{**dict(sysfs=None, section="defaults", map=None, wwid=None, device=None, force=False,
                                        dry_run=False, if_enabled=False, timeout=90), **values})


def waits(err):
    """The lines about the progress: (what it does, seconds so far, of at most)."""
    found = [re.fullmatch(r"dm-lw: (waiting|putting everything back), (\d+) of at most (\d+) s: (.*)", line)
             for line in err.splitlines()]
    assert all(found), err
    return [(each[1], int(each[2]), int(each[3])) for each in found]


@pytest.mark.parametrize("timeout", [12, 90, 600])
def test_stuck_multipathd_holds_nobody_longer_than_told(site, clock, capsys, timeout):
    """There and back; and somebody who looks on sees a line each 5 s."""
    site.is_stuck, began = True, clock.now
    with pytest.raises(LwError, match="mpathb use service-time 0; .*multipathd is still reconfiguring") as failed:
        enable.run(arguments(timeout=timeout))
    assert "wins" not in str(failed.value)
    assert clock.now - began <= timeout + 4 * patience.GRACE
    assert site.list(CONF_D) == [] and site.users() == []
    told = waits(capsys.readouterr().err)
    assert {most for doing, _, most in told if doing == "waiting"} == {timeout * 2 // 3}
    assert {doing for doing, _, _ in told} == {"waiting", "putting everything back"}
    moments = [0, *(seconds for _, seconds, _ in told), timeout]
    assert all(later - earlier <= patience.EVERY + 2 for earlier, later in zip(moments, moments[1:]))


def test_stuck_multipathd_is_asked_nevertheless(site, clock):
    """It does what it was asked for when it is free again."""
    site.is_stuck = True
    with pytest.raises(LwError):
        enable.run(arguments())
    assert site.asked.count(("reconfigure",)) == 2          # there, and back


def test_maps_that_do_not_change(site, clock):
    """Rest ends the wait long before the time does."""
    site.own_table = 'devices {\n\tdevice {\n\t\tvendor "LIO"\n\t\tproduct "lw"\n\t\tpath_selector "queue-length 0"\n\t}\n}\n'
    began = clock.now
    for number in (0, 1):
        for name, text in (("vendor", "LIO-ORG"), ("model", "lw")):
            site.write("sys/dev/block/%s/device/%s" % (site.paths(number)[0], name), text)
    with pytest.raises(LwError, match="all is as it was before"):
        site.reconfigure()
        enable.run(arguments())
    assert clock.now - began < 60


def test_signal_leaves_ten_seconds(site, clock, monkeypatch, capsys):
    site.is_stuck, began = True, clock.now
    clock.later += [lambda: None] * 20 + [lambda: signal.raise_signal(signal.SIGTERM)]
    with pytest.raises(LwError, match="interrupted by SIGTERM; the configuration is as it was") as ended:
        enable.run(arguments(timeout=600))
    assert ended.value.status == 128 + signal.SIGTERM
    assert site.list(CONF_D) == [] and site.asked[-1] != ("reconfigure",) and ("reconfigure",) in site.asked
    assert clock.now - began <= 20 * 0.5 + 10 + 4 * patience.GRACE


def test_signal_while_all_goes_well_puts_back(site, clock):
    """The maps have changed already."""
    reconfigure = site.reconfigure

    def slow():
        reconfigure()
        if site.users():
            signal.raise_signal(signal.SIGINT)

    site.reconfigure = slow
    with pytest.raises(LwError, match="interrupted by SIGINT; all is as it was before"):
        enable.run(arguments())
    assert site.users() == [] and site.list(CONF_D) == []


def test_disable_has_all_of_the_time(site, clock, capsys):
    enable.run(arguments())
    capsys.readouterr()
    site.is_stuck, began = True, clock.now
    with pytest.raises(LwError, match="the drop-in is taken back, but: "):
        disable.run(arguments(timeout=60))
    assert 60 <= clock.now - began <= 60 + 4 * patience.GRACE
    assert {most for _, _, most in waits(capsys.readouterr().err)} == {60}


@pytest.fixture
def real(tmp_path, monkeypatch):
    """A host whose programs are real ones."""
    monkeypatch.setenv("PATH", "%s:%s" % (tmp_path, "/usr/bin:/bin"))
    monkeypatch.setattr(patience, "EVERY", 0.2)
    host = Host(str(tmp_path))
    host.patience = Patience(3, back=0)
    return host


def test_program_that_does_not_end(real, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("dm_lw.host.EVERY", 0.2)
    write_script(str(tmp_path / "slow"), "#!/bin/sh\nexec sleep 1000\n")
    began = time.monotonic()
    with pytest.raises(LwError, match="^slow did not end within "):
        real.run("slow")
    assert 2 < time.monotonic() - began < 10
    assert capsys.readouterr().err.count(": slow\n") >= 3


def test_program_that_nothing_ends_is_left(real, tmp_path, monkeypatch):
    """As one whose I/O hangs."""
    monkeypatch.setattr(subprocess.Popen, "kill", lambda process: None)
    write_script(str(tmp_path / "hangs"), "#!/bin/sh\nexec sleep 6\n")
    began = time.monotonic()
    with pytest.raises(LwError, match="did not end within 1 s"):
        real.run("hangs", timeout=0.1)
    assert time.monotonic() - began < 5


def test_signal_ends_the_wait_for_a_program(tmp_path):
    write_script(str(tmp_path / "slow"), "#!/bin/sh\ntouch %s/begun\nexec sleep 1000\n" % tmp_path)
    code = ("import sys; sys.path.insert(0, %r)\nfrom dm_lw.host import Host\nfrom dm_lw.signals import interruptible\n"
            "with interruptible(): Host().run('slow')\n" % str(TOOLS))
    process = subprocess.Popen([sys.executable, "-c", code], env={"PATH": "%s:/usr/bin:/bin" % tmp_path},
                               stderr=subprocess.PIPE, text=True)
    wait_until(lambda: (tmp_path / "begun").exists(), "the program has begun", timeout=30)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=20)
    assert "interrupted by SIGTERM" in err
