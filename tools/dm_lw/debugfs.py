"""The module's files in debugfs: how many I/Os took how long.

docs/ABI/testing/debugfs-dm-latency-weighted describes each file. It has the borders of
the histogram's buckets, so that nothing here depends on which they are.
"""
import errno
import os
import re

from .errors import LwError
from .histogram import Histogram
from .maps import CLASSES, TOLD_APART
from .sysfs import GONE

DEBUG = "kernel/debug"
ROOT = DEBUG + "/dm-latency-weighted"
# The module says EIO for a path that is just being removed, as debugfs does.
NO_PATH = GONE + (errno.EIO,)
HEAD = ["from_us", "below_us"]
UNSTAMPED = "unstamped"
ENDLESS = "-"


def require(sysfs):
    """Debugfs is for root only: other users do not see whether anything is there."""
    if sysfs.exists(ROOT):
        return
    where = sysfs.path(DEBUG)
    if os.path.isdir(where) and not os.access(where, os.X_OK):
        raise LwError("%s: only root may do this" % where)
    if not os.path.ismount(where) and not sysfs.directories(DEBUG):
        raise LwError("debugfs is not mounted (mount -t debugfs debugfs %s)" % where)
    raise LwError("the loaded module has no %s" % sysfs.path(ROOT))


def add_histograms(sysfs, maps):
    """Read each path's counts into the path."""
    for found in maps:
        for path in found.paths:
            path.histograms = read_histograms(sysfs, found.dm, os.path.basename(path.directory))


def read_histograms(sysfs, dm, path):
    """A path's histograms by size class and operation; none if it is gone, or not counted by latency."""
    names = (ROOT, dm, "paths", path, "latency_stat")
    content = sysfs.content(*names, gone=NO_PATH)
    if content is None:
        return {}
    tables = content.decode(errors="backslashreplace").split("\n\n")
    lines = [line.split() for line in tables[-1].splitlines()]
    if not lines or lines[0][:2] != HEAD:
        return {}
    head, *rows = lines
    for row in rows:
        if not is_bucket(row, len(head)):
            raise LwError("%s: \"%.60s\" is no row of a histogram" % (
                sysfs.path(*names), ascii(" ".join(row))[1:-1]))
    return {name: of_class(rows, column) for column, name in enumerate(head)
            if name in (*CLASSES, *TOLD_APART)}


def is_bucket(row, length):
    """Borders and counts, such as "1024.000 1152.000 7 0"; the last bucket has none above."""
    if len(row) != length or not all(re.fullmatch("[0-9]{1,20}", word, re.ASCII)
                                     for word in row[2:]):
        return False
    if row[1] == ENDLESS:
        return row[0] == UNSTAMPED or is_border(row[0])
    return is_border(row[0]) and is_border(row[1]) and float(row[0]) < float(row[1])


def is_border(word):
    return re.fullmatch(r"[0-9]{1,12}(\.[0-9]{1,3})?", word, re.ASCII) is not None


def of_class(rows, column):
    """Of one class or operation; the kernel may leave out buckets without I/Os."""
    counts = {(float(row[0]), None if row[1] == ENDLESS else float(row[1])): int(row[column])
              for row in rows if row[0] != UNSTAMPED}
    return Histogram(counts, sum(int(row[column]) for row in rows if row[0] == UNSTAMPED))
