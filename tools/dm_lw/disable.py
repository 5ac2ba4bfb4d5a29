"""dm-lw disable: back to the state before enable."""
import contextlib
import sys

from . import initramfs, multipathd, winning
from .dropin import DropIn
from .enable import add_timeout
from .errors import Interrupted, LwError
from .host import Host
from .live_tables import SELECTOR, multipathds
from .multipath_conf import configured_directory
from .patience import Patience
from .scope import add_options, chosen, mixed_up
from .signals import interruptible, undivided
from .switching import held_open, lost, only_one, reconfigure, require_root, say, unrest


def add_parser(commands):
    parser = commands.add_parser(
        "disable", allow_abbrev=False, help="take back what enable did",
        description="Remove the drop-in that dm-lw enable wrote, or put back the file that was"
                    " there before; then reconfigure multipathd and see that the maps changed. With"
                    " an option that names a part of the maps, only that part of a pilot ends.")
    parser.add_argument("-n", "--dry-run", action="store_true",
                        help="tell what would be done, and change nothing")
    parser.add_argument("-f", "--force", action="store_true",
                        help="also a drop-in of that name that dm-lw did not write: it is kept"
                             " under another ending; and although multipathd takes the paths of a map")
    parser.add_argument("--if-enabled", action="store_true",
                        help="do nothing where no drop-in of dm-lw enable is: for the removal of"
                             " packages")
    add_options(parser.add_mutually_exclusive_group())
    add_timeout(parser)
    parser.set_defaults(run=run)


def run(args):
    host = Host(sysfs=args.sysfs)
    host.patience = Patience(args.timeout, back=0)
    require_root(host)
    with only_one(host), interruptible():
        running = multipathd.is_running(host)
        directory = multipathd.config_directory(host) if running else configured_directory(host)
        drop_in = DropIn(host, directory).newest()
        if drop_in.is_dm_lws() or drop_in.is_unfinished() or not args.if_enabled:
            disable(host, drop_in, running, args)
        elif drop_in.orphans():
            print("dm-lw: %s" % "; ".join(": ".join(item) for item in drop_in.leftovers()), file=sys.stderr)


def disable(host, drop_in, running, args):
    scope = chosen(args, host)
    left = remaining(drop_in, scope) if scope else []
    act, foretold, told = leave(drop_in, left, scope) if left else choose(drop_in, args.force)
    if args.dry_run:
        say(foretold)
        return
    before = multipathds(host) if running else []
    if act is None and not any(table.has_us for table in before):
        say(told)
        return
    if running and mixed_up(host) and not args.force:
        raise LwError(mixed_up(host) + ", or --force")
    with held_open(host, before):
        try:
            with undivided():
                if act:                 # else an earlier disable did, and came no further
                    act()
                with contextlib.suppress(OSError):  # as of a terminal that hung up: go on
                    say(told)
            if running:
                take_effect(host, drop_in, before, lambda: concerned(host, scope, left))
            else:
                say("multipathd is not running: maps change when it starts")
        except Interrupted as error:
            raise LwError("%s; the drop-in is taken back, but maps may still use %s until"
                          " \"multipathd reconfigure\"" % (error, SELECTOR), error.status)
    for table in concerned(host, scope, left) if running else ():
        say("%s: %s" % (table.name, ", ".join(table.choosers)))
    left_over = None if left else initramfs.risk_of_rest(host)
    if left_over:
        say(left_over)


def concerned(host, scope, left):
    """Maps that shall no longer use the selector."""
    return [table for table in multipathds(host) if (scope is None or scope.covers(host, table))
            and not any(each.covers(host, table) for each in left)]


def remaining(drop_in, scope):
    """The drop-in's selections without this part of a pilot."""
    scopes = drop_in.scopes() if drop_in.is_dm_lws() else []
    if scope not in scopes:
        raise LwError("%s does not select for %s%s" % (
            drop_in.file, scope, ", but for %s" % "; ".join(map(str, scopes)) if scopes else ""))
    return [each for each in scopes if each != scope]


def leave(drop_in, scopes, scope):
    return ((lambda: drop_in.leave(scopes)), "would change %s: no longer for %s" % (drop_in.file, scope),
            "%s: no longer for %s" % (drop_in.file, scope))


def choose(drop_in, force):
    """What to do with the file, and how to tell it before and after."""
    if drop_in.is_unfinished():
        told = "%s, which a killed dm-lw enable left beside %s" % (drop_in.saved, drop_in.file)
        return drop_in.bring_back_saved, "would remove " + told, "removed " + told
    if drop_in.text() is None and drop_in.orphans():
        files = " and ".join(each.file for each in drop_in.orphans())
        return (drop_in.take_back, "would put back what was in %s before dm-lw enable" % files,
                "%s: back to what it was before dm-lw enable" % files)
    if drop_in.text() is None:
        told = "%s is not there: nothing to take back" % drop_in.file
        return None, told, told
    if drop_in.is_dm_lws():
        lines = "; as lines were added to it, it is kept as %s" % drop_in.aside() if drop_in.added() else ""
        if drop_in.has_saved():
            return (drop_in.take_back, "would put back what was in %s before dm-lw enable%s" % (drop_in.file, lines),
                    "%s: back to what it was before dm-lw enable%s" % (drop_in.file, lines))
        return drop_in.take_back, "would remove %s%s" % (drop_in.file, lines), "%s: removed%s" % (drop_in.file, lines)
    if not force:
        raise LwError("%s was not written by dm-lw: remove it yourself, or --force" % drop_in.file)
    return (drop_in.put_aside, "would rename %s to %s" % (drop_in.file, drop_in.aside()),
            "%s: renamed to %s" % (drop_in.file, drop_in.aside()))


def take_effect(host, drop_in, before, tables):
    try:
        reconfigure(host, lambda: lost(before, multipathds(host)) + faults(host, drop_in, tables()))
    except LwError as error:
        raise LwError("the drop-in is taken back, but: %s" % error)


def faults(host, drop_in, tables):
    found = winning.lines(host, drop_in.where, [table for table in tables if table.has_us],
                          ("still uses", "still use"), winning.Configuration.still)
    return found + unrest(host)
