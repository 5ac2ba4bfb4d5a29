"""Reading everything, from several processes and in tight loops, while maps change under load.

Nothing is lost: the load sees no error, a file has either its value or goes with its directory,
and the kernel log is clean. In real time, on as many CPUs as there are: on one there is hardly a race.
"""
# promise lifecycle/open-files: Files kept open outlive their map, but not the module | full: `guests-*`
# promise service/reload

import contextlib
import errno
import os
import time
from multiprocessing import get_context

import pytest

from tests.guest.lib.parametrized import one_mode
from tests.lib import debugfs, fio
from tests.lib.command import CommandError, load_module, sh, unload_module
from tests.lib.disks import path_disks
from tests.lib.multipath import WITHOUT_UDEV, Multipath
from tests.lib.options import DEFAULTS, PARAMETERS
from tests.lib.scenario import SELECTOR, SELECTOR_MODULE, Load
from tests.lib.sysfs import MapFiles, every_file, files_below, maps

pytestmark = [pytest.mark.time_limit(300), pytest.mark.observe]

READERS = 2
GONE = {errno.ENOENT, errno.ENODEV}
GONE_IN_DEBUGFS = {errno.ENOENT, errno.EIO}


def read_all(files, gone, is_good, stop, reads, faults):
    """Whatever is there, again and again."""
    while not stop.is_set():
        for file in files():
            try:
                with open(file) as opened:
                    text = opened.read()
            except OSError as error:
                if error.errno not in gone:
                    faults.put("%s: %s" % (file, error))
                continue
            with reads.get_lock():
                reads.value += 1
            if not is_good(text):
                faults.put("%s: %r" % (file, text))


def is_value(text):
    return len(text.split()) == 1 and text.endswith("\n")


def are_tables(text):
    try:
        for part in text.split("\n\n"):
            debugfs.rows(part)
    except ValueError:
        return False
    return True


def every_table():
    return [file for file in files_below(debugfs.ROOT) if os.path.basename(file) != "reset"]


def read_values(stop, reads, faults):
    """A process: all of sysfs."""
    read_all(every_file, GONE, is_value, stop, reads, faults)


def read_tables(stop, reads, faults):
    """A process: all of debugfs."""
    read_all(every_table, GONE_IN_DEBUGFS, are_tables, stop, reads, faults)


def write_all(stop, writes, faults):
    """A process: tunables of whatever map there is."""
    values = {"tolerance": (0, 12), "window_ms": (5, 20), "max_penalty": (1, 1000),
              "accounting": (0, 1), "prefer": (0, 1), "ewma_shift": (0, 3)}
    turn = 0
    while not stop.is_set():
        turn = 1 - turn
        for file in every_file():
            if os.path.basename(file) not in values:
                continue
            try:
                # Not to be created, which open(file, "w") would try if it has just gone.
                with open(os.open(file, os.O_WRONLY), "w") as opened:
                    opened.write(str(values[os.path.basename(file)][turn]))
            except OSError as error:
                if error.errno not in GONE:
                    faults.put("%s: %s" % (file, error))
                continue
            with writes.get_lock():
                writes.value += 1


class Crowd:
    """Readers and perhaps a writer beside the test; leaving it tells what they met."""

    def __init__(self, reader=read_values, writer=write_all):
        context = get_context("fork")
        self.reader = reader
        self.stop, self.faults = context.Event(), context.Queue()
        self.reads = context.Value("L", 0)
        self.done = {reader: self.reads}
        if writer:
            self.done[writer] = context.Value("L", 0)
        self.processes = [context.Process(target=role, args=(self.stop, self.done[role], self.faults))
                          for role in [reader] * (READERS - 1) + list(self.done)]

    def __enter__(self):
        for process in self.processes:
            process.start()
        return self

    def __exit__(self, failure, *_):
        self.stop.set()
        faults = []
        while any(process.is_alive() for process in self.processes) or not self.faults.empty():
            with contextlib.suppress(OSError):
                while not self.faults.empty():
                    faults.append(self.faults.get())
            time.sleep(0.05)
        for process in self.processes:
            process.join()
        if failure is None:
            assert not faults[:5]
            assert [process.exitcode for process in self.processes] == [0] * len(self.processes)
            assert all(done.value > 0 for done in self.done.values())

    def wait_for_more(self, reads=200):
        """And for a write, of which there may be none while a map is there for a moment."""
        before = {role: done.value for role, done in self.done.items()}
        while self.reads.value - before[self.reader] < reads or \
                any(done.value == before[role] for role, done in self.done.items()):
            time.sleep(0.01)


def goes_on(load, ios=60):
    """By any path, since the writer may have made any other one the better."""
    def used():
        return sum(load.used(load.paths).values())
    before = used()
    load.wait_until(lambda: used() - before >= ios, "%d I/Os are served" % ios, timeout=60)


@one_mode
def test_reading_while_tables_change(queue_mode):
    """Reloads, tables loaded and cleared, a rename, a path that fails and comes back."""
    with path_disks(3) as paths:
        for path in paths:
            path.set(delay_us=1000)
        with Multipath(paths, SELECTOR, queue_mode) as mapped:
            files = MapFiles(mapped)
            with Load(mapped, iodepth=8) as load, Crowd() as crowd:
                goes_on(load)
                for turn in range(4):
                    mapped.reload()
                    sh("dmsetup", "load", mapped.name, "--table", mapped.table())
                    crowd.wait_for_more()
                    sh("dmsetup", "clear", mapped.name)
                    mapped.fail_path(paths[turn % 3])
                    mapped.reload("round-robin" if turn == 2 else SELECTOR)
                    # Not right after "clear": there dm of 6.12 frees something twice, whatever
                    # the selector.
                    sh("dmsetup", "rename", *WITHOUT_UDEV, mapped.name, "lwturn%d" % turn)
                    mapped.name = "lwturn%d" % turn
                    goes_on(load)
                    if turn == 2:
                        assert maps() == []
                        mapped.reload(SELECTOR)
                assert files["name"] == mapped.name
                assert all(files.path(path).number("ends") > 0 for path in paths)
        assert maps() == []
    unload_module(SELECTOR_MODULE)


def test_reading_while_maps_come_and_go():
    """Each lives for a moment; the module, too, once nobody is left."""
    with path_disks(2) as paths:
        sh("modprobe", SELECTOR_MODULE)
        for _ in range(2):
            with Crowd() as crowd:
                for _ in range(4):
                    with contextlib.ExitStack() as stack:
                        for name, path in zip(("lwone", "lwtwo"), paths):
                            stack.enter_context(Multipath([path], SELECTOR, name=name))
                        crowd.wait_for_more(20)
                assert maps() == []
            unload_module(SELECTOR_MODULE)
            sh("modprobe", SELECTOR_MODULE)


@pytest.mark.facts
def test_directory_waits_for_who_is_inside():
    """A file kept open outlives its directory, and then says that it is gone."""
    with path_disks(2) as paths:
        with Multipath(paths, SELECTOR):
            files = [open(file) for file in every_file()]
        for file in files:
            with file, pytest.raises(OSError) as failure:
                file.read()
            assert failure.value.errno == errno.ENODEV
        assert maps() == []
        unload_module(SELECTOR_MODULE)


@pytest.mark.facts
def test_files_kept_open_for_writing():
    """When their map goes, what is written is refused."""
    debugfs.mount()
    with path_disks(2) as paths:
        with Multipath(paths, SELECTOR) as mapped:
            files = MapFiles(mapped)
            names = (files.file("tolerance"), files.path(paths[0]).file("prefer"),
                     debugfs.MapFiles(mapped).reset_file)
            held = [os.open(name, os.O_WRONLY) for name in names]
        for descriptor, gone in zip(held, (errno.ENODEV, errno.ENODEV, errno.EIO)):
            with pytest.raises(OSError) as failure:
                os.write(descriptor, b"1")
            os.close(descriptor)
            assert failure.value.errno == gone
        unload_module(SELECTOR_MODULE)


def test_files_go_with_their_map():
    """Those of debugfs, while they are read: who still has one open gets an error, no more."""
    debugfs.mount()
    load_module(SELECTOR_MODULE)
    with path_disks(2) as paths, Crowd(read_tables, writer=None) as crowd:
        for _ in range(4):
            with Multipath(paths, SELECTOR) as mapped:
                files = debugfs.MapFiles(mapped)
                held = open("%s/%s/latency_stat" % (debugfs.ROOT, files.label))
                fio.run(mapped.path, runtime=0.1)
                files.reset()
                crowd.wait_for_more(20)
            assert not files.exists()
            with held, pytest.raises(OSError) as failure:
                held.read()
            assert failure.value.errno == errno.EIO
        assert os.listdir(debugfs.ROOT) == []
    unload_module(SELECTOR_MODULE)


@pytest.mark.facts
def test_files_kept_open_outlive_the_module():
    """Those of a map are gone with it; those of the module's parameters do not hold it."""
    with path_disks(2) as paths:
        with Multipath(paths, SELECTOR):
            held = [open(file) for file in
                    every_file() + [PARAMETERS + key for key in sorted(DEFAULTS)]]
        unload_module(SELECTOR_MODULE)
        for file in held:
            with file, pytest.raises(OSError) as failure:
                file.read()
            assert failure.value.errno == errno.ENODEV


@pytest.mark.facts
@pytest.mark.parametrize("name", ["latency_stat", "paths/{}/latency_stat"])
def test_open_debugfs_file_keeps_the_module(name):
    """Until it is closed: its functions are the module's. It holds up no removal of its map."""
    debugfs.mount()
    with path_disks(2) as paths:
        with Multipath(paths, SELECTOR) as mapped:
            label = debugfs.MapFiles(mapped).label
            held = open("%s/%s/%s" % (debugfs.ROOT, label, name.format(paths[0].name)))
        with held:
            with pytest.raises(CommandError, match="in use"):
                sh("rmmod", SELECTOR_MODULE)
            with pytest.raises(OSError):
                held.read()
        unload_module(SELECTOR_MODULE)
