"""dm-lw unset: forget values that dm-lw set --persist keeps."""
from . import kept
from .errors import LwError
from .host import Host
from .live_tables import known_maps
from .maps import listed, wwid_of
from .policies import keeping
from .settings import splits
from .sysfs import printable


def add_parser(commands):
    parser = commands.add_parser(
        "unset", help="forget what set --persist keeps", allow_abbrev=False,
        description="Forget what dm-lw set --persist keeps of a map and its paths, or of a path:"
                    " the keys that are named, or all. What is in force stays until the map is"
                    " made anew. The map need not be there if it is called by its WWID, nor the"
                    " path if it is called by its ID_PATH.")
    parser.add_argument("where", metavar="MAP[/PATH]")
    parser.add_argument("keys", metavar="KEY", nargs="*", help="default: all")
    parser.set_defaults(run=run)


def run(args):
    host = Host(sysfs=args.sysfs)
    kept.require_this_machine(host)
    names = names_by_uuid(host)
    for name, path_name in splits(args.where):
        uuid = next((uuid for uuid in names if name in names[uuid]), None)
        if uuid:
            return forget(host, uuid, name, path_name, args.keys)
    others = listed(called[0] for called in names.values())
    raise LwError("nothing is kept for %s%s" % (args.where, ", but for: " + others if names else ""))


def names_by_uuid(host):
    """Names of the maps with kept values, the most usual first."""
    there = {found.uuid: found for found in known_maps(host)}
    names = {}
    for uuid in kept.uuids(host):
        names[uuid] = [wwid_of(uuid) or uuid, uuid]
        if uuid in there:
            names[uuid] = [there[uuid].name, *there[uuid].names(), *names[uuid]]
    return names


def forget(host, uuid, name, path_name, keys):
    with kept.changing(host):
        known = kept.load(host, uuid)
        gone = chosen(known, lasting_name(host, known, path_name), keys)
        has_policy = path_name is None and known.policy is not None and (not keys or kept.POLICY in keys)
        lacking = [key for key in keys if key not in {found for _, found in gone}
                   and not (has_policy and key == kept.POLICY)]
        if lacking or not (gone or has_policy):
            raise LwError("%s is not kept for %s, but: %s" % (
                ", ".join(lacking) or "anything", "/".join(filter(None, (name, path_name))),
                known.told()))
        lines = [kept.told(*each, known.values.pop(each)) for each in gone]
        if has_policy:
            lines.append(kept.POLICY)
            keeping.forget_of(known)
        known.save(name)
    for line in lines:
        print(printable("%s: no longer kept: %s" % (name, line)))


def chosen(known, where, keys):
    """The kept keys of the path, or without one of the map and its paths."""
    return [(place, key) for place, key in sorted(known.values)
            if (where is None or place == where) and (not keys or key in keys)]


def lasting_name(host, known, path_name):
    """The ID_PATH of a path that is called by it, or as a block device; None if there is no path."""
    if path_name is None or path_name in known.path_ids():
        return path_name
    number = host.sysfs.text("block", path_name.replace("/", "!"), "dev") or path_name
    return kept.path_id(host, number) or path_name
