"""Files that root obeys without asking, as when udev calls dm-lw: other users must not have written them."""
import os
import stat

from .errors import LwError, reason
from .output import ROOT

OTHERS = stat.S_IWGRP | stat.S_IWOTH


def require_trusted(file, found):
    """LwError if others than root, or the user, may have written it; `found` is its os.stat()."""
    if found.st_uid not in (ROOT, os.geteuid()) or found.st_mode & OTHERS:
        raise LwError("%s belongs to user %d and has mode %04o; wanted is a file or directory that only root may write:"
                      " chown root, chmod go-w" % (file, found.st_uid, stat.S_IMODE(found.st_mode)))


def require_trusted_directory(directory):
    """If it is there."""
    try:
        require_trusted(directory, os.stat(directory))
    except FileNotFoundError:
        pass
    except OSError as error:
        raise LwError("%s: %s" % (directory, reason(error)))
