"""Checks of dm-lw doctor: multipathd, its configuration, and the maps."""
import functools

from .. import multipath_conf, multipathd, tunables
from ..columns import clock_time
from ..errors import LwError
from ..host import version_numbers
from ..live_tables import SELECTOR, multipath_tables, multipathds
from ..maps import FAILED, NOT_USED, ROOT, SLOW, in_shell, list_maps, some
from ..scope import AllMaps, mixed_up, scopes_in
from ..survey import survey
from ..winning import Configuration
from .checks_kernel import is_configured
from .finding import fail, ok, warn

OLDEST = (0, 8, 4)              # RHEL 8's, which has no newer one
TESTED = (0, 8, 5)              # and later
SETTLED = 60                    # seconds after which a new path has its state
BIO_STAMPS = (5, 19)            # kernel that has time stamps for bio-based maps
RECONFIGURE = "multipathd reconfigure"


def daemon(host):
    """multipathd runs and answers."""
    try:
        multipathd.require(host)
    except multipathd.NoDaemon as error:
        report = fail if is_configured(host) else warn
        return report(str(error), "without it, nobody makes maps or brings failed paths back")
    if host.is_root():
        multipathd.ask(host, "show", "daemon")
    return ok("multipathd is running")


def version(host):
    """multipath-tools are not older than the tested versions."""
    found = multipath_conf.version(host)
    if not found:
        raise LwError("multipath -h does not tell its version")
    shown = ".".join(str(number) for number in found)
    if found < OLDEST:
        return warn("multipath-tools %s are older than the oldest that is tested, %s"
                    % (shown, ".".join(str(number) for number in TESTED)), "upgrade them")
    broken = mixed_up(host) if host.is_root() else ""
    if broken:
        return warn("at each reconfigure multipathd takes all paths from maps with such an alias", broken)
    return ok("multipath-tools %s%s" % (shown, "" if found >= TESTED else ", which were not tested"))


def maps(host):
    """multipathd's maps use the selector: in a pilot, those that it is for."""
    tables = multipathds(host)
    if not tables:
        return ok("there are no multipath maps")
    configuration = Configuration(host)
    scopes = scopes_in(configuration.settings) or [AllMaps()]
    meant = [table for table in tables if any(scope.covers(host, table) for scope in scopes)]
    others = [table for table in meant if table.groups and not table.is_ours]
    if not others:
        return ok("%s: %s%s" % (SELECTOR, names(meant), "" if meant == tables else
                                "; not selected for: %s"
                                % names(table for table in tables if table not in meant)))
    return [finding for table in others for finding in use_of_other(host, configuration, table, scopes)]


def use_of_other(host, configuration, table, scopes):
    """On purpose, if the administrator says so for this map."""
    uses = "%s uses %s" % (table.name, ", ".join(table.choosers))
    exempt = configuration.exempts(table)
    if exempt:
        return ok("%s: %s says so for this map" % (uses, exempt))
    return warn(uses, how_to_change(host, configuration, table, scopes))


def how_to_change(host, configuration, table, scopes):
    """By the setting that wins for this map."""
    if not is_configured(host):
        return "dm-lw enable"
    scope = next(scope for scope in scopes if scope.covers(host, table))
    found = configuration.selector(table)
    if found and found.section == multipath_conf.MAP and not configuration.line(found):    # no file says so any more
        return RECONFIGURE
    return configuration.why(table, scope) or RECONFIGURE


def names(tables):
    return some(table.name for table in tables)


def grouping(host):
    """The selector has more than one path to choose from."""
    tables = [table for table in multipath_tables(host) if table.is_ours]
    lonely = [table for table in tables
              if len(table.groups) > 1 and all(len(group.paths) == 1 for group in table.groups)]
    found = [finding for table in lonely for finding in warn(
        "%s has %d groups of one path: the selector has no choice"
        % (table.name, len(table.groups)),
        "in multipath.conf, path_grouping_policy group_by_prio (arrays with ALUA) or multibus (all"
        " paths are equal)")]
    return found or ok("no map has only groups of one path" if tables
                       else "no map uses %s" % SELECTOR)


def paths(host):
    """No path of any map is failed, stalled, or became slow."""
    failed, slow, farther = [], [], []
    for found in survey(host).maps:
        for path in (path for group in found.groups for path in group.paths):
            since = " since %s" % clock_time(path.since, "%Y-%m-%d %H:%M:%S") if path.since else ""
            if is_farther(path):
                farther.append("%s/%s" % (found.table.name, path.name))
            elif path.state in (FAILED, *NOT_USED):
                (failed if path.state == FAILED else slow).append(
                    "%s/%s%s" % (found.table.name, path.name, since))
    if not failed and not slow:
        return ok("no path is failed, or became slow" + ("; farther than others all the time: " + some(farther)
                                                         if farther else ""))
    return warn("%s failed%s, %d slow%s" % (
        "%d path%s" % (len(failed), "" if len(failed) == 1 else "s"), in_brackets(failed), len(slow), in_brackets(slow)),
        "dm-lw topology tells whether other maps see the same port so, and dm-lw show what the selector does about it")


def is_farther(path):
    """Slow for as long as the module knows it, as the other site of a stretched cluster: no fault that came up."""
    return path.state == SLOW and None not in (path.since, path.known) and path.since - path.known < SETTLED


def in_brackets(names):
    return " (%s)" % some(names) if names else ""


def choose(host):
    """Whether the selector chooses, or only observes."""
    if not host.sysfs.exists(ROOT):
        return ok("no map uses %s" % SELECTOR)
    rules = [(found, tunables.observed_by(tunables.read(host.sysfs, found.directory))) for found in list_maps(host.sysfs)]
    return ([finding for found, rule in rules if rule
             for finding in ok("%s observes only, and I/O goes by %s; dm-lw set --persist %s choose=%s changes that"
                               % (found.name, rule, in_shell(found.name), tunables.BY_LATENCY))]
            or ok("no map only observes"))


def accounting(host):
    """Requests have time stamps: without, only their counts tell the latency."""
    if not host.sysfs.exists(ROOT):
        return ok("no map uses %s" % SELECTOR)
    # Asked for once, and only where it matters: there may be hundreds of maps.
    without_stamps = functools.lru_cache(None)(lambda: bio_based_of_old_kernels(host))
    return ([finding for found in list_maps(host.sysfs) for finding in accounting_of(host, found, without_stamps)]
            or ok("requests have time stamps, where there was I/O"))


def accounting_of(host, found, without_stamps):
    if host.sysfs.text(found.directory, "accounting") == "0":
        return warn("accounting of %s is off: the latency is reckoned from counts alone"
                    % found.name,
                    "dm-lw set %s accounting=1; if it comes back, look for the module parameter"
                    " accounting in /etc/modprobe.d" % in_shell(found.name))
    paths = [name for name in host.sysfs.directories(found.directory, "paths")
             if host.sysfs.text(found.directory, "paths", name, "latency_source") == "little"]
    if not paths or found.dm in without_stamps():
        return []
    return warn("%s: requests of %s have no time stamps: the latency is reckoned from counts alone"
                % (found.name, ", ".join(paths)),
                "it works, less exactly; a driver that stamps nothing is the usual cause")


def bio_based_of_old_kernels(host):
    """dm-N of each: such a map has no stamps that are of use."""
    if version_numbers(host.release())[:2] >= BIO_STAMPS:
        return set()
    return {table.dm for table in multipath_tables(host) if "bio" in table.features}
