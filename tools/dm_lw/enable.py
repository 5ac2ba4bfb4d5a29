"""dm-lw enable: have multipath use the selector, once it is sure that this works."""
import argparse
import contextlib
import math
import sys

from . import initramfs, kernels, multipathd, winning
from .dropin import DropIn
from .errors import Interrupted, LwError, where_and_why
from .host import Host
from .live_tables import multipathds
from .patience import Patience
from .scope import (SECTIONS, WANTED, AllMaps, OneDevice, OneMap, add_options, chosen, device_of, includes, mixed_up,
                    scopes_in)
from .signals import interruptible, shield, undivided
from .switching import held_open, lost, only_one, reconfigure, require_root, say, unrest
from .trial import load_trial_table

WWIDS = "etc/multipath/wwids"


TIMEOUT = 180           # seconds
SOON = 10               # seconds that a signal leaves for putting everything back


def add_parser(commands):
    parser = commands.add_parser(
        "enable", allow_abbrev=False, help="have multipath use latency-weighted",
        description="Check that every installed kernel has the module and that the running one"
                    " takes a table with the selector; then write a drop-in for multipath,"
                    " reconfigure multipathd and see that the maps changed: all, or for a pilot"
                    " those that an option names, beside those of earlier calls. If anything"
                    " fails, or on ctrl-C, all is put back as it was.")
    parser.add_argument("-n", "--dry-run", action="store_true",
                        help="check, and tell what would be done; load and change nothing")
    parser.add_argument("-f", "--force", action="store_true",
                        help="go on although another kernel or an initramfs lacks the module")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--section", choices=SECTIONS, default=SECTIONS[0],
                       help="of multipath's configuration, for all maps; overrides wins over"
                            " settings for certain devices (default: %(default)s)")
    add_options(which)
    add_timeout(parser)
    parser.set_defaults(run=run)


def add_timeout(parser):
    parser.add_argument("--timeout", type=seconds, default=TIMEOUT, metavar="SECONDS",
                        help="for all of it (default: %(default)g)")


def seconds(word):
    value = float(word)
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError("%s seconds cannot be waited for" % word)
    return value


def run(args):
    host = Host(sysfs=args.sysfs)
    host.patience = Patience(args.timeout)
    require_root(host)
    multipathd.require(host)
    with only_one(host), interruptible():
        scope = chosen(args, host) or AllMaps(args.section)
        if mixed_up(host) and not args.force:
            raise LwError(mixed_up(host) + ", or --force")
        if args.wwid:
            warn_if_unknown(host, args.wwid)
        check(host, args.force)
        if args.dry_run:
            foretell(host, scope)
        else:
            enable(host, scope)


def warn_if_unknown(host, wwid):
    """It may be misspelled: multipath notes the WWIDs of all maps that it has made."""
    known = host.read(WWIDS)
    if known is not None and "/%s/" % wwid not in known.split():
        print("dm-lw: no map here has had the WWID %s yet: %s does not have it" % (wwid, host.path(WWIDS)),
              file=sys.stderr)


def check(host, force):
    """Checks without loading anything."""
    lacking = kernels.problems(host)
    own = lacking.pop(host.release(), None)
    if own:
        raise LwError("the running kernel %s %s: install it first" % (host.release(), own))
    warnings = ["%s %s" % item for item in lacking.items()]
    warnings += unsigned(host, lacking) + list(filter(None, [initramfs.risk_of_drop_in(host)]))
    if warnings and not force:
        raise LwError("%s; multipath will create no maps if you boot that kernel. Repair it first"
                      " (dm-lw doctor tells how), or --force" % "; ".join(warnings))
    for warning in warnings:
        say("forced: %s" % warning)
    say("module: installed for %s" % ", ".join(
        release for release in kernels.installed(host) if release not in lacking))


def unsigned(host, lacking):
    """Other kernels whose module would be refused, as far as the running one tells."""
    enforcement = kernels.enforcement(host)
    return ["%s has an unsigned module, and %s" % (release, enforcement)
            for release in kernels.installed(host)
            if enforcement and release not in lacking and release != host.release()
            and not kernels.is_signed(kernels.module_info(host, release))]


def foretell(host, scope):
    drop_in = DropIn(host, multipathd.config_directory(host))
    if drop_in.does(scope):
        say("would leave %s, which selects it already" % drop_in.file)
    else:
        say("would write %s, for %s" % (drop_in.file, scope))
    tables = multipathds(host)
    found = covered(host, tables, scope)
    if not found:
        say(no_map(host, tables, scope))
    exempt = exempted(host, drop_in, found, scope)
    for table in found:
        say("would %s %s: %s" % ("keep" if table.is_ours or table.name in exempt else "change", table.name,
                                   ", ".join(table.choosers)))


def covered(host, tables, scope):
    """Those that have a selector: a map that lost all paths has none until one comes."""
    return [table for table in tables if table.groups and scope.covers(host, table)]


def exempted(host, drop_in, tables, scope):
    """{name: which line of the configuration gives this map alone another selector}; none if that map was asked for."""
    if not tables or isinstance(scope, OneMap):
        return {}
    configuration = winning.Configuration(host, drop_in.where)
    return {table.name: where for table in tables for where in [configuration.exempts(table)] if where}


def enable(host, scope):
    kernels.load(host)
    load_trial_table(host)
    say("test table: accepted by the running kernel")
    directory = multipathd.config_directory(host)
    before = multipathds(host)
    with held_open(host, before):
        drop_in = DropIn(host, directory)
        write_and_reconfigure(host, drop_in, before, scope)
        drop_in.remove_old()
    found = covered(host, before, scope)
    exempt = exempted(host, drop_in, covered(host, multipathds(host), scope), scope)
    changed = [table for table in found if table.name not in exempt]
    for name, where in exempt.items():
        say("%s: keeps its selector: %s says so for this map" % (name, where))
    for table in changed:
        was = ", ".join(table.choosers)
        say("%s: %s (%s)" % (table.name, WANTED, "as before" if was == WANTED else "was " + was))
    without_paths = [table for table in before if not table.groups and scope.covers(host, table)]
    for table in without_paths:
        say("%s: lost all paths; it gets the selector with the first that comes back" % table.name)
    if not found and not without_paths:
        say(no_map(host, before, scope))
    say("watch: dm-lw stat 5; undo: dm-lw disable")


def no_map(host, tables, scope):
    """If a kind of device was asked for, with those that there are: it may be misspelled."""
    devices = {device_of(host, path) for table in tables for path in table.paths}
    names = sorted("%s/%s" % device for device in devices if device[1])
    there = "; there are: " + ", ".join(names) if names and isinstance(scope, OneDevice) else ""
    return "there is no multipath map yet, of %s%s" % (scope, there)


def write_and_reconfigure(host, drop_in, before, scope):
    text = drop_in.text()
    try:
        with undivided():
            written = drop_in.write(scope)
        say("%s: %s" % (drop_in.file, "written" if written else "selects it already"))
        if drop_in.earlier:
            say("%s: an earlier dm-lw enable saved it, and it does not come back: kept as %s"
                % (drop_in.saved, drop_in.earlier))
        reconfigure(host, lambda: faults(host, drop_in, before, scope))
    except BaseException as error:
        with contextlib.suppress(Interrupted):      # its handler shields
            shield()
        host.patience.turn_back(SOON if isinstance(error, Interrupted) else math.inf)
        raise LwError("%s; %s" % (in_words(error), undo(host, drop_in, text, before)),
                      getattr(error, "status", 1)) from None


def in_words(error):
    return where_and_why(error) if isinstance(error, OSError) else str(error) or type(error).__name__


def faults(host, drop_in, before, scope):
    """Maps that are not yet as wanted."""
    now = multipathds(host)
    found = lost(before, now)
    others = [table for table in covered(host, now, scope) if table.choosers != [WANTED]]
    exempt = exempted(host, drop_in, others, scope)
    others = [table for table in others if table.name not in exempt]
    selected = drop_in.scopes()
    found += winning.lines(host, drop_in.where, others, ("uses", "use"),
                           lambda configuration, table: (configuration.why(table, scope)
                                                         or why_not_among_all(configuration, table, scope, selected)))
    return found + not_in_force(host, scope) + unrest(host)


def why_not_among_all(configuration, table, scope, selected):
    """A map that has a selector of its own, and is asked for by name while dm-lw's file selects for all maps."""
    where = "" if scope in selected else configuration.exempts(table)
    return "%s says so for this map: remove it there, or disable first" % where if where else ""


def not_in_force(host, scope):
    """The selector of maps that come later."""
    try:
        configured = scopes_in(multipathd.configuration(host))
    except LwError as error:
        return [str(error)]
    if includes(configured, scope):
        return []
    return ["multipathd's configuration does not select it for %s" % scope]


def undo(host, drop_in, text, before):
    """Put everything back; tells how that went."""
    try:
        unchanged = drop_in.text() == text
        drop_in.undo(text)          # also beside the file: directories, and the saved file
    except (LwError, OSError) as error:
        return "%s could not be put back: %s" % (drop_in.file, in_words(error))
    try:
        if unchanged:
            found = differences(host, before)
            return "; but ".join(filter(None, ["the configuration is as it was", "; ".join(found)]))
        reconfigure(host, lambda: differences(host, before))
    except LwError as error:
        return "the configuration is as it was, but the maps may not be: %s" % error
    return "all is as it was before"


def differences(host, before):
    tables = multipathds(host)
    now = {table.name: table.choosers for table in tables if table.groups}
    found = ["%s uses %s" % (table.name, ", ".join(now[table.name]))
             for table in before if now.get(table.name, table.choosers) != table.choosers]
    return lost(before, tables) + found + unrest(host)
