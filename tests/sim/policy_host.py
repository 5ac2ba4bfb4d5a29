"""Calls a policy as the module would, without any of it: struct lw_policy of lw_policy.h for Python."""
import ctypes
import shutil
import subprocess
import tempfile

from . import policy_library

PATHS = 16
DATA, READ, WRITE, OTHER = range(4)
USABLE, SUSPECTED, FULL, UNUSABLE = range(4)
NOW = "unsigned long long now_ns; unsigned long long lw_policy_now_ns(void) { return now_ns; }\n"


class PathEntry(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint32) for name in
                ("dev", "state", "latency_ns", "base_ns", "ios", "kib", "knee", "reserved")]
    _fields_ += [("cost", ctypes.c_uint64), ("reserved2", ctypes.c_uint64)]


class PolicyIo(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint32) for name in
                ("version", "map", "name", "bytes", "op", "cpu", "node", "nr")]
    _fields_ += [("cgroup", ctypes.c_uint64), ("own", ctypes.c_int32), ("choice", ctypes.c_int32),
                 ("reserved", ctypes.c_uint32 * 4), ("path", PathEntry * PATHS), ("mark", ctypes.c_uint8 * 64)]


def layout():
    """C that the compiler refuses if the header has another layout."""
    lines = ["#include <stddef.h>", "#include <lw_policy.h>"]
    for name, structure in (("lw_policy", PolicyIo), ("lw_policy_path", PathEntry)):
        lines.append(f'_Static_assert(sizeof(struct {name}) == {ctypes.sizeof(structure)}, "size");')
        lines += [f'_Static_assert(offsetof(struct {name}, {field}) == {getattr(structure, field).offset}, "{field}");'
                  for field, _ in structure._fields_]
    return "\n".join(lines) + "\n"


class Clock:
    """What the policies' clock says."""

    def __init__(self, directory):
        source, library = directory / "now.c", directory / "now.so"
        source.write_text(NOW)
        subprocess.run(["clang", "-shared", "-fPIC", "-o", library, source], check=True)
        self.library = ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL)

    def set(self, seconds):
        ctypes.c_uint64.in_dll(self.library, "now_ns").value = int(seconds * 1e9)


class HostPolicy:
    """What policy_library.build() made. `paths` are what it sees of each path, and may change between choices."""

    def __init__(self, built):
        library, name = built.rsplit(":", 1)
        with tempfile.NamedTemporaryFile() as copy:     # of the same file there would be one, with what it remembers
            shutil.copyfile(library, copy.name)
            self.function = getattr(ctypes.CDLL(copy.name), name)
        self.paths = []

    def choose(self, own=0, nr_bytes=4096, cpu=0, op=DATA, cgroup=0):
        io = PolicyIo(version=1, nr=len(self.paths), own=own, choice=own, bytes=nr_bytes, cpu=cpu, op=op, cgroup=cgroup)
        for entry, values in zip(io.path, self.paths):
            for name, value in values.items():
                setattr(entry, name, value)
        pointer = ctypes.pointer(io)
        self.function(ctypes.byref(pointer))
        assert bytes(io.mark).count(1) == 1
        return io.choice
