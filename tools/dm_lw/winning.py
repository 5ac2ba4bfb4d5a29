"""Which setting of multipath's configuration counts for a map, and what would win over it."""
import contextlib
import os

from . import multipathd
from .dropin import FILE
from .errors import LwError
from .maps import in_shell, own_spelling
from .multipath_conf import DEVICE, MAP, all_settings, blocks_of, place, winner
from .scope import AllMaps, device_of

# Of the sections the later one wins.
ORDER = (("defaults",), DEVICE, ("overrides",), MAP)


def wins(host, blocks, name, table):
    """The setting that counts for this map."""
    path = next(iter(table.paths), "")
    revision = host.sysfs.text("dev/block", path, "device", "rev")
    return winner(blocks, name, own_spelling(table.wwid), (*device_of(host, path), revision))


class Configuration:
    """What multipathd goes by, and the lines of the files that say so."""

    def __init__(self, host, directory):
        self.host = host
        self.directory = directory
        self.blocks = blocks_of(multipathd.configuration(host))
        self.files = blocks_of(all_settings(host, directory))

    def selector(self, table):
        """The setting that counts, and the same of a file, or None if multipath has it of itself."""
        found = wins(self.host, self.blocks, "path_selector", table)
        line = found and self.files.get((found.section, found.about), {}).get(found.name)
        return found, line if line and line.value == found.value else None

    def why(self, table, scope):
        """Of a map that has not what enable selects for `scope`: what wins, and the command that would do."""
        found, line = self.selector(table)
        if found is None or not is_of(found, table):
            return ""
        where = place(line) if line else "multipath's own table of devices"
        commands = [command for rank, command in self.commands(table, scope)
                    if rank > ORDER.index(found.section)
                    or rank == ORDER.index(found.section) and not self.is_later(line)]
        return " (%s says so and wins; %s)" % (
            where, "this would do: " + commands[0] if commands else "remove it there")

    def commands(self, table, scope):
        """The one that is for as many maps as `scope` first."""
        if isinstance(scope, AllMaps):
            yield ORDER.index(("overrides",)), "dm-lw enable --section overrides"
        yield ORDER.index(MAP), "dm-lw enable --map %s" % in_shell(table.name)

    def is_later(self, line):
        """In a file that is read after dm-lw's."""
        return line is not None and os.path.split(line.file) > ("/" + self.directory, FILE)

    def still(self, table):
        """Of a map that disable was to change: where it is selected."""
        found, line = self.selector(table)
        return " (%s selects it)" % place(line) if line and is_of(found, table) else ""


def is_of(setting, table):
    """The map has its selector."""
    return setting.value.split()[:1] in [chooser.split()[:1] for chooser in table.choosers]


def lines(host, directory, tables, verbs, reason):
    """"mpatha uses service-time 0" of each, and what reason(configuration, table) adds; alike ones in one line."""
    configuration, alike = None, {}
    with contextlib.suppress(LwError):          # unrest() tells that multipathd does not answer
        configuration = Configuration(host, directory) if tables else None
    for table in tables:
        more = reason(configuration, table) if configuration else ""
        alike.setdefault((", ".join(table.choosers), more), []).append(table.name)
    return ["%s %s %s%s" % (", ".join(names), verbs[len(names) > 1], choosers, more)
            for (choosers, more), names in alike.items()]
