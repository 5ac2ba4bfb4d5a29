"""A policy into the kernel, by libbpf: 0.3 of Debian 11, or a later one."""
import contextlib
import ctypes
import errno
import mmap
import os
import resource
import tempfile

from ..errors import LwError, reason

NAMES = ("libbpf.so.1", "libbpf.so.0")
RUN = "/run"
# By default everybody may make names there, as in /tmp.
MOUNT = "mount -t bpf -o mode=700 bpf /sys/fs/bpf"
RAW_TRACEPOINT_WRITABLE = 24            # enum bpf_prog_type
LAST_ERROR = 4095                       # addresses above minus this are errors of libbpf 0
LARGEST_LOG = 17 << 20                  # bytes: the verifier's 16 MiB, and libbpf's words
LINES_OF_LOG = 8
POINTER, NUMBER, TEXT = ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p
PRINTER = ctypes.CFUNCTYPE(NUMBER, NUMBER, TEXT, POINTER)
# Lines that libbpf puts around the verifier's.
ABOUT_THE_LOG = ("libbpf:", "processed ", "verification time", "stack depth", "--")


class Library:
    """Functions of libbpf; its output is in `said`."""

    def __init__(self):
        self.library = self.find()
        self.said = []
        self.room = None
        # Where no memory may be both written and executed, as in udev's sandbox, old libffi makes no function.
        with contextlib.suppress(MemoryError):
            self.printer = PRINTER(self.keep)   # as long as libbpf has it
            self.call("libbpf_set_print", POINTER, (PRINTER, self.printer))

    @staticmethod
    def find():
        for name in NAMES:
            with contextlib.suppress(OSError):
                return ctypes.CDLL(name, use_errno=True)
        raise LwError("libbpf is not installed (Debian: libbpf1 or libbpf0; RHEL, SUSE: libbpf, libbpf1)")

    def keep(self, _level, form, arguments):
        """For libbpf, in place of stderr: as with printf(), a form and its arguments."""
        if self.room is None:
            self.room = mmap.mmap(-1, LARGEST_LOG)
        start = (ctypes.c_char * LARGEST_LOG).from_buffer(self.room)
        ctypes.CDLL(None).vsnprintf(start, ctypes.c_size_t(LARGEST_LOG), ctypes.c_char_p(form),
                                    ctypes.c_void_p(arguments))
        self.said.append(start.value.decode(errors="backslashreplace"))
        return 0

    def has(self, name):
        return hasattr(self.library, name)

    def call(self, name, result, *arguments):
        """Each argument is (type, value)."""
        function = getattr(self.library, name)
        function.restype, function.argtypes = result, [kind for kind, _ in arguments]
        return function(*(value for _, value in arguments))

    def open(self, file):
        """The object, and 0; or None and the number of the error."""
        found = self.call("bpf_object__open", POINTER, (TEXT, os.fsencode(file)))
        if not found:
            return None, ctypes.get_errno() or errno.EINVAL
        failed = (1 << 8 * ctypes.sizeof(POINTER)) - found
        return (None, failed) if failed <= LAST_ERROR else (found, 0)

    def first_program(self, found):
        if self.has("bpf_object__next_program"):
            return self.call("bpf_object__next_program", POINTER, (POINTER, found), (POINTER, None))
        return self.call("bpf_program__next", POINTER, (POINTER, None), (POINTER, found))

    def lines(self):
        """The verifier's last words, or else libbpf's."""
        lines = [line.strip() for text in self.said for line in text.splitlines() if line.strip()]
        verifiers = [line for line in lines if not line.startswith(ABOUT_THE_LOG)]
        return (verifiers or lines)[-LINES_OF_LOG:]


@contextlib.contextmanager
def pinned(policy, pin):
    """The policy in the kernel, under that name, for as long as this takes."""
    library = Library()
    allow_locked_memory()
    with as_file(policy) as file:
        found, failed = library.open(file)
    if failed:
        raise LwError("%s: libbpf does not read it: %s" % (policy.name, told(library, failed)))
    try:
        program = library.first_program(found)
        library.call("bpf_program__set_type", None, (POINTER, program), (NUMBER, RAW_TRACEPOINT_WRITABLE))
        failed = -library.call("bpf_object__load", NUMBER, (POINTER, found))
        if failed:
            raise refused(library, policy, failed)
        pin_program(library, program, pin)
        try:
            yield
        finally:
            os.unlink(pin)
    finally:
        library.call("bpf_object__close", None, (POINTER, found))


@contextlib.contextmanager
def as_file(policy):
    """With the constants that were set, as libbpf takes a file. Early in a boot, /run alone can be written."""
    with tempfile.TemporaryDirectory(prefix="dm-lw.", dir=RUN if os.access(RUN, os.W_OK) else None) as directory:
        file = os.path.join(directory, policy.name)
        with open(file, "wb") as opened:
            opened.write(policy.content)
        yield file


def allow_locked_memory():
    """Up to 5.10 programs and their maps count as such, and 64 KiB are usual."""
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_MEMLOCK, (resource.RLIM_INFINITY,) * 2)


def refused(library, policy, failed):
    if failed == errno.EPERM:
        return LwError("%s: the kernel lets nobody here load BPF programs: it takes CAP_BPF and CAP_PERFMON, or root"
                       % policy.name)
    return LwError("%s: the kernel's verifier refuses it: %s" % (policy.name, told(library, failed)))


def told(library, failed):
    return " / ".join(library.lines()) or os.strerror(failed)


def pin_program(library, program, pin):
    try:
        os.unlink(pin)
    except FileNotFoundError:
        pass
    except OSError as error:    # no pin that a killed dm-lw left
        raise LwError("%s: %s; remove it" % (pin, reason(error)))
    failed = -library.call("bpf_program__pin", NUMBER, (POINTER, program), (TEXT, os.fsencode(pin)))
    if failed:
        raise LwError("%s cannot be made: %s; wanted is a file system for BPF: %s"
                      % (pin, reason(OSError(failed, os.strerror(failed))), MOUNT))
