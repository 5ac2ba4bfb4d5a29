"""dm-lw reset: restart the histograms and counts of debugfs."""
import errno
import os

from .errors import LwError, reason
from .maps import NO_MAPS, find_map, list_maps, require_module

DEBUG = "kernel/debug"
ROOT = DEBUG + "/dm-latency-weighted"


def add_parser(commands):
    parser = commands.add_parser(
        "reset", help="restart the histograms and counts of debugfs (root)", allow_abbrev=False,
        description="Restart the histograms and counts that debugfs shows, of all maps if none is"
                    " named. What the selector learned, and the totals in sysfs, stay.")
    parser.add_argument("map", metavar="MAP", nargs="*", help="default: all")
    parser.set_defaults(run=run)


def run(args):
    require_module(args.sysfs)
    maps = list_maps(args.sysfs)
    chosen = [find_map(args.sysfs, maps, name) for name in args.map] or maps
    if not chosen:
        raise LwError(NO_MAPS)
    check_debugfs(args.sysfs)
    for found in chosen:
        try:
            args.sysfs.write(1, ROOT, found.dm, "reset")
        except OSError as error:
            raise LwError("%s: %s" % (args.sysfs.path(ROOT, found.dm, "reset"),
                                      why(args.sysfs, error)))


def check_debugfs(sysfs):
    """Debugfs is for root only, so nobody else knows whether anything is there."""
    if sysfs.exists(ROOT):
        return
    where = sysfs.path(DEBUG)
    if os.path.isdir(where) and not os.access(where, os.X_OK):
        raise LwError("%s: only root may do this" % where)
    if not os.path.ismount(where) and not sysfs.directories(DEBUG):
        raise LwError("debugfs is not mounted (mount -t debugfs debugfs %s)" % where)
    raise LwError("the loaded module has no %s" % sysfs.path(ROOT))


def why(sysfs, error):
    lockdown = sysfs.text("kernel/security/lockdown") or ""
    if error.errno == errno.EPERM and "[none]" not in lockdown and lockdown:
        return "the kernel is locked down (Secure Boot), and debugfs cannot be written"
    if error.errno == errno.EACCES:
        return "only root may do this"
    return reason(error)
