"""dm-lw apply: set the values kept for maps; udev calls it when a map appears."""
from . import kept, settings, tunables
from .device_mapper import map_device
from .errors import LwError
from .host import Host, NotPermitted
from .maps import find_map, list_maps, read_paths, require_module
from .policies import keeping
from .switching import require_root
from .sysfs import printable


def add_parser(commands):
    parser = commands.add_parser(
        "apply", help="set what is kept for a map (root)", allow_abbrev=False,
        description="Set the tunables that dm-lw set --persist keeps, and attach the policies that dm-lw policy"
                    " load --persist does, of all maps if none is named."
                    " udev does so when a map appears or gets another table. What the table"
                    " itself names stays.")
    parser.add_argument("map", metavar="MAP", nargs="*", help="default: all")
    parser.set_defaults(run=run)


def run(args):
    require_module(args.sysfs)
    host = Host(sysfs=args.sysfs)
    maps = list_maps(args.sysfs)
    kept.require_this_machine(host)
    faults = []
    for found in [find_map(args.sysfs, maps, name) for name in args.map] or maps:
        try:
            apply(host, found, is_named=bool(args.map))
        except LwError as error:        # the other maps get their values all the same
            faults.append(str(error))
    if faults:
        raise LwError("; ".join(dict.fromkeys(faults)))


def apply(host, found, is_named):
    uuid = host.sysfs.text("block", found.dm, "dm", "uuid")
    if uuid not in kept.uuids(host):
        return require_unnamed(found, is_named)
    require_root(host)
    with kept.putting_in_force(host, uuid):
        known = kept.load(host, uuid)
        if not known.values and known.policy is None:
            return require_unnamed(found, is_named)
        put_in_force(host, found, known)


def require_unnamed(found, is_named):
    if is_named:
        raise LwError("nothing is kept for %s (dm-lw set --persist)" % found.name)


def put_in_force(host, found, known):
    for target, changes in to_do(host, found, known):
        settings.apply(host.sysfs, settings.in_order(changes))
        for change in changes:
            print("%s: %s" % (target, change))
    if keeping.wanted(host, found, known):
        print(printable("%s: %s" % (found.name, keeping.restore(host, found, known))))


def to_do(host, found, known):
    """(what, its changes): kept values that are not in force and not named by the table."""
    named = named_by_table(host, found) if known.values else set()
    for target, values in targets(host, found, known):
        where = target.path.device if target.path else None
        words = {key: str(value) for key, value in values.items() if (where, key) not in named}
        changes = settings.plan(host.sysfs, target.directory, target.known, words)
        yield target, [change for change in changes if change.was != change.value]


def targets(host, found, known):
    """(the map or a path that is there, its kept values)."""
    yield settings.Target(found), known.of(kept.OF_MAP)
    if known.path_ids():
        found.paths = read_paths(host.sysfs, found, classes=False)
        names = kept.path_ids(host, found)
        for path in found.paths:
            yield settings.Target(found, path), known.of(names.get(path.name))


def named_by_table(host, found):
    """(device or None for the map, key): a selector's own arguments win in its table."""
    if not host.is_root():
        raise NotPermitted("only root may read the maps' tables")
    table = map_device(host, found.name, found.dm).table()
    named = set()
    for group in table.groups:
        for key, value in zip(group.arguments[::2], group.arguments[1::2]):
            named.add((value, key) if key in tunables.OF_PATH else (None, key))
    return named
