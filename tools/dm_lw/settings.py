"""dm-lw set: change tunables of a map, or of a path; all of them or none."""
import argparse
from dataclasses import dataclass
from typing import Optional

from . import kept, tunables
from .errors import LwError, reason
from .host import Host
from .maps import Map, Path, find_map, list_maps, read_paths, require_module
from .signals import undivided


def add_parser(commands):
    parser = commands.add_parser(
        "set", help="change tunables of a map or a path", allow_abbrev=False,
        description="Change tunables of a map or of a path, at once, until the map leaves the selector or"
                    " the path leaves the map. All of them are changed, or none.",
        epilog=tunables.help_text(), formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("where", metavar="MAP[/PATH]")
    parser.add_argument("settings", metavar="KEY=VALUE", nargs="*", default=[],
                        help="default: only print the values")
    parser.add_argument("-n", "--dry-run", action="store_true",
                        help="only check, and say what would be done")
    parser.add_argument("-p", "--persist", action="store_true",
                        help="also keep them, in /%s, for when the map appears again, as after a"
                             " boot" % kept.DIRECTORY)
    parser.set_defaults(run=run)


@dataclass
class Target:
    """A map, or a path of it."""
    map: Map
    path: Optional[Path] = None

    @property
    def directory(self):
        return self.path.directory if self.path else self.map.directory

    @property
    def known(self):
        """Tunables there."""
        return tunables.OF_PATH if self.path else tunables.OF_MAP

    def __str__(self):
        return "%s/%s" % (self.map.name, self.path.name) if self.path else self.map.name


@dataclass(frozen=True)
class Change:
    name: str
    directory: str
    was: object                 # as its Tunable reads it
    value: object

    def __str__(self):
        return "%s %s -> %s" % (self.name, self.was, self.value)


def run(args):
    require_module(args.sysfs)
    target = find(args.sysfs, args.where)
    if not args.settings:
        if args.persist:
            raise LwError("--persist: which KEY=VALUE?", status=2)
        for name, value in tunables.read(args.sysfs, target.directory, target.known).items():
            print("%s: %s %s" % (target, name, value))
        return
    changes = plan(args.sysfs, target.directory, target.known, parse(args.settings))
    if args.persist:
        change_and_keep(Host(sysfs=args.sysfs), target, changes, args.dry_run)
    elif not args.dry_run:
        apply(args.sysfs, in_order(changes))
    known = {} if args.persist else of_target(args.sysfs, target)
    for change in changes:
        print("%s: %s%s" % (target, change, ", kept" if args.persist else until_when(change, known)))


def until_when(change, known):
    """A hint, if another value is kept."""
    if known.get(change.name, change.value) == change.value:
        return ""
    return "; %s is kept, and comes back with the map's next table, unless you --persist" % known[change.name]


def change_and_keep(host, target, changes, dry_run):
    """Both or neither."""
    kept.require_this_machine(host)
    uuid = kept.uuid_of(host.sysfs, target.map)
    where = lasting_name(host, target) if target.path else kept.OF_MAP
    before = kept.load(host, uuid)
    check_later(host, before.of(kept.OF_MAP), changes)
    if dry_run:
        return
    with kept.changing(host), undivided():
        after = kept.load(host, uuid)
        after.values.update({(where, change.name): change.value for change in changes})
        with after.saved(target.map.name):
            apply(host.sysfs, in_order(changes))


def of_target(sysfs, target):
    """Kept values of a map or path."""
    host = Host(sysfs=sysfs)
    try:
        kept.require_this_machine(host)
        known = kept.load(host, kept.uuid_of(sysfs, target.map))
        return known.of(lasting_name(host, target) if target.path and known.values else kept.OF_MAP)
    except LwError:
        return {}               # doctor tells of it


def lasting_name(host, target):
    """A name of the path that no other path of the map has."""
    target.map.paths = read_paths(host.sysfs, target.map, classes=False)
    known = kept.path_ids(host, target.map)
    where = known.pop(target.path.name, None)
    if where is None:
        raise LwError("%s cannot be kept: udev does not tell where it is attached (ID_PATH), and"
                      " its name may change" % target)
    others = [name for name, other in known.items() if other == where]
    if others:
        raise LwError("%s cannot be kept: %s is attached at the same place (ID_PATH %s)"
                      % (target, ", ".join(others), where))
    return where


def check_later(host, already, changes):
    """Check the values of a map that is made anew: values that are not kept are the module's defaults."""
    values = {**tunables.defaults(host.sysfs), **already,
              **{change.name: change.value for change in changes}}
    try:
        check_probe_limits(values)
    except LwError as error:
        raise LwError("%s for a map that is made anew: keep both" % error)


def find(sysfs, where):
    """The map or path with the user's name for it."""
    maps = list_maps(sysfs)
    for name, path_name in splits(where):
        try:
            found = find_map(sysfs, maps, name)
        except LwError as error:
            failure = error
            continue
        if path_name is None:
            return Target(found)
        found.paths = read_paths(sysfs, found)
        return Target(found, found.path(path_name))
    raise failure


def splits(where):
    """/dev/mapper/a/cciss/c0d0 has many slashes: each may be the one before the path.

    The whole comes last, so that its error is the one that is told, unless the
    name makes the meaning plain.
    """
    parts = where.split("/")
    for count in range(len(parts) - 1, 0, -1):
        if parts[count - 1]:
            yield "/".join(parts[:count]), "/".join(parts[count:])
    yield where if where.startswith("/") else parts[0], None


def parse(words):
    settings = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            raise LwError("\"%s\" is not KEY=VALUE" % word, status=2)
        if name in settings:
            raise LwError("%s is given twice" % name, status=2)
        settings[name] = value
    return settings


def plan(sysfs, directory, known, settings):
    """Everything that can be wrong is found before anything is written."""
    now = tunables.read(sysfs, directory, known)
    changes = []
    for name, word in settings.items():
        if name not in known:
            raise LwError(unknown(name, known))
        if name not in now:
            raise LwError("the loaded module has no %s" % sysfs.path(directory, name))
        changes.append(Change(name, directory, now[name], known[name].check(word)))
    check_probe_limits(dict(now, **{change.name: change.value for change in changes}))
    return changes


def unknown(name, known):
    if name in tunables.OF_PATH:
        return "%s is set on a path: MAP/PATH %s=..." % (name, name)
    if name in tunables.OF_MAP:
        return "%s is set on a map, not on a path" % name
    return "there is no \"%s\" to set here, but: %s" % (name, ", ".join(known))


def check_probe_limits(values):
    least, most = values.get("probe_min_ms"), values.get("probe_max_ms")
    if least is not None and most is not None and least > most:
        raise LwError("probe_min_ms: %d is more than probe_max_ms, which is %d" % (least, most))


def in_order(changes):
    """The module takes one value at a time, and never a probe_min_ms above probe_max_ms."""
    rises = any(change.name == "probe_max_ms" and change.value > change.was
                for change in changes)
    return sorted(changes, key=lambda change: (
        (change.name == "probe_min_ms") == rises, change.name == "probe_min_ms"))


def apply(sysfs, changes):
    """Write them all, at any signal; undo the writes if one fails."""
    done = []
    with undivided():
        try:
            for change in changes:
                sysfs.write(change.value, change.directory, change.name)
                done.append(change)
        except OSError as error:
            left = [str(each) for each in reversed(done) if not taken_back(sysfs, each)]
            raise LwError("%s: %s; %s" % (
                sysfs.path(change.directory, change.name), reason(error),
                "could not be taken back: " + ", ".join(left) if left else "nothing was changed"))


def taken_back(sysfs, change):
    try:
        sysfs.write(change.was, change.directory, change.name)
    except OSError:
        return False
    return True
