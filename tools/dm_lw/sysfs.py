"""Reading and writing files below /sys, or below a directory that stands for it."""
import errno
import os
import re

from .errors import LwError, reason

# The file is not there, or its device is gone: no fault.
NOT_THERE = (errno.ENOENT, errno.ENODEV, errno.ENOTDIR, errno.ENXIO)
# dm says EINVAL for a map that is just being removed.
GONE = NOT_THERE + (errno.EINVAL,)
REAL = "/sys"
# Any copy has at least one of these.
TOP = ("block", "class", "dev", "kernel", "module")


def standing_for_sys(root):
    """For --sysfs: with a wrong directory the module would seem not to be loaded."""
    if not os.path.isdir(root):
        raise LwError("--sysfs %s: there is no such directory" % root, status=2)
    if not any(os.path.isdir(os.path.join(root, name)) for name in TOP):
        raise LwError("--sysfs %s: neither /sys nor a copy of it, which would have one of: %s"
                      % (root, ", ".join(TOP)), status=2)
    return Sysfs(root)


class Sysfs:
    """All paths are relative to the root."""

    def __init__(self, root=REAL):
        self.root = root

    @property
    def is_copy(self):
        return os.path.abspath(self.root) != REAL

    def path(self, *names):
        return os.path.join(self.root, *names)

    def exists(self, *names):
        return os.path.exists(self.path(*names))

    def directories(self, *names):
        """Names of the directories in a directory, sorted as people count; none if it is gone.

        They get printed: a copy may have names that a terminal obeys, and the kernel makes none.
        """
        where = self.path(*names)
        try:
            found = [name for name in os.listdir(where)
                     if name.isprintable() and os.path.isdir(os.path.join(where, name))]
        except OSError as error:
            if error.errno in GONE:
                return []
            raise LwError("%s: %s" % (where, reason(error)))
        return sorted(found, key=by_number)

    def content(self, *names, gone=GONE):
        """The bytes of a file; None if it is gone."""
        file = self.path(*names)
        try:
            with open(file, "rb", buffering=0) as opened:
                return opened.read()
        except OSError as error:
            if error.errno in gone:
                return None
            raise LwError("%s: %s" % (file, reason(error)))

    def text(self, *names):
        """A file's text, fit to be printed; None if it is gone."""
        content = self.content(*names)
        return None if content is None else printable(content)

    def number(self, *names, form=r"[0-9]{1,20}"):
        """The number in a file; None if the file is gone."""
        text = self.text(*names)
        if text is None:
            return None
        if not re.fullmatch(form, text, re.ASCII):
            raise LwError("%s: \"%.40s\" is not a number" % (self.path(*names), text))
        return float(text) if "." in text else int(text)

    def decimal(self, *names):
        """The same, with or without a fraction."""
        return self.number(*names, form=r"[0-9]{1,20}(\.[0-9]{1,9})?")

    def write(self, value, *names):
        """OSError as it comes: the caller knows its meaning."""
        file = os.open(self.path(*names), os.O_WRONLY)
        try:
            os.write(file, ("%s\n" % value).encode())
        finally:
            os.close(file)


def printable(content):
    """Text, or bytes, in one line without control characters."""
    text = content.decode(errors="backslashreplace") if isinstance(content, bytes) else str(content)
    text = text.strip()
    return text if text.isprintable() else "".join(char if char.isprintable() else "\\x%02x" % ord(char) for char in text)


def by_number(name):
    """Sorts dm-10 after dm-9, and sdaa after sdz."""
    digits = re.findall("[0-9]+", name)
    letters = re.sub("[0-9]+", "", name)
    return len(letters), letters, [int(number) for number in digits], name
