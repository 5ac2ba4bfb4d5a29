"""Which setting of multipath's configuration counts for a map, and how to win over it."""
import os

from . import multipathd
from .dropin import FILE
from .maps import in_shell, own_spelling, some
from .multipath_conf import DEVICE, MAP, all_settings, blocks_of, configured_directory, names_us, place, winner
from .scope import AllMaps, OneDevice, OneMap, device_of

# The later section wins.
ORDER = (("defaults",), DEVICE, ("overrides",), MAP)


class Configuration:
    """multipathd's settings, or if it cannot be asked the files', and their lines."""

    def __init__(self, host, directory=None):
        self.host = host
        self.directory = directory or configured_directory(host)
        files, told = all_settings(host, self.directory), multipathd.settings_in_force(host)
        self.settings = files if told is None else told
        self.blocks, self.files = blocks_of(self.settings), blocks_of(files)

    def wins(self, table, name="path_selector"):
        """The setting that counts for this map."""
        path = next(iter(table.paths), "")
        revision = self.host.sysfs.text("dev/block", path, "device", "rev")
        return winner(self.blocks, name, own_spelling(table.wwid), (*device_of(self.host, path), revision))

    def line(self, setting):
        """The same of a file; None if multipath has it of itself."""
        found = self.files.get((setting.section, setting.about), {}).get(setting.name)
        return found if found and found.value == setting.value else None

    def where(self, setting, otherwise="multipath's own table of devices"):
        line = self.line(setting)
        return place(line) if line else otherwise

    def selector(self, table):
        """The path_selector that counts; None if the map has another one, as before a reconfigure."""
        found = self.wins(table)
        return found if found and found.value.split()[:1] in [
            chooser.split()[:1] for chooser in table.choosers] else None

    def exempts(self, table):
        """Where the administrator gave this map alone another selector; empty if nowhere."""
        found = self.selector(table)
        return self.where(found) if found and found.section == MAP and not names_us(found) and self.line(found) else ""

    def why(self, table, scope):
        """The setting that wins over the one for `scope`, and the command against it; empty if none does."""
        found = self.selector(table)
        if found is None or names_us(found) or self.is_beaten(found, section_of(scope)):
            return ""
        commands = [command for section, command in commands_for(table, scope) if self.is_beaten(found, section)]
        return "%s says so and wins; %s" % (
            self.where(found), "this would do: " + commands[0] if commands else "remove it there")

    def is_beaten(self, setting, section):
        """By the same in dm-lw's file, in that section."""
        rank, others = ORDER.index(section), ORDER.index(setting.section)
        return rank > others or rank == others and not self.is_later(self.line(setting))

    def is_later(self, line):
        """In a drop-in that is read after dm-lw's; multipath.conf itself is read before all, wherever they are."""
        if line is None:
            return False
        directory, name = os.path.split(os.path.normpath(line.file))
        return directory == os.path.normpath("/" + self.directory) and name > FILE

    def still(self, table):
        """Where a map that disable was to change is still selected."""
        found = self.selector(table)
        return "%s selects it" % self.where(found) if found else ""


def section_of(scope):
    return MAP if isinstance(scope, OneMap) else DEVICE if isinstance(scope, OneDevice) else (scope.section,)


def commands_for(table, scope):
    """(section, command), the one that is for as many maps as `scope` first."""
    if isinstance(scope, AllMaps):
        yield ("overrides",), "dm-lw enable --section overrides"
    yield MAP, "dm-lw enable --map %s" % in_shell(table.name)


def lines(host, directory, tables, verbs, reason):
    """"mpatha uses service-time 0" of each, and what reason(configuration, table) adds; alike ones in one line."""
    configuration, alike = Configuration(host, directory) if tables else None, {}
    for table in tables:
        alike.setdefault((", ".join(table.choosers), reason(configuration, table)), []).append(table.name)
    return ["%s %s %s%s" % (some(names), verbs[len(names) > 1], choosers, " (%s)" % more if more else "")
            for (choosers, more), names in alike.items()]
