"""Memory that faults for as long as one likes: who reads a file into it stands still within the kernel."""

import ctypes
import errno
import fcntl
import mmap
import os
import platform
import select
import struct
import threading

import pytest

from tests.lib.command import limit

# x86's numbers, and include/uapi/asm-generic/unistd.h
USERFAULTFD, GETDENTS64 = (323, 217) if platform.machine() == "x86_64" else (282, 61)

# include/uapi/linux/userfaultfd.h
UFFD_API = 0xAA
UFFDIO_API, UFFDIO_REGISTER, UFFDIO_COPY = 0xC018AA3F, 0xC020AA00, 0xC028AA03
UFFDIO_REGISTER_MODE_MISSING = 1

libc = ctypes.CDLL(None, use_errno=True)


def syscall(*words):
    result = libc.syscall(*map(ctypes.c_long, words))
    if result < 0:
        raise OSError(ctypes.get_errno(), "system call %d" % words[0])
    return result


def userfaultfd():
    try:
        fd = syscall(USERFAULTFD, os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        if error.errno != errno.ENOSYS:
            raise
        pytest.skip("this kernel has no userfaultfd")
    fcntl.ioctl(fd, UFFDIO_API, struct.pack("QQQ", UFFD_API, 0, 0))
    return fd


def address(memory):
    return ctypes.addressof(ctypes.c_char.from_buffer(memory))


def read(file):
    """Each of these three makes a call for Stuck."""
    return lambda memory: os.preadv(file, [memory], 0)


def write(file):
    return lambda memory: os.write(file, memoryview(memory)[:1])


def list_directory(file):
    return lambda memory: syscall(GETDENTS64, file, address(memory), len(memory))


class Stuck:
    """A thread in the midst of `call(memory)`, which copies to or from a page that is not there yet.

    Inside the block it stands still. Then the page comes, filled with `text`, and `result` is
    what the call returned or raised.
    """

    def __init__(self, call, text=b""):
        self.memory = mmap.mmap(-1, mmap.PAGESIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        self.text = text.ljust(mmap.PAGESIZE, b"\0")
        self.result = None
        self.thread = threading.Thread(target=self.run, args=(call,))

    def run(self, call):
        try:
            self.result = call(self.memory)
        except OSError as error:
            self.result = error

    def __enter__(self):
        self.fd = userfaultfd()
        fcntl.ioctl(self.fd, UFFDIO_REGISTER, struct.pack(
            "QQQQ", address(self.memory), len(self.memory), UFFDIO_REGISTER_MODE_MISSING, 0))
        self.thread.start()
        if not select.select([self.fd], [], [], limit(60))[0]:
            self.__exit__()
            raise TimeoutError("no fault within a minute: %s" % self.result)
        return self

    def __exit__(self, *_):
        page = ctypes.create_string_buffer(self.text, len(self.text))
        fcntl.ioctl(self.fd, UFFDIO_COPY, struct.pack(
            "QQQQq", address(self.memory), ctypes.addressof(page), len(self.text), 0, 0))
        os.close(self.fd)
        self.thread.join()
