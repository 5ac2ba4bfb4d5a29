"""A map whose selector is exchanged for a while, under any load, and put back."""
from dataclasses import replace

from .. import settings, tunables
from ..errors import LwError
from ..maps import ROOT, list_maps
from ..policies import attached, load
from ..signals import undivided

AS_BEFORE = "it has the table that it had"
LEFT = "somebody else has loaded another table meanwhile (%s): it is left as it is"


class Taken(LwError):
    """The table is neither ours nor the one that was there."""


class Borrowed:
    """A map of dm-lw's for a while.

    `tried` names the selectors that it may get. The process that guards it has a copy of this
    from before the first change, so give_back() goes by the live table, not by the steps done.
    """

    def __init__(self, device, dm, tried):
        self.device = device
        self.dm = dm
        self.sysfs = device.host.sysfs
        self.found = self.now = device.table()
        self.tried = set(tried)
        self.tuned = self.read_tunables("%s/%s" % (ROOT, dm)) if self.found.has_us else {}
        self.is_taken = False

    def read_tunables(self, directory):
        """Values that the module forgets when the map's last table with latency-weighted goes."""
        known = {directory: tunables.read(self.sysfs, directory)}
        for name in self.sysfs.directories(directory, "paths"):
            path = "%s/paths/%s" % (directory, name)
            known[path] = tunables.read(self.sysfs, path, tunables.OF_PATH)
        return known

    def use(self, selector, arguments=()):
        self.change_to(self.found.with_chooser(selector, arguments))

    def use_its_own(self):
        """The selector that was found, with its arguments and tunables."""
        self.change_to(self.found)

    def attach(self, policy, constants):
        """A policy, until the selector changes again."""
        (found,) = self.ours()
        with undivided():
            load.attach(self.device.host, found, policy, constants)

    def ours(self):
        """The map, if it has latency-weighted."""
        return [found for found in list_maps(self.sysfs) if found.dm == self.dm]

    def drop_policy(self):
        """There was none before."""
        for found in self.ours():
            if attached.read(self.sysfs, found):
                attached.write(self.sysfs, found, "")

    def change_to(self, table):
        with undivided():
            self.drop_policy()
            self.load_and_resume(replace(table, features=self.check().features))
            self.now = self.device.table()
        if not (same_paths(self.now, table) and selectors(self.now) == selectors(table)):
            raise LwError("the kernel made something else of a table: %s" % self.now.text())

    def load_and_resume(self, table):
        self.device.load(table.text())
        try:
            if table.is_like(self.found):
                self.put_back_tunables()
            self.device.resume()
        except BaseException:
            self.device.clear()
            raise

    def put_back_tunables(self):
        for directory, values in self.tuned.items():
            now = tunables.read(self.sysfs, directory, values)
            settings.apply(self.sysfs, settings.in_order(
                [settings.Change(name, directory, now[name], value)
                 for name, value in values.items() if now.get(name, value) != value]))

    def check(self):
        """The live table; Taken if it is not the one that shall live."""
        live = self.device.table()
        if not live.is_like(self.now):
            self.is_taken = True
            raise Taken("%s: %s" % (self.device.name, LEFT % ", ".join(live.choosers)))
        return live

    def give_back(self):
        """Have the table that was found live again; tells how that went."""
        self.drop_policy()
        live = self.device.table()
        if live.is_like(self.found):
            if self.device.inactive():      # loaded, and killed before the resume
                self.device.clear()
            return AS_BEFORE
        if self.is_taken or not self.is_one_of_ours(live):
            return LEFT % ", ".join(live.choosers)
        self.load_and_resume(replace(self.found, features=live.features))
        live = self.device.table()
        if not live.is_like(self.found):
            raise LwError("%s has another table than before: %s"
                          % (self.device.name, live.text()))
        return AS_BEFORE

    def is_one_of_ours(self, live):
        return same_paths(live, self.found) and self.tried.issuperset(selectors(live))


def same_paths(one, other):
    """They differ in nothing but their selectors."""
    return one.with_chooser("any").is_like(other.with_chooser("any"))


def selectors(table):
    return [group.selector for group in table.groups]
