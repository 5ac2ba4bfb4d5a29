"""Checks of dm-lw doctor: multipath's configuration, and settings that reload maps."""
from .. import multipath_conf, multipathd
from ..dropin import DropIn
from ..live_tables import SELECTOR, multipathds
from ..multipath_conf import all_settings, blocks_of, names_us, passed_over, place, words_in
from ..scope import WANTED
from ..winning import Configuration
from .finding import fail, ok, warn

FAILED_BEFORE = "0.9.4 and later ignore the line, earlier ones pass it on to the kernel"
NO_COUNTS = (0, 15)             # multipath-tools that give each path 1 in place of rr_min_io_rq
# Features that multipathd does not compare as words, or takes from the map.
NOT_COMPARED = ("queue_if_no_path", "retain_attached_hw_handler", "queue_mode bio")


def selector(host):
    """The configuration names the selector, where multipath reads it, and in the way that causes no reloads."""
    settings = all_settings(host)
    ours = [setting for setting in settings if setting.name == "path_selector" and names_us(setting)]
    found = [finding for setting in ours for finding in spelling(setting)]
    found += [finding for setting in settings if setting.name == "features" for finding in count_of_features(setting)]
    found += [finding for line in passed_over(host) for finding in warn(
        "%s: multipath passes over %s on this line" % (line, SELECTOR),
        "write a section's name and { on one line, each setting on a line of its own and } on another;"
        " a device needs vendor and product, a multipath its wwid")]
    found += beaten(blocks_of(settings), ours)
    found += not_in_force(blocks_of(settings), multipathd.settings_in_force(host))
    if not ours:
        found += warn("multipath is not configured to use %s" % SELECTOR, "dm-lw enable")
    told = found or ok("selected in %s" % ", ".join(place(setting) for setting in ours))
    return told + [finding for item in DropIn(host, multipath_conf.configured_directory(host)).leftovers()
                   for finding in warn(*item)]


def spelling(setting):
    """multipathd compares the whole string with name and count of the running table."""
    words = words_in(setting.value)
    if setting.value == WANTED:
        return []
    if not multipath_conf.has_its_count(setting):
        return fail("%s: \"%s\" has a wrong count of arguments: multipath-tools %s"
                    % (place(setting), setting.value, FAILED_BEFORE), "write \"%s\"" % WANTED)
    if words == WANTED.split():
        return warn("%s: \"%s\" has blanks too many: every map is reloaded at each reconfigure"
                    % (place(setting), setting.value), "write \"%s\"" % WANTED)
    return warn("%s: \"%s\" has arguments: every map is reloaded at each reconfigure"
                % (place(setting), setting.value),
                "write \"%s\", and set tunables with dm-lw set or as module parameters" % WANTED)


def count_of_features(setting):
    """The number counts words, not features: with "1 queue_mode bio" an older multipathd has no maps."""
    if multipath_conf.has_its_count(setting):
        return []
    words = words_in(setting.value)[1:]
    return warn("%s: features \"%s\" has a wrong count of words: multipath-tools %s"
                % (place(setting), setting.value, FAILED_BEFORE),
                "write \"%s\"" % " ".join([str(len(words)), *words]))


def beaten(blocks, ours):
    """Another line about the same section comes later than ours, and wins."""
    lasts = [blocks.get(where, {}).get("path_selector")
             for where in dict.fromkeys((setting.section, setting.about) for setting in ours)]
    return [finding for last in lasts if last and not names_us(last) for finding in warn(
        "%s says \"%s\" and wins" % (place(last), last.value),
        "remove the line: the last one of a section counts")]


def not_in_force(blocks, told):
    """multipathd runs with other selectors than the files have: where either names us."""
    running = {} if told is None else blocks_of(told)
    found = []
    for where in dict.fromkeys([*blocks, *running]) if running else ():
        wanted, has = (each.get(where, {}).get("path_selector") for each in (blocks, running))
        if wanted and names_us(wanted) and (not has or has.value != wanted.value):
            found += warn("%s is not in force: multipathd has %s"
                          % (place(wanted), "\"%s\"" % has.value if has else "no such setting"),
                          "multipathd reconfigure; multipathd show config shows what it has read")
        elif has and names_us(has) and not (wanted and names_us(wanted)):
            found += warn("multipathd has \"%s\" in %s, and no file says so any more"
                          % (has.value, " ".join(has.section)), "dm-lw enable, or multipathd reconfigure")
    return found


def reloads(host):
    """A reconfigure that changes nothing reloads no map of this selector."""
    tables = [table for table in multipathds(host) if table.is_ours]
    configuration = Configuration(host)
    found = [finding for table in tables for setting, why, advice in filter(None, (
                 reloaded_by_count(host, configuration, table), reloaded_by_features(configuration, table)))
             for finding in warn("multipathd reloads %s at each reconfigure: %s says %s %s%s"
                 % (table.name, configuration.where(setting, "multipathd show config"), setting.name, setting.value,
                    why),
                 advice)]
    return found or ok("no map is reloaded without need" if tables else "no map uses %s" % SELECTOR)


def reloaded_by_count(host, configuration, table):
    """multipathd compares it with the repeat count that the kernel's table shows, which is always 1."""
    count = configuration.wins(table, "rr_min_io_rq")
    if multipath_conf.version(host) >= NO_COUNTS or not count or count.value in ("0", "1"):
        return None
    return count, "", "remove the line, or write 1: the selector takes no notice of it"


def reloaded_by_features(configuration, table):
    """multipathd compares them with those that the kernel's table shows."""
    features = configuration.wins(table, "features")
    shown = compared(table.features)
    if not features or compared(words_in(features.value)[1:]) == shown:
        return None
    return (features, ", but the kernel shows %s" % (" ".join(shown) or "none"),
            "write what the kernel shows: features \"%s\"" % " ".join([str(len(shown)), *shown]))


def compared(features):
    text = " ".join(features)
    for each in NOT_COMPARED:
        text = text.replace(each, "")
    return text.split()
