"""Files that are written: replaced at once, and only if regular, or not there yet.

A rename makes a regular file of a device node, and open() writes to the device.
"""
import contextlib
import errno
import os
import stat
import tempfile
import time

from .errors import LwError, reason
from .signals import undivided

STDOUT = "-"
HINT = "; %s writes to stdout" % STDOUT
RECORDING = b'{"begin":'        # begin of a recording by dm-lw record
# Mode of a new file with any umask: node_exporter reads it as another user.
MODE = 0o644
PRIVATE = 0o600
SCRATCH = ".dm-lw."             # how the name of a file begins while it is written
ABANDONED = 60                  # seconds after which the writer must be gone
SHARED = stat.S_ISVTX | stat.S_IWOTH     # mode of a directory like /tmp
MOST_LINKS = 40                 # that the kernel follows
KINDS = {stat.S_IFDIR: "a directory", stat.S_IFCHR: "a character device",
         stat.S_IFBLK: "a block device", stat.S_IFIFO: "a FIFO", stat.S_IFSOCK: "a socket"}


def require_regular(file, hint=""):
    """os.stat() of a regular file; None if there is nothing, LwError for another kind."""
    try:
        found = os.stat(file)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise LwError("%s: %s" % (file, reason(error)))
    if not stat.S_ISREG(found.st_mode):
        raise LwError("%s is %s; wanted is a regular file, or a name that is free%s" % (
            file, KINDS.get(stat.S_IFMT(found.st_mode), "something else"), hint))
    return found


def require_replaceable(file, hint=HINT):
    """Before work whose result goes there."""
    where, before = place(file, hint)
    require_no_recording(file, where, before)
    directory = os.path.dirname(where)
    if not os.path.isdir(directory):
        raise LwError("%s: there is no directory %s" % (file, directory))
    if not os.access(directory, os.W_OK | os.X_OK):
        raise LwError("%s: files in %s cannot be replaced" % (file, directory))


def require_no_recording(file, where, before):
    """Nothing makes it again."""
    if before:
        with contextlib.suppress(OSError), open(where, "rb") as opened:
            if opened.read(len(RECORDING)) == RECORDING:
                raise LwError("%s is a recording of dm-lw, which nothing replaces; name another file" % file)


def replace(file, content, private=False):
    """Replace the file that a user named, or the target of a link.

    A private file is a new one: the owner of the old file must not own a file that only root may read.
    """
    where, before = place(file, HINT)
    require_no_recording(file, where, before)
    try:
        if private:
            rename_over(where, content, mode=PRIVATE)
        else:
            rename_over(where, content, before)
    except OSError as error:
        raise LwError("%s: %s" % (file, reason(error)))


def place(file, hint=""):
    """Its place, links followed, and its os.stat()."""
    if not os.path.basename(file) or file == STDOUT:
        raise LwError("\"%s\" is no name of a file" % file)
    before = require_regular(file, hint)
    try:
        return followed(file), before
    except OSError as error:
        raise LwError("%s: %s" % (file, reason(error)))


def followed(file):
    """Where it is; LwError if a link leads there that another user left in a directory like /tmp.

    The kernel may refuse those, too, but os.path.realpath() takes one that came after it looked.
    """
    where = file
    for _ in range(MOST_LINKS + 1):
        directory, name = os.path.split(where)
        directory = os.path.realpath(directory)
        where = os.path.join(directory, name)
        if not os.path.islink(where):
            return where
        link, around = os.lstat(where), os.stat(directory)
        if around.st_mode & SHARED == SHARED and link.st_uid not in (os.geteuid(), around.st_uid):
            raise LwError("%s: %s is a link of another user; wanted is a regular file, or a name"
                          " that is free" % (file, where))
        where = os.path.join(directory, os.readlink(where))
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))


def rename_over(path, content, before=None, durable=False, mode=MODE):
    """Who reads `path` meanwhile sees the old file or the new one; if durable, also after a crash.

    It gets owner and mode of `before`, as os.stat() tells them, and `mode` if it is new. OSError as it comes.
    """
    if isinstance(content, str):
        content = content.encode("utf-8", "surrogateescape")
    with undivided():               # a signal would leave the scratch file
        handle, scratch = tempfile.mkstemp(prefix=SCRATCH, dir=os.path.dirname(path))
        try:
            with os.fdopen(handle, "wb") as file:
                if before and owner(before) != owner(os.fstat(handle)):
                    with contextlib.suppress(PermissionError):
                        os.fchown(handle, *owner(before))
                os.fchmod(handle, stat.S_IMODE(before.st_mode) if before else mode)
                file.write(content)
                file.flush()
                if durable:
                    os.fsync(handle)
            os.replace(scratch, path)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(scratch)
            raise
    if durable:
        sync_directory(os.path.dirname(path))


def is_abandoned(scratch):
    """By a dm-lw that was killed."""
    with contextlib.suppress(FileNotFoundError):
        return time.time() - os.lstat(scratch).st_mtime > ABANDONED
    return False


def owner(found):
    return found.st_uid, found.st_gid


def sync_directory(path):
    directory = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)
