"""Who reads or writes a file of a map, and stands still for that, holds nobody up.

The memory that is copied to or from is on a page that somebody has to bring, and does not.
"""
# promise lifecycle/stuck-readers: No table waits for the reader of a file, wherever the text is copied to | full:
#   `guests-*`

import contextlib
import errno
import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.guest.lib.background import in_background, keep_busy, when_idle
from tests.guest.lib.userfault import Stuck, list_directory, read, userfaultfd, write
from tests.lib import debugfs
from tests.lib.command import limit, load_module, read_text, unload_module, wait_until
from tests.lib.disks import path_disks
from tests.lib.multipath import Multipath
from tests.lib.scenario import SELECTOR, SELECTOR_MODULE
from tests.lib.sysfs import MapFiles, files_below, maps

pytestmark = [pytest.mark.time_limit(300), pytest.mark.observe, pytest.mark.facts]


@pytest.fixture(autouse=True)
def mounted():
    os.close(userfaultfd())     # or there is none, and no test
    debugfs.mount()
    load_module(SELECTOR_MODULE)


class StuckIn:
    """Somebody stands still in each of the files of a map."""

    def __init__(self, mapped, path):
        debug = "%s/%s/" % (debugfs.ROOT, debugfs.MapFiles(mapped).label)
        self.readers = [self.open(name, os.O_RDONLY, read) for name in (
            debug + "latency_stat", debug + "paths/%s/latency_stat" % path,
            MapFiles(mapped).file("name"), MapFiles(mapped).path(path).file("device"))]
        self.writer = self.open(debug + "reset", os.O_WRONLY, write)

    @staticmethod
    def open(name, flags, call):
        file = os.open(name, flags)
        return file, Stuck(call(file), text=b"1")

    def __enter__(self):
        self.stack = contextlib.ExitStack()
        for _, stuck in self.readers + [self.writer]:
            self.stack.enter_context(stuck)
        return self

    def __exit__(self, *failure):
        self.stack.__exit__(*failure)

    def find_it_gone(self):
        """Who read has what was there at the time; who wrote is told, and so is whoever tries again."""
        assert all(stuck.result > 0 for _, stuck in self.readers)
        assert self.writer[1].result.errno == errno.EIO
        for file, _ in self.readers:
            with pytest.raises(OSError) as failure:
                os.pread(file, 1, 0)
            assert failure.value.errno in (errno.EIO, errno.ENODEV)

    def close(self):
        for file, _ in self.readers + [self.writer]:
            os.close(file)


def begin(function, *args):
    """In a thread, which goes on by itself once those who stand still do."""
    return ThreadPoolExecutor(1).submit(function, *args)


def within_a_minute(function, *args):
    begin(function, *args).result(timeout=limit(60))


def is_shown(mapped, paths):
    """In sysfs and debugfs, where others read as ever."""
    files = debugfs.MapFiles(mapped)
    assert MapFiles(mapped).paths() == [path.name for path in paths]
    assert {name for name, _ in files.classes()} <= {path.name for path in paths}
    assert all("class" in files.tables(path) for path in paths)


def comes_and_goes(paths):
    with Multipath(paths, SELECTOR, name="lwother") as other:
        other.reload()
        is_shown(other, paths)


def changes_tables(mapped):
    """A path goes and comes back, the map goes and comes back, and goes."""
    paths = mapped.paths
    for mapped.paths in (paths[1:], paths):
        mapped.reload(SELECTOR)
        is_shown(mapped, mapped.paths)
    for _ in range(2):
        mapped.reload("round-robin")
        assert maps() == []
        mapped.reload(SELECTOR)
        is_shown(mapped, paths)
    mapped.reload("round-robin")
    assert maps() == [] == os.listdir(debugfs.ROOT)


def test_nobody_waits_for_who_stands_still():
    with path_disks(3) as paths, Multipath(paths[:2], SELECTOR) as mapped:
        with contextlib.closing(StuckIn(mapped, paths[0])) as stuck_in:
            with stuck_in:
                within_a_minute(comes_and_goes, paths[2:])
                within_a_minute(changes_tables, mapped)
                within_a_minute(comes_and_goes, paths[2:])
            stuck_in.find_it_gone()
        unload_module(SELECTOR_MODULE)


def reads_all(directory):
    """Again and again, until an error that does not mean that the path is about to go."""
    while True:
        for name in files_below(directory):
            try:
                read_text(name)
            except OSError as error:
                if error.errno not in (errno.ENODEV, errno.ENOENT, errno.EACCES, errno.EIO):
                    raise


def test_nobody_waits_for_readers_without_priority():
    """They get no CPU while they may hold a lock, and others read the same files."""
    with path_disks(2) as paths, Multipath(paths, SELECTOR) as mapped:
        directory = MapFiles(mapped).directory
        busy = [(keep_busy,)] * 2 * os.cpu_count()
        with in_background(*[(when_idle, reads_all, directory)] * 4, *[(reads_all, directory)] * 2, *busy):
            for _ in range(5):
                within_a_minute(mapped.reload, SELECTOR)
                for name in ("share", "starts"):
                    assert MapFiles(mapped).path(paths[0])[name]


def test_who_lists_a_map_holds_up_no_other():
    """In debugfs, where the kernel lets nobody change a directory meanwhile: this map's goes afterwards."""
    with path_disks(2) as paths, Multipath(paths[:1], SELECTOR) as mapped:
        directory = os.open("%s/%s" % (debugfs.ROOT, debugfs.MapFiles(mapped).label), os.O_RDONLY)
        with Stuck(list_directory(directory)) as stuck:
            within_a_minute(mapped.reload)
            reload = begin(mapped.reload, "round-robin")
            wait_until(lambda: maps() == [], "the map has gone from sysfs", timeout=60)
            within_a_minute(comes_and_goes, paths[1:])
        assert stuck.result > 0
        os.close(directory)
        reload.result(timeout=limit(60))
        assert os.listdir(debugfs.ROOT) == []
