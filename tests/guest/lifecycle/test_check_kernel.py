"""`make check-kernel LOAD=1` loads the module for a moment, has it choose between two paths, and leaves nothing."""
# promise lifecycle/check-kernel-load: `make check-kernel LOAD=1` loads the module, has it choose between two paths,
#   prints the result, and leaves nothing behind | full: `guests-*`

import glob
import os
import re
import subprocess

import pytest

from tests.lib.command import CHECKOUT, is_loaded, load_module, sh, unload_module, write_script
from tests.lib.disks import NULLB_CONFIG
from tests.lib.scenario import SELECTOR_MODULE

pytestmark = [pytest.mark.programs, pytest.mark.facts]


def try_module(path=None):
    """Exit status, and the line that it printed."""
    module = sh("modinfo", "-F", "filename", SELECTOR_MODULE).strip()
    environment = dict(os.environ, PATH="%s:%s" % (path, os.environ["PATH"])) if path else None
    done = subprocess.run([CHECKOUT + "/tests/try-module", module], env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert not done.stderr
    assert done.stdout.count("\n") == 1
    return done.returncode, done.stdout.strip()


def loaded():
    with open("/proc/modules") as file:
        return {line.split()[0] for line in file}


def left():
    """What it could leave behind. dmsetup comes first, since it loads a module."""
    return (sh("dmsetup", "ls"), loaded(), sh("losetup", "--list", "--noheadings", "--output", "NAME"),
            glob.glob(NULLB_CONFIG + "/lw-*"), glob.glob("/tmp/tmp.*"))


def test_module_chooses_the_faster_of_two_null_disks():
    before = left()
    status, told = try_module()
    found = re.match(r"loaded: (\d+) reads on a path of 1 ms, (\d+) on one of 6 ms; unloaded$", told)
    assert status == 0 and found, told
    near, far = map(int, found.groups())
    assert near + far >= 4000 and near > 4 * far
    assert left() == before


def without(tmp_path, program, pattern):
    """A directory for PATH, in which the program fails if its arguments match."""
    real = sh("sh", "-c", "command -v %s" % program).strip()
    write_script(str(tmp_path / program), """#!/bin/sh
case "$*" in %s) echo "%s: not here" >&2; exit 1 ;; esac
exec %s "$@"
""" % (pattern, program, real))
    return str(tmp_path)


def test_loop_devices_do_where_there_is_no_null_blk(tmp_path):
    before = left()
    status, told = try_module(without(tmp_path, "modprobe", "*null_blk*"))
    assert status == 0 and re.match(r"loaded: \d+ and \d+ reads on two loop devices; unloaded$", told), told
    assert left() == before


def test_kernel_that_refuses_the_module_is_told(tmp_path):
    before = left()
    status, told = try_module(without(tmp_path, "insmod", "*"))
    assert (status, told) == (1, "not loaded: insmod: not here")
    assert left() == before


def test_table_that_is_refused_is_told(tmp_path):
    before = left()
    status, told = try_module(without(tmp_path, "dmsetup", "*create*"))
    assert (status, told) == (1, "loaded, but no map: dmsetup: not here")
    assert left() == before


def test_reads_that_fail_are_told(tmp_path):
    before = left()
    status, told = try_module(without(tmp_path, "dd", "*"))
    assert status == 1 and told.startswith("loaded, but a read failed"), told
    assert left() == before


def test_module_in_use_is_left_alone():
    load_module(SELECTOR_MODULE)
    before = left()
    try:
        status, told = try_module()
        assert status == 1 and told.startswith("not loaded: dm-latency-weighted is loaded: first "), told
        assert is_loaded(SELECTOR_MODULE) and left() == before
    finally:
        unload_module(SELECTOR_MODULE)


def test_module_of_another_kernel_is_not_tried(tmp_path):
    write_script(str(tmp_path / "modinfo"), "#!/bin/sh\necho 6.1.0-99-other SMP\n")
    status, told = try_module(str(tmp_path))
    assert (status, told) == (1, "not loaded: it is compiled for 6.1.0-99-other, and %s runs" % os.uname().release)
