"""BPF programs by the system call alone: instructions as numbers, so that no guest needs a compiler or libbpf."""

import contextlib
import ctypes
import os
import platform
import resource
import struct

from .command import sh

PINS = "/sys/fs/bpf"

NUMBER = {"x86_64": 321, "aarch64": 280}[platform.machine()]    # of bpf()
MAP_CREATE, MAP_LOOKUP, PROG_LOAD, OBJ_PIN, PROG_BY_ID = 0, 1, 5, 6, 13
ARRAY, PROG_ARRAY = 2, 3
SOCKET_FILTER, WRITABLE = 1, 24             # types of programs
SLEEPABLE = 1 << 4                          # flag of a program
TAIL_CALL = 12                              # helper

# As src/policy/lw_policy.h lays them out.
OFFSET = {"version": 0, "map": 4, "name": 8, "bytes": 12, "op": 16, "cpu": 20, "node": 24, "nr": 28, "cgroup": 32,
          "own": 40, "choice": 44, "path": 64, "mark": 832}
SIZE, VERSION = 896, 1
PATH = {"dev": 0, "state": 4, "latency_ns": 8, "base_ns": 12, "ios": 16, "kib": 20, "knee": 24, "cost": 32}
PATH_SIZE, PATHS = 48, 16

libc = ctypes.CDLL(None, use_errno=True)


def instruction(code, to=0, source=0, offset=0, value=0):
    return struct.pack("<BBhi", code, source << 4 | to, offset, value)


# Register 6 has the struct; 0 the result.
BEGIN = instruction(0x79, 6, 1)             # r6 = *(u64 *)r1
END = instruction(0xb7, 0) + instruction(0x95)


def store(offset, value, byte=False):
    """To the struct."""
    return instruction(0x72 if byte else 0x62, 6, 0, offset, value)


def mark(version=VERSION, reads_cost=False):
    return store(OFFSET["mark"] + 2 * (version - 1) + reads_cost, 1, byte=True)


def policy(*body, version=VERSION, reads_cost=False):
    return b"".join([BEGIN, mark(version, reads_cost), *body, END])


def own():
    """It leaves the choice to the module."""
    return policy()


def fixed(index):
    """It insists on a path."""
    return policy(store(OFFSET["choice"], index))


def map_in_register(register, descriptor):
    return instruction(0x18, register, 1, 0, descriptor) + instruction(0)


def slow(rounds, nested=32):
    """A bounded loop: so many times `nested` moves; each round is checked by the verifier."""
    body = instruction(0xb7, 7) + instruction(0xbf, 8, 7) * nested + instruction(0x07, 7, 0, 0, 1) + \
        instruction(0xa5, 7, 0, -nested - 2, rounds)
    return policy(body)


def shows(descriptor):
    """It copies the struct, up to the marks, to the value of an array map at each run."""
    copied = b"".join(instruction(0x79, 1, 6, at) + instruction(0x7b, 0, 1, at)      # r1 = [r6 + at]; [r0 + at] = r1
                      for at in range(0, OFFSET["mark"], 8))
    body = b"".join([
        instruction(0x62, 10, 0, -4, 0), instruction(0xbf, 2, 10), instruction(0x07, 2, 0, 0, -4),  # r2 = &key
        map_in_register(1, descriptor), instruction(0x85, 0, 0, 0, 1),                      # r0 = its value
        instruction(0x15, 0, 0, len(copied) // 8, 0), copied])                                          # unless NULL
    return policy(body, reads_cost=True)


def tail_calls(descriptor):
    """It goes on with another program, if the map has one."""
    return policy(map_in_register(2, descriptor), instruction(0xb7, 3), instruction(0x85, 0, 0, 0, TAIL_CALL))


def call(command, attributes):
    """bpf(); its result, or OSError."""
    buffer = ctypes.create_string_buffer(attributes.ljust(144, b"\0"), 144)
    result = libc.syscall(NUMBER, command, buffer, len(buffer))
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, "bpf(%d): %s" % (command, os.strerror(error)))
    return result


def mount():
    if not os.path.ismount(PINS):
        sh("mount", "-t", "bpf", "bpf", PINS)
    # 5.10 counts programs as locked memory
    resource.setrlimit(resource.RLIMIT_MEMLOCK, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def create_map(kind, key_size, value_size, entries):
    return call(MAP_CREATE, struct.pack("<IIII", kind, key_size, value_size, entries))


def looked_up(descriptor, size, key=0):
    """The value of an entry of an array map."""
    key, value = ctypes.create_string_buffer(struct.pack("<I", key), 4), ctypes.create_string_buffer(size)
    call(MAP_LOOKUP, struct.pack("<IIQQ", descriptor, 0, ctypes.addressof(key), ctypes.addressof(value)))
    return value.raw


def load(code, name, kind=WRITABLE, flags=0):
    """A program's descriptor; OSError with the verifier's last words if it refuses."""
    text = ctypes.create_string_buffer(code, len(code))
    license_, log = ctypes.create_string_buffer(b"GPL"), ctypes.create_string_buffer(1 << 20)

    def attributes(*of_log):
        return struct.pack("<IIQQIIQII16s", kind, len(code) // 8, ctypes.addressof(text), ctypes.addressof(license_),
                           *of_log, 0, flags, name.encode())

    try:
        return call(PROG_LOAD, attributes(0, 0, 0))
    except OSError as error:
        with contextlib.suppress(OSError):
            os.close(call(PROG_LOAD, attributes(1, len(log), ctypes.addressof(log))))
        raise OSError(error.errno, "%s: %s" % (name, log.value.decode()[-500:]))


def exists(program):
    """Does the kernel have a program of this id?"""
    try:
        os.close(call(PROG_BY_ID, struct.pack("<I", program)))
    except FileNotFoundError:
        return False
    return True


def pin(descriptor, name):
    """Where it is pinned."""
    path = "%s/%s" % (PINS, name)
    pathname = ctypes.create_string_buffer(path.encode())
    call(OBJ_PIN, struct.pack("<QII", ctypes.addressof(pathname), descriptor, 0))
    return path


@contextlib.contextmanager
def pinned(code, name, **options):
    """A program's pin, as long as it is needed; what uses the program then may use it longer."""
    mount()
    descriptor = load(code, name, **options)
    try:
        path = pin(descriptor, name)
    finally:
        os.close(descriptor)
    try:
        yield path
    finally:
        os.unlink(path)


@contextlib.contextmanager
def bpf_map(kind, key_size, value_size, entries):
    mount()
    descriptor = create_map(kind, key_size, value_size, entries)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
