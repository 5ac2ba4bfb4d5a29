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
ROOT = 0
PRIVATE = 0o600
SCRATCH = ".dm-lw."             # how the name of a file begins while it is written
ABANDONED = 60                  # seconds after which the writer must be gone
RIGHTS = 0o777                  # that a file keeps: no setuid from another user
MOST_LINKS = 40                 # that the kernel follows
KINDS = {stat.S_IFDIR: "a directory", stat.S_IFCHR: "a character device",
         stat.S_IFBLK: "a block device", stat.S_IFIFO: "a FIFO", stat.S_IFSOCK: "a socket",
         stat.S_IFLNK: "a link"}


def require_regular(file, hint="", follow=True):
    """os.stat() of a regular file; None if there is nothing, LwError for another kind."""
    try:
        found = os.stat(file, follow_symlinks=follow)
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
    """Its place, links followed, and its os.stat() there."""
    require_name(file)
    try:
        where = followed(file)
    except OSError as error:
        raise LwError("%s: %s" % (file, reason(error)))
    require_regular(file, hint)             # links of /proc lead to pipes, which have no name
    return where, require_regular(where, hint, follow=False)


def source(file):
    """Where a file is that is only read, whose links may be anybody's."""
    require_name(file)
    require_regular(file)
    return os.path.realpath(file)


def require_name(file):
    if not os.path.basename(file) or file == STDOUT:
        raise LwError("\"%s\" is no name of a file" % file)


def absolute(file):
    """Without the working directory, which may be gone, if it does not matter."""
    return file if os.path.isabs(file) else os.path.join(os.getcwd(), file)


def followed(file):
    """Where it is; LwError if it, or a directory on the way, is a link that another user made.

    The kernel refuses some of those, and only in directories like /tmp; os.path.realpath() refuses none.
    """
    where, names, links = "/", absolute(file).split("/"), 0
    while names:
        name = names.pop(0)
        if name in ("", "."):
            continue
        there = os.path.dirname(where) if name == ".." else os.path.join(where, name)
        if not os.path.islink(there):
            where = there
            continue
        if os.lstat(there).st_uid not in (ROOT, os.geteuid()):
            raise LwError("%s: %s is a link of another user; wanted is a name without one" % (file, there))
        links += 1
        if links > MOST_LINKS:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        target = os.readlink(there)
        where = "/" if target.startswith("/") else where
        names = target.split("/") + names
    return where


def rename_over(path, content, before=None, durable=False, mode=MODE):
    """Who reads `path` meanwhile sees the old file or the new one; if durable, also after a crash.

    It gets owner and rights of `before`, as os.stat() tells them, and `mode` if it is new. OSError as it comes.
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
                os.fchmod(handle, before.st_mode & RIGHTS if before else mode)
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
