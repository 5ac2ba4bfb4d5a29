"""Reading a recording: FILE.1 and FILE as one series of samples."""
import contextlib
import os

from .. import output
from ..errors import LwError, reason
from . import recording
from .recorder import both

# A line of a million paths is not as long.
LONGEST_LINE = 1 << 30


def samples(file):
    """The samples of a recording, oldest first. LwError if each of its files has nothing but damage."""
    damages = []
    with contextlib.ExitStack() as stack:
        for each in open_both(file, stack):
            damages.append((yield from read(each)))
    if all(damages):
        raise LwError(damages[0])


def open_both(file, stack):
    """FILE.1, if there is one, and FILE; opened before either is read, as the recorder may rotate."""
    while True:
        newer, older = (open_one(name, stack) for name in both(file))
        if newer and older and os.path.samestat(*(os.fstat(each.fileno())
                                                  for each in (newer, older))):
            continue                    # rotated in between
        found = [each for each in (older, newer) if each]
        if not found:
            raise LwError("%s: there is no such file" % file)
        return found


def open_one(name, stack):
    if output.require_regular(name) is None:
        return None
    try:
        return stack.enter_context(open(name, "rb"))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise LwError("%s: %s" % (name, reason(error)))


def read(file):
    """The samples of one file; returns its fault if no recorder began anything there.

    Lines may be cut short where recorders were killed: at the end, or before one began anew.
    """
    run, state, damage, about = None, None, None, {}
    for number, text in enumerate(iter(lambda: file.readline(LONGEST_LINE), b""), 1):
        try:
            found = recording.parse(text)
            if "begin" in found:
                run, state, damage, about = found["run"], found["state"], None, recording.read_about(found)
            elif damage:
                raise LwError(damage)
            elif state is None:
                raise recording.Damaged("no state goes before it")
            else:
                state = recording.merged(state, found["change"])
            sample = recording.sample(found, run, state, about)
        except (recording.Damaged, RecursionError) as error:
            damage = damage or "%s is not a dm-lw recording: line %d: %s" % (
                file.name, number, error)
            continue
        yield sample
    return damage if run is None else None
