"""A compiled policy: which program it has, and its constants, which are set in the file itself."""
import os
import struct
from dataclasses import dataclass

from ..errors import LwError
from ..maps import listed
from ..sysfs import printable

PROGRAM = "raw_tp.w/"                   # how the section of a policy begins
CONSTANTS = ".rodata"
FUNCTION, OBJECT = 2, 1                 # types of symbols
SYMBOLS = 2                             # type of a section
SIZES = {1: "b", 2: "h", 4: "i", 8: "q"}


@dataclass(frozen=True)
class Symbol:
    name: str
    kind: int
    section: str
    offset: int                         # where its content is in the file
    size: int


class PolicyObject:
    """A policy compiled by clang, or for the simulator by the host's compiler."""

    def __init__(self, name, content):
        self.name = name
        self.content = bytearray(content)
        try:
            self.symbols = list(self.read())
        except (struct.error, IndexError, ValueError, OverflowError):
            raise LwError("%s is no object file of 64 bits, such as clang -target bpf makes, but %d bytes that begin with"
                          " \"%s\"" % (name, len(content), printable(bytes(content[:4]))))

    def unpack(self, layout, offset):
        return struct.unpack_from(self.order + layout, self.content, offset)

    def read(self):
        """The symbols; see elf(5)."""
        if self.content[:5] != b"\x7fELF\x02":
            raise ValueError
        self.order = "<" if self.content[5] == 1 else ">"
        (start,) = self.unpack("Q", 40)
        size, count, names = self.unpack("HHH", 58)
        sections = [self.unpack("IIQQQQIIQQ", start + number * size) for number in range(count)]
        titles = [self.text(sections[names][4] + section[0]) for section in sections]
        for section in sections:
            for offset in range(section[4], section[4] + section[5], 24) if section[1] == SYMBOLS else ():
                name, info, _, where, value, length = self.unpack("IBBHQQ", offset)
                if 0 < where < count:
                    yield Symbol(self.text(sections[section[6]][4] + name), info & 15, titles[where],
                                 sections[where][4] + value - sections[where][3], length)

    def text(self, offset):
        return bytes(self.content[offset:self.content.index(0, offset)]).decode("ascii")

    def program(self):
        """The name of the one that it has."""
        found = sorted({each.name for each in self.symbols
                        if each.kind == FUNCTION and each.section.startswith(PROGRAM)})
        if len(found) != 1:
            raise LwError("%s has %s; wanted is one LW_POLICY_PROGRAM()"
                          % (self.name, "the policies " + ", ".join(found) if found else "no policy"))
        return found[0]

    def constants(self):
        """By name, without constants that cannot be set."""
        return {each.name: each for each in self.symbols
                if each.kind == OBJECT and each.section.startswith(CONSTANTS) and each.size in SIZES}

    def set(self, values):
        known = self.constants()
        for name, value in values.items():
            if name not in known:
                raise LwError("%s has no constant %s to set; it has: %s" % (self.name, name, listed(sorted(known))))
            bits = 8 * known[name].size
            if not -(1 << bits - 1) <= value < 1 << bits:
                raise LwError("%s=%d: wanted is a number of at most %d bits" % (name, value, bits))
            letter = SIZES[known[name].size]
            struct.pack_into(self.order + (letter if value < 0 else letter.upper()), self.content,
                             known[name].offset, value)


def load(file, check=None):
    """check(file, its os.stat()) may refuse it."""
    try:
        with open(file, "rb") as opened:
            if check:
                check(file, os.fstat(opened.fileno()))
            return PolicyObject(os.path.basename(file), opened.read())
    except OSError as error:
        raise LwError("%s: %s" % (file, error.strerror))
