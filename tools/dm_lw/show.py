"""dm-lw show: everything about a map, in plain words."""
import textwrap
import time

from . import tunables, words
from .counts import look, rows
from .errors import LwError
from .maps import find_map, list_maps, require_module


def add_parser(commands):
    parser = commands.add_parser(
        "show", help="everything about a map, in plain words", allow_abbrev=False,
        description="Everything about a map, in plain words; about all maps if none is named.")
    parser.add_argument("map", metavar="MAP", nargs="*", help="default: all")
    parser.add_argument("-i", "--interval", metavar="SECONDS", type=float, default=1.0,
                        help="look for so long how often things happen; default %(default)g")
    parser.set_defaults(run=run)


def run(args):
    if not 0 < args.interval < 3600:
        raise LwError("an interval of %g s is not possible" % args.interval, status=2)
    require_module(args.sysfs)
    maps = list_maps(args.sysfs)
    if not maps:
        raise LwError("no map uses latency-weighted (dm-lw doctor tells more)")
    wanted = {find_map(args.sysfs, maps, name).dm for name in args.map} or {
        found.dm for found in maps}

    def choose(found):
        return [one for one in found if one.dm in wanted]

    before = look(args.sysfs, choose)
    time.sleep(args.interval)
    now = look(args.sysfs, choose)
    if not now.maps:
        raise LwError("gone while this looked: %s" % ", ".join(
            found.name for found in maps if found.dm in wanted))
    print("\n\n".join(describe(args.sysfs, now, before)))


def describe(sysfs, now, before):
    found = rows(now, before)
    for one in now.maps:
        of_map = [row for row in found if row["dm"] == one.dm]
        yield "\n".join([*words.map_lines(one, of_map), "", settings_line(sysfs, one)])


def settings_line(sysfs, found):
    """The tunables; what differs from the module's parameters says so."""
    normal = tunables.defaults(sysfs)
    parts = []
    for name, value in tunables.read(sysfs, found.directory).items():
        other = normal[name] is not None and normal[name] != value
        parts.append("%s %d%s" % (name, value, " (default %d)" % normal[name] if other else ""))
    return textwrap.fill("settings: " + (", ".join(parts) or "unknown"), 80,
                         subsequent_indent="    ")
