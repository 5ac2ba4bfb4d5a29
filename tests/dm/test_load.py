"""The module loads, unloads, and comes by itself when a table names the selector."""

import contextlib
import os

import pytest

from tests.dm.lib.command import (is_loaded, load_module, sh, unload_module)
from tests.dm.lib.disks import NullBlk
from tests.dm.lib.multipath import Multipath
from tests.dm.lib.scenario import SELECTOR, SELECTOR_MODULE, both_modes


def test_load_and_unload():
    for _ in range(3):
        load_module(SELECTOR_MODULE)
        assert is_loaded(SELECTOR_MODULE)
        unload_module(SELECTOR_MODULE)
        assert not is_loaded(SELECTOR_MODULE)


def test_dkms_installed_it():
    """What is tested is the module an administrator gets."""
    if os.uname().machine == "aarch64":
        pytest.skip("the module was compiled across, which dkms does not do")
    assert "/updates/dkms/" in sh("modinfo", "-F", "filename", SELECTOR_MODULE)


@both_modes
def test_autoload(queue_mode):
    assert not is_loaded(SELECTOR_MODULE)
    with contextlib.ExitStack() as stack:
        paths = [stack.enter_context(NullBlk(name, completion_us=1000))
                 for name in ("lwa", "lwb")]
        multipath = stack.enter_context(Multipath(paths, SELECTOR, queue_mode))
        assert is_loaded(SELECTOR_MODULE)
        assert " %s 0 2 1 " % SELECTOR in multipath.live_table()
        assert all(multipath.usable(path) for path in paths)
    unload_module(SELECTOR_MODULE)
