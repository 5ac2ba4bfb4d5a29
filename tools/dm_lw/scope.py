"""Scope of dm-lw enable: all maps, one map, or the maps of one kind of device.

In multipath.conf the section multipaths wins over overrides, overrides over devices, and
devices over defaults.
"""
import argparse
import re
from dataclasses import dataclass

from .errors import LwError
from .live_tables import SELECTOR, find, multipathds
from .maps import own_spelling
from .multipath_conf import DEVICE, MAP, matches, version
from .sysfs import printable

WANTED = "%s 0" % SELECTOR
SECTIONS = ("defaults", "overrides")
MIXES_UP = (0, 15)             # multipath-tools that do
LONGEST_WWID = 127              # multipath's WWID_SIZE, less the zero at its end
NVME = "NVME"                   # multipathd's vendor of disks whose sysfs has none


@dataclass(frozen=True)
class AllMaps:
    section: str = SECTIONS[0]

    def lines(self):
        return ["%s {" % self.section, "\tpath_selector \"%s\"" % WANTED, "}"]

    def covers(self, _host, _table):
        return True

    def __str__(self):
        return "all maps, in section %s" % self.section


@dataclass(frozen=True)
class OneMap:
    wwid: str

    def lines(self):
        return block(MAP, "wwid \"%s\"" % self.wwid)

    def covers(self, _host, table):
        return self.wwid in (table.wwid, own_spelling(table.wwid))

    def __str__(self):
        return "the WWID %s" % self.wwid


@dataclass(frozen=True)
class OneDevice:
    """Both as `multipath -ll` shows them, and no regular expressions, which multipath.conf has."""
    vendor: str
    product: str

    def expressions(self):
        """As multipath.conf has them."""
        return exactly(self.vendor), exactly(self.product)

    def lines(self):
        return block(DEVICE, *("%s \"%s\"" % each
                               for each in zip(("vendor", "product"), self.expressions())))

    def covers(self, host, table):
        return any(all(map(matches, self.expressions(), device_of(host, path))) for path in table.paths)

    def __str__(self):
        return "the device %s/%s" % (self.vendor, self.product)


@dataclass(frozen=True)
class LikeDevices(OneDevice):
    """Both are regular expressions, as written in multipath.conf."""

    def expressions(self):
        return self.vendor, self.product

    def __str__(self):
        return "devices like %s/%s" % (self.vendor, self.product)


def block(section, *settings):
    outer, inner = section
    wanted = "path_selector \"%s\"" % WANTED
    return ["%s {" % outer, "\t%s {" % inner,
            *("\t\t" + setting for setting in (*settings, wanted)), "\t}", "}"]


def exactly(text):
    """A regular expression (POSIX, extended) that only this text matches."""
    return "^%s$" % re.sub(r"([\\.\[(*+?{|^$)])", r"\\\1", text)


def meant_by(expression):
    """The text that exactly() was given; other expressions remain as they are."""
    text = re.sub(r"\\(.)", r"\1", expression[1:-1])
    return text if exactly(text) == expression else expression


def device_of(host, number):
    """(vendor, product) of a path, as multipathd takes them from sysfs."""
    vendor, product = (host.sysfs.text("dev/block", number, "device", name)
                       for name in ("vendor", "model"))
    return vendor or NVME, product


def scopes_in(settings):
    """Scopes that the settings of multipath.conf give to latency-weighted, in order."""
    found = {}
    for setting in settings:
        if setting.name == "path_selector":
            scope = scope_of(setting)
            found.pop(scope, None)
            if setting.value == WANTED:
                found[scope] = True
    return list(found)


def scope_of(setting):
    """The scope of a setting's block."""
    if setting.section == MAP:
        return OneMap(*setting.about)
    if setting.section == DEVICE:
        return devices_of(*setting.about[:2])
    return AllMaps(*setting.section)


def devices_of(vendor, product):
    """The scope of these two expressions."""
    one = OneDevice(meant_by(vendor), meant_by(product))
    return one if one.expressions() == (vendor, product) else LikeDevices(vendor, product)


def mixed_up(host):
    """Why multipathd must not reconfigure; empty if it may.

    Seen of 0.15.1, and not of 0.11.1: it takes a map as the kernel spells it for another one than its own, which
    it leaves without paths.
    """
    names = [table.name for table in multipathds(host) if own_spelling(table.name) != table.name]
    if not names or version(host) < MIXES_UP:
        return ""
    return ("multipathd %s takes all paths from maps with such aliases at each reconfigure: %s; give them aliases of"
            " A-Za-z0-9#+-.:=@_ first" % (".".join(map(str, version(host))), ", ".join(names)))


def includes(scopes, scope):
    """Whether these select for it: as such, or if it is a part of the maps, with all of them."""
    return scope in scopes or (not isinstance(scope, AllMaps)
                               and any(isinstance(each, AllMaps) for each in scopes))


def add_options(group):
    """Options for a part of the maps, in a mutually exclusive group."""
    group.add_argument("--map", metavar="MAP", help="only this map, of those that multipathd has")
    group.add_argument("--wwid", type=wwid, metavar="WWID",
                       help="only the map of this WWID, whether or not it is there")
    group.add_argument("--device", type=device, metavar="VENDOR/PRODUCT",
                       help="only maps of these devices, named as multipath -ll shows them")


def wwid(word):
    if not re.fullmatch(r"[!-~]{1,%d}" % LONGEST_WWID, word) or '"' in word:
        raise argparse.ArgumentTypeError("\"%s\" is no WWID: wanted are 1 to %d characters of"
                                         " ASCII, without blanks and quotes" % (word, LONGEST_WWID))
    return word


def fits_quotes(text):
    """Of multipath.conf."""
    return re.fullmatch("[ -~]+", text) and '"' not in text


def writable(name, found):
    """The array made it: with a quote or a line's end it could add settings of its own."""
    if not fits_quotes(found):
        raise LwError("%s: its WWID \"%s\" cannot be written to multipath.conf" % (printable(name), printable(found)))
    return found


def device(word):
    """Possible meanings, the likeliest first: multipath -ll has a comma, which a name may have, too."""
    parts = [[part.strip() for part in word.partition(mark)] for mark in "/,"]
    found = [OneDevice(vendor, product) for vendor, mark, product in parts if vendor and mark and product]
    if not found or not fits_quotes(word):
        raise argparse.ArgumentTypeError("\"%s\" is not VENDOR/PRODUCT, as in \"NETAPP/LUN C-Mode\"" % word)
    return found


def chosen(args, host):
    """The part that add_options() was told; None if none was."""
    if args.map is not None:
        return OneMap(writable(args.map, own_spelling(find(multipathds(host), args.map).wwid)))
    if args.wwid:
        return OneMap(args.wwid)
    found = args.device or [None]
    covers = [each for each in found[1:] if any(each.covers(host, table) for table in multipathds(host))]
    return covers[0] if covers else found[0]
