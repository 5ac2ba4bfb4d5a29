"""Each allocation of a table fails once, in the kernel itself."""
# promise memory/out-of-memory

import errno
import os

import pytest

from tests.guest.lib.parametrized import both_modes
from tests.lib import faults
from tests.lib.command import load_module
from tests.lib.disks import path_disks
from tests.lib.kernel_log import KernelLog
from tests.lib.multipath import Multipath, map_without_table, table
from tests.lib.scenario import SELECTOR, SELECTOR_MODULE, Load

pytestmark = [
    pytest.mark.checkers,
    pytest.mark.time_limit(300),
    pytest.mark.expect_dm_error("."),
    pytest.mark.skipif(not os.path.exists(faults.FAIL_NTH), reason="a kernel without fault injection"),
]

MOST = 2000     # allocations of a table
# The kernel's answer to its own first allocation is EINVAL, and this in the log.
DM_SAYS = "multipath: can't allocate multipath"


def wants_memory(error, told):
    """Is that what the refusal, with these lines in the log, is for?"""
    return error == errno.ENOMEM or error == errno.EINVAL and any(DM_SAYS in line for line in told)


def load_short_of_each(name, line):
    """Load the table, in vain or without something, and drop it, until it has all that it asks for."""
    refused, log = 0, KernelLog()
    with faults.injection(), faults.Loader(name, line) as loader:
        for nth in range(1, MOST):
            error, reached = loader.load_short_of(nth)
            told = [text for _, text in log.new_records()]
            assert not error or wants_memory(error, told), "allocation %d: %s" % (nth, told)
            refused += error is not None
            if not error:
                loader.clear()
            if not reached:
                break
    print("%d of %d allocations were needed" % (refused, nth - 1))
    assert not reached and refused >= 10


@both_modes
def test_each_allocation_of_a_table_may_fail(queue_mode):
    """It is refused for want of memory, or does without; the map goes on as it was."""
    with path_disks(2) as paths, Multipath(paths, SELECTOR, queue_mode) as mapped, \
            Load(mapped, iodepth=4) as load:
        load.warm_up(*paths, ios=10)
        load_short_of_each(mapped.name, mapped.table())
        mapped.reload()
        load.warm_up(*paths, ios=10)


@both_modes
def test_each_allocation_of_a_first_table_may_fail(queue_mode):
    """Neither the map nor its paths are known: what is undone was not shown yet, or only in part."""
    load_module(SELECTOR_MODULE)        # or dm knows no such selector, if there is no memory to ask for it
    with path_disks(2) as paths:
        with map_without_table("lwnew") as name:
            load_short_of_each(name, table(paths, SELECTOR, queue_mode))
        with Multipath(paths, SELECTOR, queue_mode) as mapped, Load(mapped, iodepth=4) as load:
            load.warm_up(*paths, ios=10)
