"""The module loads, unloads, and comes by itself when a table names the selector."""
# promise service/transports

import contextlib
import os

import pytest

from tests.guest.lib.parametrized import both_modes
from tests.lib import fio
from tests.lib.command import CommandError, is_loaded, load_module, read_text, sh, unload_module, wait_until, write_text
from tests.lib.disks import NullBlk
from tests.lib.multipath import ACTIVE, Multipath
from tests.lib.scenario import EQUAL, SELECTOR, SELECTOR_MODULE, Load
from tests.lib.sysfs import MapFiles


@pytest.mark.upstream
@pytest.mark.facts
def test_load_and_unload():
    for _ in range(3):
        load_module(SELECTOR_MODULE)
        assert is_loaded(SELECTOR_MODULE)
        unload_module(SELECTOR_MODULE)
        assert not is_loaded(SELECTOR_MODULE)


@pytest.mark.facts
def test_dkms_installed_it():
    """What is tested is the module an administrator gets."""
    if os.uname().machine == "aarch64":
        pytest.skip("the module was compiled across, which dkms does not do")
    assert "/updates/dkms/" in sh("modinfo", "-F", "filename", SELECTOR_MODULE)


@pytest.mark.upstream
@pytest.mark.facts
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


def polled_disk(label):
    return NullBlk(label, completion_us=0, irqmode=0, poll_queues=1)


IO_URING_DISABLED = "/proc/sys/kernel/io_uring_disabled"


@pytest.fixture
def allow_io_uring():
    """RHEL 9's kernel refuses it to everybody, unless told otherwise."""
    if os.path.exists(IO_URING_DISABLED):
        before = read_text(IO_URING_DISABLED)
        write_text(IO_URING_DISABLED, 0)
        yield
        write_text(IO_URING_DISABLED, before)
    else:
        yield


POLLING = {"iodepth": 4, "ioengine": "io_uring", "hipri": 1}


def require_polling(paths):
    """With the kernel's own selector: 6.1 says that its maps poll, and refuses each polled I/O."""
    with Multipath(paths, "round-robin", "bio") as mapped:
        if read_text("/sys/block/%s/queue/io_poll" % os.path.basename(mapped.path)) != "1":
            pytest.skip("device-mapper does not poll here")
        try:
            fio.run(mapped.path, runtime=None, number_ios=1, **POLLING)
        except CommandError as error:
            if "Operation not supported" not in str(error):
                raise
            pytest.skip("device-mapper refuses polled I/O here, with any selector")


@pytest.mark.facts
def test_polled_io_is_measured(allow_io_uring):
    """The task that started an I/O finds it done, at once: as if the driver had been too busy for it."""
    if not NullBlk.has("poll_queues"):
        pytest.skip("null_blk has no queues for polling here")
    with polled_disk("lwa") as one, polled_disk("lwb") as other:
        require_polling([one, other])
        with Multipath([one, other], SELECTOR, "bio", selector_args=EQUAL) as mapped, Load(mapped, **POLLING) as load:
            load.begin()
            files = MapFiles(mapped).path(one)
            before = files.number("done"), files.number("ignored_unissued")
            load.warm_up(one, ios=1000)
            after = files.number("done"), files.number("ignored_unissued")
            wait_until(lambda: mapped.learned(one).state == ACTIVE, "it is in use")
    assert after[0] - before[0] >= 900
    assert after[1] == before[1]
