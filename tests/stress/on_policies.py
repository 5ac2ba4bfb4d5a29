"""Policies that come and go, on all maps: BPF programs that choose well, badly, never or slowly."""
import errno
import os
import random

from tests.guest.lib.policies import KEYS, NONE, REFUSED
from tests.lib import bpf, sysfs
from tests.lib.command import read_text, write_text
from tests.lib.options import PARAMETERS

from .on_files import WrongText, chosen, text_of, unless_gone, write
from .sequence import CHANGE, LOOK, NotDone, action

LIMIT = PARAMETERS + "policy_max_us"
ASKED = "chose", "own", *REFUSED
ROUNDS = 2000                   # of a program that takes longer than the limit of 50 us


class Policies:
    """Programs by their numbers in the kernel, as maps told them: when all maps are gone, so are they."""

    def __init__(self):
        self.programs = set()
        self.limit = read_text(LIMIT)

    def look(self, file):
        """What a map tells; None if it is gone, {} if it has no policy."""
        text = unless_gone(text_of, file)
        if text is None:
            return None
        if text == NONE + "\n":
            return {}
        found = dict(word.partition("=")[::2] for word in text.split())
        if list(found) != KEYS or not text.endswith("\n") or len(text.split()) != len(KEYS):
            raise WrongText("%s: %r" % (file, text))
        self.programs.add(int(found["id"]))
        return found

    def mend(self):
        """No map has one, and the limit is what it was."""
        write_text(LIMIT, self.limit)
        for file in of_maps():
            write(file, "\n")

    def left(self):
        """Those that the kernel still has."""
        return [each for each in sorted(self.programs) if bpf.exists(each)]


def of_maps():
    files = [os.path.join(sysfs.ROOT, each, "policy") for each in sysfs.maps()]
    return [file for file in files if os.path.exists(file)]


def told(found):
    return "no policy" if not found else " ".join("%s=%s" % (key, found[key]) for key in ("id", *ASKED))


# Each gets random numbers, and an array for what it is shown.
KINDS = {
    "own": lambda _chance, _array: bpf.own(),
    "fixed": lambda chance, _array: bpf.fixed(chance.randrange(6)),     # some maps have no such path
    "shows": lambda _chance, array: bpf.shows(array),
    "slow": lambda _chance, _array: bpf.slow(ROUNDS),
}


def attach(policies, kind, files, chance):
    """The program lives on by the maps alone."""
    with bpf.bpf_map(bpf.ARRAY, 4, bpf.OFFSET["mark"], 1) as array, \
            bpf.pinned(KINDS[kind](chance, array), "stress") as pin:
        for file in files:
            unless_gone(lambda name: write(name, pin), file)
    for file in files:
        policies.look(file)


def practise(policies):
    """Each kind once, on all maps."""
    for kind in KINDS:
        attach(policies, kind, of_maps(), random.Random(0))
    policies.mend()


@action(CHANGE, weight=4)
def attach_policy(policies, chance):
    """To one map, or the same program to all."""
    kind = chance.choice([*sorted(KINDS), "fixed"])
    file = chosen(of_maps(), chance)
    files = chance.choice([[file], of_maps()])
    try:
        attach(policies, kind, files, chance)
    except OSError as error:
        if error.errno != errno.ENOMEM:
            raise
        raise NotDone("memory is short")
    return "%s to %s" % (kind, ", ".join(each.split("/")[-2] for each in files))


@action(CHANGE, weight=2)
def detach_policy(policies, chance):
    file = chosen(of_maps(), chance)
    found = policies.look(file)
    unless_gone(lambda name: write(name, "\n"), file)
    return "%s: %s" % (file.split("/")[-2], told(found))


@action(CHANGE)
def limit_policies(_policies, chance):
    limit = chance.choice([0, 1, 50, 1000000])
    write_text(LIMIT, limit)
    return "%d us" % limit


@action(LOOK, weight=3)
def read_policies(policies, _chance):
    return "; ".join("%s: %s" % (file.split("/")[-2], told(policies.look(file))) for file in of_maps())
