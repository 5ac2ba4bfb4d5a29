"""What noted_policy.c noted, and the same choice made by the library that the simulator calls."""

import ctypes
import glob
import os
import struct

from tests.lib.command import CHECKOUT
from tools.dm_lw.policies import load as settings
from tools.dm_lw.policies import objects

(OBJECTS,) = glob.glob(CHECKOUT + "/build/policies/????????????") or [None]
EXAMPLES = sorted(os.path.basename(name)[:-2] for name in glob.glob(CHECKOUT + "/contrib/policies/*.c"))
NOTES, SEEN = 512, 64 + 16 * 48         # times; bytes of struct lw_policy, up to the marks
NOTE = 16 + SEEN
SIZE = SEEN + 64
CHOICE = 44                             # where it is in the struct
INFO_BY_FD, MAP_BY_ID, PROG_BY_ID, LOOKUP = 15, 14, 13, 1


def object_file(name):
    return "%s/%s.o" % (OBJECTS, name)


class Notes:
    """Of a program by its id: [(time, bytes seen, choice)]."""

    def __init__(self, bpf, name, program):
        policy = objects.load(object_file(name + ".noted"))
        place = {each.name: each for each in policy.symbols if each.section == ".bss"}
        start = min(each.offset for each in place.values())
        self.at = {each: place[each].offset - start for each in ("notes", "noted")}
        self.bpf = bpf
        self.descriptor, self.size = self.variables(program)

    def variables(self, program):
        """The map that has them."""
        descriptor = self.bpf.call(PROG_BY_ID, struct.pack("<I", program))
        ids = (ctypes.c_uint32 * 8)()
        info = bytearray(self.info(descriptor, struct.pack("<52xIQ", 8, ctypes.addressof(ids))))
        os.close(descriptor)
        for number in ids[:struct.unpack_from("<I", info, 52)[0]]:
            found = self.bpf.call(MAP_BY_ID, struct.pack("<I", number))
            told = self.info(found, b"")
            if b".bss" in told[24:40]:
                return found, struct.unpack_from("<I", told, 12)[0]
            os.close(found)
        raise AssertionError("the program has no variables")

    def info(self, descriptor, wanted):
        room = ctypes.create_string_buffer(wanted.ljust(80, b"\0"), 80)
        self.bpf.call(INFO_BY_FD, struct.pack("<IIQ", descriptor, len(room), ctypes.addressof(room)))
        return room.raw

    def read(self):
        key, value = ctypes.create_string_buffer(4), ctypes.create_string_buffer(self.size + 7 & ~7)
        self.bpf.call(LOOKUP, struct.pack("<IIQQ", self.descriptor, 0, ctypes.addressof(key), ctypes.addressof(value)))
        (count,) = struct.unpack_from("<Q", value.raw, self.at["noted"])
        starts = [self.at["notes"] + number * NOTE for number in range(count)]
        return [(*struct.unpack_from("<Qq", value.raw, start), value.raw[start + 16:start + NOTE]) for start in starts]

    def close(self):
        os.close(self.descriptor)


class Library:
    """The policy, compiled for the host, with its constants set; a copy, as it remembers things."""

    def __init__(self, name, directory, words, found):
        clock = ctypes.CDLL(OBJECTS + "/clock.so", mode=ctypes.RTLD_GLOBAL)
        self.now_ns = ctypes.c_uint64.in_dll(clock, "policy_now_ns")
        policy = objects.load("%s/%s.so" % (OBJECTS, name))
        policy.set({key: settings.number(found, key, word) for key, word in settings.parse(words).items()})
        copy = "%s/%s.so" % (directory, name)
        with open(copy, "wb") as file:
            file.write(policy.content)
        self.function = getattr(ctypes.CDLL(copy), policy.program())

    def choice(self, now_ns, seen):
        self.now_ns.value = now_ns
        io = ctypes.create_string_buffer(seen, SIZE)
        pointer = ctypes.pointer(io)
        self.function(ctypes.byref(pointer))
        return struct.unpack_from("<i", io.raw, CHOICE)[0]
