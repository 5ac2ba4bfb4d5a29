"""dm-lw topology: maps, priority groups and paths, where the paths lead, and ports that maps share."""
import json
import sys

from . import table
from .columns import Column, milliseconds
from .counts import GATHER
from .errors import LwError
from .host import Host
from .live_tables import find
from .survey import findings, shared, survey
from .sysfs import printable

JSON_VERSION = 2
PATHS = (
    Column("map", "map", "map", "alias of the map", text=True),
    Column("group", "group", "group", "priority group, * the one in use", text=True),
    Column("selector", "selector", "selector", "the group's path selector", text=True),
    Column("path", "path", "path", "the path's block device", text=True),
    Column("device", "device", "dev", "its number", text=True),
    Column("state", "state", "state", "as in dm-lw stat", text=True),
    Column("latency", "latency_us", "lat-ms", "latency", milliseconds),
    Column("protocol", "protocol", "protocol", "as multipath calls it", text=True),
    Column("link", "link", "link", "state of the connection", text=True),
    Column("host", "host_port", "host port", "of this host", text=True),
    Column("port", "target_port", "target port", "of the storage", text=True),
    Column("target", "target", "target", "name of the storage", text=True),
)
SHARED = (
    Column("port", "name", "port", "name of the port", text=True),
    Column("kind", "kind", "kind", "target port or host port", text=True),
    Column("maps", "maps", "maps", "that have paths through it", lambda maps: "%d" % len(maps)),
    Column("slow", "slow", "slow", "that see it slow", lambda maps: "%d" % len(maps)),
    Column("failed", "failed", "failed", "for which it failed", lambda maps: "%d" % len(maps)),
)


def add_parser(commands):
    parser = commands.add_parser(
        "topology", allow_abbrev=False, help="where paths lead, and what maps share",
        description="Maps of any selector, with priority groups, paths, and the ports of host and"
                    " storage that they go through; the ports that several maps share; and ports"
                    " that are slow, or have failed, for several maps at once.")
    parser.add_argument("map", metavar="MAP", nargs="*", help="default: all")
    parser.add_argument("-j", "--json", action="store_true", help="JSON for other programs")
    parser.set_defaults(run=run)


def run(args):
    topology = survey(Host(sysfs=args.sysfs), GATHER)
    chosen = choose(topology.maps, args.map)
    if args.json:
        print(as_json(topology, chosen))
        return
    for note in topology.notes:
        print("dm-lw: " + printable(note), file=sys.stderr)
    print(as_text(topology, chosen, table.wants_colour("auto")))


def choose(maps, names):
    """The maps that a user named; ports are judged by all maps nevertheless."""
    if not maps:
        raise LwError("there is no multipath map")
    tables = [each.table for each in maps]
    wanted = [find(tables, name).dm for name in names]
    return [each for each in maps if not names or each.table.dm in wanted]


def as_text(topology, chosen, colour=False):
    rows = [row(found, group, path) for found in chosen for group in found.groups
            for path in group.paths]
    lines = list(table.lines(PATHS, rows, colour))
    several = [vars(each) for each in shared(topology) if len(each.maps) > 1]
    if several:
        lines += ["", *table.lines(SHARED, several)]
    found = findings(topology)
    if found:
        lines += ["", *found]
    return "\n".join(lines)


def row(found, group, path):
    number = None if group.number is None else "%d%s" % (group.number, "*" * group.in_use)
    return dict(path_members(path), map=found.table.name, group=number, selector=group.selector)


def path_members(path):
    link = path.link
    return {"path": path.name, "device": path.device, "state": path.state,
            "latency_us": path.latency_us, "protocol": link.protocol, "link": link.state,
            "host_port": link.host_port, "target_port": link.target_port, "target": link.target}


def as_json(topology, chosen):
    return json.dumps({
        "version": JSON_VERSION, "time": round(topology.time, 3), "notes": topology.notes,
        "maps": [{"map": found.table.name, "dm": found.table.dm, "wwid": found.table.wwid or None,
                  "groups": [
            {"number": group.number, "selector": group.selector, "in_use": group.in_use,
             "paths": [path_members(path) for path in group.paths]} for group in found.groups]}
            for found in chosen],
        "ports": [{"kind": each.kind, "name": each.name, "maps": each.maps, "slow": each.slow,
                   "failed": each.failed} for each in shared(topology)],
        "findings": findings(topology)}, indent=2)
