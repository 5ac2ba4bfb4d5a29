"""dm-lw reset: restart the histograms and counts of debugfs."""
import errno

from . import debugfs
from .errors import LwError, reason
from .maps import NO_MAPS, find_map, list_maps, require_module


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
    debugfs.require(args.sysfs)
    for found in chosen:
        try:
            args.sysfs.write(1, debugfs.ROOT, found.dm, "reset")
        except OSError as error:
            raise LwError("%s: %s" % (args.sysfs.path(debugfs.ROOT, found.dm, "reset"),
                                      why(args.sysfs, error)))


def why(sysfs, error):
    lockdown = sysfs.text("kernel/security/lockdown") or ""
    if error.errno == errno.EPERM and "[none]" not in lockdown and lockdown:
        return "the kernel is locked down (Secure Boot), and debugfs cannot be written"
    if error.errno == errno.EACCES:
        return "only root may do this"
    return reason(error)
