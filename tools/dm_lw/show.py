"""dm-lw show: everything about a map, in plain words."""
import textwrap
import time

from . import tunables, words
from .counts import Looker, rows
from .errors import LwError
from .links import hctl, link
from .maps import NO_MAPS, listed
from .policies import attached


LONGEST = 3600                  # seconds


def add_parser(commands):
    parser = commands.add_parser(
        "show", help="everything about a map, in plain words", allow_abbrev=False,
        description="Everything about a map, in plain words; about all maps if none is named.")
    parser.add_argument("map", metavar="MAP", nargs="*", help="default: all")
    parser.add_argument("-i", "--interval", metavar="SECONDS", type=float, default=1.0,
                        help="time between the two readings that rates are taken from; default %(default)g")
    parser.set_defaults(run=run)


def run(args):
    if not 0 < args.interval <= LONGEST:
        raise LwError("an interval of %g s is not possible; wanted is more than 0, and %d at most"
                      % (args.interval, LONGEST), status=2)
    look = Looker(args.sysfs, args.map)
    before = look()
    if not before.maps:
        raise LwError(NO_MAPS)
    time.sleep(args.interval)
    now = look()
    if not now.maps:
        raise LwError("gone while this looked: %s" % listed(
            found.name for found in before.maps))
    print("\n\n".join(describe(args.sysfs, now, before)))


def describe(sysfs, now, before):
    found = rows(now, before)
    for one in now.maps:
        of_map = [row for row in found if row["dm"] == one.dm]
        places = {row["path"]: place(sysfs, row["device"]) for row in of_map}
        values = tunables.read(sysfs, one.directory)
        lines = words.map_lines(one, of_map, places, tunables.observed_by(values))
        yield "\n".join([*lines, "", *policy_line(sysfs, one), settings_line(sysfs, values)])


def place(sysfs, number):
    """The path's name for the storage's administrators."""
    return ", ".join(filter(None, (hctl(sysfs, number), link(sysfs, number).target_port))) if number else ""


def policy_line(sysfs, found):
    """If there is one, and root asks."""
    policy = attached.read(sysfs, found)
    if policy:
        yield textwrap.fill("policy: " + attached.sentence(policy), 80, subsequent_indent="    ")


def settings_line(sysfs, values):
    """The tunables that differ from the module's parameters."""
    normal = tunables.defaults(sysfs)
    parts = []
    for name, value in values.items():
        if normal[name] is None:
            parts.append("%s %s" % (name, value))
        elif normal[name] != value:
            parts.append("%s %s (default %s)" % (name, value, normal[name]))
    return textwrap.fill("settings: " + (", ".join(parts) or "the defaults"), 80,
                         subsequent_indent="    ")
