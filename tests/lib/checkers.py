"""The kernel's own checkers, where it has them: what they need to be told, and asked."""

import os
import re
import time

from .command import read_text, write_text
from .debugfs import DEBUGFS

KCSAN = DEBUGFS + "/kcsan"
KMEMLEAK = DEBUGFS + "/kmemleak"
LOCKDEP = "/proc/lockdep_stats"

# A call in a module of ours; or in one that is no longer there, which has no name then.
OURS = re.compile(r"\[(dm_latency_weighted|lw_\w+)\]|\] 0x[0-9a-f]{16}$", re.MULTILINE)
YOUNGEST_LEAK = 6       # seconds; kmemleak does not report what is younger than five


def start():
    """Data races are not looked for before: the boot would take minutes more."""
    if os.path.exists(KCSAN):
        write_text(KCSAN, "on")


def lockdep_is_on():
    """It turns itself off at its first report, and when its tables are full."""
    return re.search(r"debug_locks:\s+1", read_text(LOCKDEP)) is not None


def leaks():
    """kmemleak's reports of memory that a module of ours allocated and nothing points to."""
    write_text(KMEMLEAK, "scan")
    time.sleep(YOUNGEST_LEAK)
    write_text(KMEMLEAK, "scan")        # what is reported looked the same twice
    reports = re.split(r"^(?=unreferenced object)", read_text(KMEMLEAK), flags=re.MULTILINE)
    return [report for report in reports if OURS.search(report)]
