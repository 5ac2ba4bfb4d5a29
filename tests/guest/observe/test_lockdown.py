"""Under lockdown, as with Secure Boot: an administrator has all that is needed.

A kernel cannot be unlocked, nor load our modules then: this comes last in its guest.
"""
# promise output/rights

import os

import pytest

from tests.guest.lib import tracefs
from tests.guest.lib.tracefs import Events
from tests.lib import debugfs, dm_lw, fio, sysfs
from tests.lib.command import read_text, sh, write_text
from tests.lib.disks import path_disks
from tests.lib.multipath import STAMPS, Multipath
from tests.lib.scenario import SELECTOR

pytestmark = [
    pytest.mark.observe,
    pytest.mark.programs,
    pytest.mark.last,
]

SECURITYFS = "/sys/kernel/security"
LOCKDOWN = SECURITYFS + "/lockdown"


@pytest.fixture(autouse=True)
def mounted():
    debugfs.mount()
    tracefs.mount()
    if not os.path.ismount(SECURITYFS):
        sh("mount", "-t", "securityfs", "none", SECURITYFS)
    if not os.path.exists(LOCKDOWN):
        pytest.skip("this kernel has no lockdown")


def lock_down(level):
    write_text(LOCKDOWN, level)
    assert "[%s]" % level in read_text(LOCKDOWN)


def check_files(mapped):
    files = sysfs.MapFiles(mapped)
    assert all(read_text(file) for file in sysfs.every_file())
    for value in ("30", "12"):
        files["tolerance"] = value
        assert files["tolerance"] == value
    for path in mapped.paths:
        assert mapped.learned(path).source == STAMPS
        assert debugfs.MapFiles(mapped).classes()[path.name, "32k"]["done"] > 0
        assert debugfs.MapFiles(mapped).ended(path.name)["32k"] > 0


def check_tool(mapped):
    for command in ("stat", "show", "latency"):
        out = dm_lw.dm_lw(command, mapped.name).success()
        assert all(path.name in out for path in mapped.paths)
    path = "%s/%s" % (mapped.name, mapped.paths[0])
    assert "prefer 0 -> 1" in dm_lw.dm_lw("set", path, "prefer=1").success()
    assert "the kernel is locked down" in dm_lw.dm_lw("reset", mapped.name).complaint()


def test_what_an_administrator_needs():
    """What is taken away: to reset debugfs' histograms; then also to trace."""
    with path_disks(2) as disks, Multipath(disks, SELECTOR) as mapped:
        for disk in disks:
            disk.set(delay_us=1000)
        lock_down("integrity")
        sysfs.MapFiles(mapped)["histogram"] = 1
        fio.run(mapped.path, runtime=0.5)
        check_files(mapped)
        check_tool(mapped)
        with Events("lw_choose") as events:
            fio.run(mapped.path, runtime=0.1)
        assert events.of("lw_choose", reason="cost")

        lock_down("confidentiality")
        check_files(mapped)
        with pytest.raises(OSError), Events("lw_choose"):
            pass
