"""The instrument itself: the test disk does what tests/modules/disk/model.c says."""
# promise tests/test-disk: The test disk delays, limits and fails I/Os as it is set | full: `guests-*`

import contextlib
import errno
import math
import mmap
import os
import time

import pytest

from tests.lib import fio
from tests.lib.command import CommandError, sh, wait_until
from tests.lib.disks import path_disks

BAD_VALUES = [
    ("delay_us", "-1"), ("delay_us", "x"), ("delay_us", ""),
    ("delay_us", "60000001"), ("delay_us", "5 6"), ("service_us", "60000001"),
    ("mbps", "1000001"), ("tags", "-1"), ("tags", "33"), ("hang", "2"),
    ("error", "5"), ("busy_after_start", "2"), ("error_delay_us", "1e3"), ("far_us", "60000001"),
    ("tail_every", "-1"), ("tail_us", "60000001"), ("tail_permille", "-1"), ("tail_permille", "1001"),
    ("tail_next", "-1"), ("tail_next", "2147483648"), ("rest_us", "-1"), ("rest_us", "60000001"),
    ("sigma_permille", "-1"), ("sigma_permille", "1001"), ("sigma_permille", "0.5"), ("seed", "-1"),
    ("write_delay_us", "-2"), ("write_delay_us", "60000001"), ("write_service_us", "60000001"),
    ("write_mbps", "-2"), ("write_mbps", "1000001"), ("write_mbps", "2147483648"),
    ("max_inflight", "1"), ("remove", "0"),
]
BAD_PARAMETERS = ["disks=0", "disks=17", "queue_depth=0", "queue_depth=1025",
                  "size_mb=0", "hw_queues=0"]


@contextlib.contextmanager
def opened(disk):
    fd = os.open(disk.path, os.O_RDONLY | os.O_DIRECT)
    try:
        yield fd
    finally:
        os.close(fd)


def read_at_zero(fd, length):
    """What the device holds, past the page cache."""
    buffer = mmap.mmap(-1, length)              # O_DIRECT wants it aligned
    return buffer[:os.preadv(fd, [buffer], 0)]


def seconds_of_reads(fd, count):
    """What each of them takes, one after the other."""
    def seconds_of_read():
        start = time.monotonic()
        read_at_zero(fd, 4096)
        return time.monotonic() - start

    return [seconds_of_read() for _ in range(count)]


def is_part(values, condition, part):
    """Is the condition true for such a part of random values? Four standard deviations are allowed."""
    found = sum(map(condition, values)) / len(values)
    return abs(found - part) < 4 * math.sqrt(part * (1 - part) / len(values))


def read_direct(disk, length):
    with opened(disk) as fd:
        return read_at_zero(fd, length)


def test_refuses_bad_values():
    for parameter in BAD_PARAMETERS:
        with pytest.raises(CommandError):
            sh("modprobe", "lw_testdisk", parameter)
    with path_disks(1, queue_depth=32) as (disk,):
        disk.set(delay_us=1234)
        names = sorted({name for name, _ in BAD_VALUES} - {"remove"})
        before = {name: disk.get(name) for name in names}
        for name, value in BAD_VALUES:
            with pytest.raises(OSError) as refused:
                disk.set(**{name: value})
            assert refused.value.errno == errno.EINVAL, (name, value)
        assert {name: disk.get(name) for name in names} == before
        assert os.path.exists(disk.path)


@pytest.mark.virtual_time
def test_delay_is_a_pipe_and_the_server_a_bound():
    with path_disks(1) as (disk,):
        disk.set(delay_us=20000)
        pipe = fio.run(disk.path, runtime=1, iodepth=8)
        disk.set(service_us=5000)
        server = fio.run(disk.path, runtime=1, iodepth=16)
        disk.set(service_us=0, mbps=10)
        bandwidth = fio.run(disk.path, runtime=1, iodepth=16, bs="64k")
    assert 20000 <= pipe.p50_us < 21000
    for result, expected in ((pipe, 8 / 0.020), (server, 1 / 0.005),
                             (bandwidth, 10e6 / 65536)):
        assert 0.97 * expected < result.iops < 1.03 * expected


@pytest.mark.virtual_time
def test_one_of_so_many_takes_longer():
    with path_disks(1) as (disk,), opened(disk) as fd:
        disk.set(tail_every=10, tail_us=300000)
        taken = sorted(seconds_of_reads(fd, 20))
    assert taken[-2] >= 0.3 and taken[-3] < 0.01


@pytest.mark.virtual_time
def test_the_next_ones_take_longer():
    with path_disks(1) as (disk,), opened(disk) as fd:
        disk.set(tail_us=300000)
        before = seconds_of_reads(fd, 3)
        disk.set(tail_next=2)
        taken = seconds_of_reads(fd, 5)
        left = disk.get("tail_next")
    assert max(before + taken[2:]) < 0.01 and min(taken[:2]) >= 0.3
    assert left == 0


@pytest.mark.virtual_time
def test_the_server_rests():
    with path_disks(1) as (disk,), opened(disk) as fd:
        disk.set(rest_us=300000)
        first, *others = seconds_of_reads(fd, 5)
    assert 0.29 < first < 0.31 and max(others) < 0.01


@pytest.mark.virtual_time
def test_random_part_takes_longer():
    with path_disks(1) as (disk,), opened(disk) as fd:
        disk.set(delay_us=1000, tail_permille=300, tail_us=8000)
        taken = seconds_of_reads(fd, 4000)
    late = [seconds > 0.005 for seconds in taken]
    for is_late, expected in ((False, 0.001), (True, 0.009)):
        alike = [seconds for seconds in taken if (seconds > 0.005) == is_late]
        assert expected <= sum(alike) / len(alike) < expected + 0.0002
    assert is_part(late, bool, 0.3)
    assert is_part([after for before, after in zip(late, late[1:]) if before], bool, 0.3)


@pytest.mark.virtual_time
def test_delay_is_lognormal():
    median, sigma = 0.005, 0.5
    with path_disks(1) as (disk,), opened(disk) as fd:
        disk.set(delay_us=5000, sigma_permille=500)
        taken = seconds_of_reads(fd, 8000)
    for deviations, part in ((-2.326, 0.01), (-1, 0.1587), (0, 0.5), (1, 0.8413), (2.326, 0.99)):
        quantile = median * math.exp(sigma * deviations)
        assert is_part(taken, lambda seconds: seconds < quantile, part), part
    assert sum(taken) / len(taken) == pytest.approx(median * math.exp(sigma**2 / 2), rel=0.025)


@pytest.mark.virtual_time
def test_random_numbers_repeat():
    def drawn(disk, fd, seed):
        disk.set(tail_permille=500, tail_us=100000, seed=seed)
        return [seconds > 0.05 for seconds in seconds_of_reads(fd, 50)]

    with path_disks(2) as (first, second), opened(first) as of_first, opened(second) as of_second:
        once = drawn(first, of_first, 7)
        assert drawn(first, of_first, 7) == once
        assert drawn(first, of_first, 8) != once
        assert drawn(second, of_second, 7) != once


@pytest.mark.virtual_time
def test_writes_differ_from_reads():
    def iops(**options):
        return fio.run(disk.path, runtime=1, iodepth=16, **options).iops

    with path_disks(1) as (disk,):
        for settings, size, reads, writes in (
                (dict(delay_us=10000, write_delay_us=40000), "4k", 1600, 400),
                (dict(service_us=1000, write_service_us=4000), "4k", 1000, 250),
                (dict(service_us=1000, write_service_us=0, write_delay_us=8000), "4k", 1000, 2000),
                (dict(mbps=40, write_mbps=10), "64k", 610, 153)):
            disk.reset()
            disk.set(**settings)
            assert iops(rw="randread", bs=size) == pytest.approx(reads, rel=0.04), settings
            assert iops(rw="randwrite", bs=size) == pytest.approx(writes, rel=0.04), settings


def test_large_read_is_one_request():
    with path_disks(1) as (disk,):
        before = disk.used(), disk.get("bytes")
        read_direct(disk, 1 << 20)
        assert (disk.used() - before[0], disk.get("bytes") - before[1]) == (1, 1 << 20)


def test_tags_bound_what_is_in_flight():
    with path_disks(1, hw_queues=min(2, os.cpu_count())) as (disk,):
        disk.set(delay_us=10000, tags=4)
        for after_start in (0, 1):
            busy = disk.get("busy")
            disk.set(busy_after_start=after_start, max_inflight=0)
            result = fio.run(disk.path, runtime=1, iodepth=8, numjobs=2)
            assert disk.get("max_inflight") == 4
            assert disk.get("busy") > busy
            assert result.mean_us >= 10000
        assert disk.get("inflight") == 0


def test_seeks_tell_how_sequential_the_reads_are():
    with path_disks(1) as (disk,):
        for bytes_at_once, seeks in (("4k", 1), ("8k", 1)):
            before = disk.get("seeks")
            sh("dd", "if=" + disk.path, "of=/dev/null", "bs=" + bytes_at_once, "count=10",
               "skip=3", "iflag=direct")
            assert disk.get("seeks") - before == seeks


def test_hang_parks_everything_and_resumes():
    with path_disks(1) as (disk,):
        with disk.hanging(), fio.Fio(disk.path, iodepth=8, number_ios=8) as job:
            wait_until(lambda: disk.get("inflight") == 8, "8 I/Os are parked")
            time.sleep(0.3)
            assert disk.get("inflight") == 8
            disk.set(hang=0)
            job.wait()
        assert disk.get("inflight") == 0


def test_error_reaches_the_user_after_its_delay():
    with path_disks(1) as (disk,):
        disk.set(error=1, error_delay_us=300000)
        started = time.monotonic()
        with pytest.raises(OSError) as failed:
            read_direct(disk, 4096)
        assert failed.value.errno == errno.EIO
        assert time.monotonic() - started >= 0.3
        assert disk.get("errors") >= 1


def test_disks_share_their_data_and_discard_clears_it():
    with path_disks(2) as (first, second):
        pattern = os.urandom(65536)
        with open(first.path, "wb") as file:
            file.write(pattern)
            file.flush()
            os.fsync(file.fileno())
        assert first.get("others") > 0          # the flush
        assert read_direct(second, 65536) == pattern
        sh("blkdiscard", "--offset", 4096, "--length", 8192, second.path)
        assert read_direct(second, 65536) == (
            pattern[:4096] + bytes(8192) + pattern[12288:])


def test_unshared_disks_differ():
    with path_disks(2, shared="N") as (first, second):
        with open(first.path, "wb") as file:
            file.write(b"x" * 4096)
        assert read_direct(first, 4096) == b"x" * 4096
        assert read_direct(second, 4096) == bytes(4096)


def test_pulled_while_open():
    """Its user gets an error, or the end of a device that has no size now."""
    with path_disks(2) as (disk, _), opened(disk) as fd:
        assert len(read_at_zero(fd, 4096)) == 4096
        disk.remove()
        try:
            assert read_at_zero(fd, 4096) == b""
        except OSError as error:
            assert error.errno in (errno.EIO, errno.ENXIO, errno.ENODEV)
        with pytest.raises(CommandError, match="in use"):
            sh("rmmod", "lw_testdisk")
