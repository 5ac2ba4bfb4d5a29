"""All that is put up for a run, and made whole again at its end."""
import glob
import os

from tests.lib import iscsi, sysfs
from tests.lib.command import wait_until, write_text
from tests.lib.disks import path_disks
from tests.lib.lio import ram_disk
from tests.lib.network import losing
from tests.lib.options import DEFAULTS, PARAMETERS
from tests.lib.scenario import SELECTOR

from . import on_disks, on_files, on_machine, on_maps, on_policies, on_san, tables
from .actors import Actor, Keeper
from .loads import length
from .sequence import actions_of
from .stressed_maps import Place, map_of

DISKS, SPARE = 4, 12            # as many as the test disk's module has
ADDRESSES = ["127.0.0.2", "127.0.0.3", "127.0.0.4"]


class Site:
    """Four disks which are paths of two maps, and a target with three portals: the paths of a third."""

    def __init__(self, stack):
        disks = stack.enter_context(path_disks(DISKS + SPARE, size_mb=64))
        ram = stack.enter_context(ram_disk(32))
        stack.enter_context(iscsi.target_by_configfs(ram, ADDRESSES))
        remote = stack.enter_context(iscsi.sessions(ADDRESSES))
        local = [Place("disk%d" % number, disk) for number, disk in enumerate(disks[:DISKS])]
        far = [Place("portal%d" % number, disk) for number, disk in enumerate(remote)]
        requests = stack.enter_context(map_of("lwrequests", local, "rq", steady=True))
        bios = stack.enter_context(map_of("lwbios", local, "bio", steady=True))
        san = stack.enter_context(map_of("lwsan", far, "rq", steady=False))
        self.maps = [requests, bios, san]
        self.bases = [0, length(), 0]           # the first two write to the same data
        self.disks = on_disks.Disks(local, disks[DISKS:], [requests, bios])
        self.san = on_san.San(san, ADDRESSES)
        self.policies = on_policies.Policies()

    def actors(self, seed, journal, stop, go):
        """Who does what to what; each is a thread of its own."""
        parts = [(Keeper, each.name, each, on_maps) for each in self.maps]
        parts += [(Actor, "disks", self.disks, on_disks), (Actor, "san", self.san, on_san),
                  (Actor, "machine", None, on_machine), (Actor, "files", None, on_files),
                  (Actor, "policies", self.policies, on_policies)]
        return [kind(name, where, actions_of(module), seed, journal, stop, go)
                for kind, name, where, module in parts]

    def practise(self):
        """What the kernel keeps something of when it is done for the first time, such as a module."""
        for selector in tables.OTHERS:
            for each in self.maps:
                each.swap([each.places], selector)
        with losing(ADDRESSES[:1]):
            pass
        on_policies.practise(self.policies)
        for state in (0, 1):
            for file in glob.glob(on_machine.CPUS):
                write_text(file, state)

    def mend(self):
        """Nothing is broken any more, all is as it was made."""
        for file in glob.glob(on_machine.CPUS):
            write_text(file, 1)
        for place in self.disks.places:
            place.device.reset()
            place.device.set(tags=on_disks.ALL_TAGS, busy_after_start=0)
        for key, default in DEFAULTS.items():
            write_text(PARAMETERS + key, default)
        self.policies.mend()
        for each in self.maps:
            each.swap([each.places], SELECTOR)
            for key, default in DEFAULTS.items():
                write_text(os.path.join(sysfs.ROOT, each.label, key), default)

    @staticmethod
    def heal(mapped):
        """All its paths come back."""
        def whole():
            mapped.tend()
            found = mapped.statuses()
            return len(found) == len(mapped.places) and all(each.usable for each in found.values())
        wait_until(whole, "all paths of %s are usable" % mapped.name, timeout=60, interval=0.5)
