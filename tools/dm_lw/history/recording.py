"""The lines of a recording, written by dm-lw record and read by dm-lw report.

Each line is a JSON object. The recorder begins each file with one that holds the whole state of all
maps ("begin" is the version of the format); each further one holds the changes since the line before,
as a merge patch (RFC 7396). Unknown values have no member, as null means there that a member goes.
"events" are the module's reports in the kernel log since the line before (events.py).
"""
import json
from dataclasses import dataclass, fields
from typing import List

from .. import tunables
from ..counts import Look
from ..disks import SECTOR, TOTALS
from ..events import Event
from ..maps import (CLASS_NUMBERS, CLASSES, OPERATION_NUMBERS, OPERATIONS, PATH_DECIMALS, PATH_NUMBERS,
                    MODULE_WORDS, PATH_WORDS, SELECTOR, Map, Path)

FORMAT = 1
ABOUT = ("host", "kernel", "module", "tool")
VALUES = (*PATH_WORDS, *PATH_NUMBERS, *PATH_DECIMALS, *TOTALS)
PLACES = ("hctl", "target_port", "host_port")
LARGEST = SECTOR * 10 ** 20     # no file of /sys is read that says more; some tell sectors

END_OF_TIME = 253402214400      # the last day of the year 9999


class Damaged(Exception):
    """A line is not one that dm-lw record wrote."""


@dataclass
class Sample(Look):
    """A look from a recording."""
    run: float                  # when the recorder was started, in seconds since the epoch
    events: List[Event]         # reported by it since the sample before
    about: dict                 # facts about its machine


def state_of(look):
    """All that is recorded of the maps."""
    return {"loaded": look.loaded, "maps": {found.dm: map_state(found) for found in look.maps}}


def map_state(found):
    paths = {path.directory.rpartition("/")[2]: path_state(path) for path in found.paths}
    return known({"name": found.name, "wwid": found.wwid, "selector": found.selector, "settings": known(found.settings or {}),
                  "paths": paths})


def path_state(path):
    return known({"device": path.device, "values": known(path.values), "classes": used(path.classes),
                  "operations": used(path.operations) or None})


def used(parts):
    """The classes or operations that did any I/O."""
    return {name: known(values) for name, values in parts.items() if values["done"]}


def known(values):
    return {name: value for name, value in values.items() if value is not None}


def patch(old, new):
    """The merge patch that makes `new` of `old`."""
    changes = {name: None for name in old if name not in new}
    for name, value in new.items():
        was = old.get(name)
        if isinstance(value, dict) and isinstance(was, dict):
            inner = patch(was, value)
            if inner:
                changes[name] = inner
        elif name not in old or was != value:
            changes[name] = value
    return changes


def merged(old, changes):
    """`old` with the merge patch."""
    result = dict(old)
    for name, value in changes.items():
        if value is None:
            result.pop(name, None)
        elif isinstance(value, dict):
            was = result.get(name)
            result[name] = merged(was if isinstance(was, dict) else {}, value)
        else:
            result[name] = value
    return result


def line(**members):
    return json.dumps(members, separators=(",", ":")) + "\n"


def times(look):
    return {"time": round(look.wall, 3), "clock": round(look.clock, 3)}


def begin_line(look, state, about):
    return line(begin=FORMAT, **about, **times(look), state=state)


def change_line(look, old, new, events):
    return line(**times(look), **events, change=patch(old, new))


def events_of(events):
    """A member of a line, if there are any."""
    return {"events": [vars(event) for event in events]} if events else {}


def parse(text):
    """The object of a line."""
    def no_number(word):
        raise ValueError("%s is not JSON" % word)

    try:
        found = json.loads(text, parse_constant=no_number)
    except (ValueError, RecursionError):
        raise Damaged("it is not JSON")
    if not isinstance(found, dict):
        raise Damaged("it is not a JSON object")
    if "begin" in found and found["begin"] != FORMAT:
        raise Damaged("it has format %.20s; this dm-lw reads %d" % (found["begin"], FORMAT))
    if "begin" in found and number(found, "run") is None:
        raise Damaged("it does not tell when the recorder was started")
    if not isinstance(found.get("state" if "begin" in found else "change"), dict):
        raise Damaged("it has neither a state nor a change")
    return found


def sample(found, run, state, about):
    """The Sample of a line, `state` being the state after the line."""
    wall, clock = number(found, "time"), number(found, "clock")
    if wall is None or clock is None or not 0 <= wall < END_OF_TIME:
        raise Damaged("it has no time")
    maps = [read_map(dm, values) for dm, values in objects(state, "maps").items()]
    return Sample(sorted(maps, key=lambda each: (each.name, each.dm)), wall, clock,
                  state.get("loaded") is True, run, read_events(found.get("events", [])), about)


def read_about(found):
    """Facts about the machine, from the line that begins a file."""
    return {name: told for name, told in ((name, word(found, name)) for name in ABOUT) if told}


def read_events(found):
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise Damaged("events are not a list of objects")
    events = [Event(**{each.name: (word if each.type is str else number)(values, each.name)
                       for each in fields(Event)}) for values in found]
    if any(None in vars(event).values() or not 0 <= event.since <= event.time < END_OF_TIME
           for event in events):
        raise Damaged("an event does not tell all, or has no time")
    return events


def read_map(dm, values):
    result = Map(word(values, "name") or dm, dm, word(values, "wwid"))
    selector = word(values, "selector")
    result.selector = SELECTOR if selector is None else selector     # there were no others once
    settings = member(values, "settings")
    result.settings = {name: (word if isinstance(tunables.OF_MAP.get(name), tunables.Choice) else number)(settings, name)
                       for name in settings}
    result.paths = [read_path(result, name, path)
                    for name, path in objects(values, "paths").items()]
    return result


def read_path(found, name, values):
    path = Path(name.replace("!", "/"), "%s/paths/%s" % (found.directory, name),
                word(values, "device"))
    own = member(values, "values")
    for key in VALUES:
        path.values[key] = (word if key in PATH_WORDS else number)(own, key)
    for key, words in PATH_WORDS.items():
        path.values[key] = MODULE_WORDS.get(path.values[key], path.values[key])
        if path.values[key] not in (None, *words):
            raise Damaged("%s of %s is \"%.40s\"" % (key, path.name, path.values[key]))
    path.values.update(known({key: word(own, key) for key in PLACES}))
    path.classes = read_parts(values, "classes", CLASSES, CLASS_NUMBERS)
    path.operations = read_parts(values, "operations", OPERATIONS, OPERATION_NUMBERS)
    return path


def read_parts(values, name, names, numbers):
    return {key: {each: number(inner, each) for each in numbers}
            for key, inner in objects(values, name).items() if key in names}


def member(values, name):
    """The object in an object; an empty one if there is none."""
    found = values.get(name, {})
    if not isinstance(found, dict):
        raise Damaged("%s is not an object" % name)
    return found


def objects(values, name):
    """The same where it has nothing but objects, by names that can be printed."""
    found = member(values, name)
    if not all(isinstance(each, dict) and key.isprintable() for key, each in found.items()):
        raise Damaged("%s has more than objects" % name)
    return found


def word(values, name):
    found = values.get(name)
    if found is not None and not (isinstance(found, str) and found.isprintable()):
        raise Damaged("%s is not a word" % name)
    return found


def number(values, name):
    found = values.get(name)
    if found is None:
        return None
    if isinstance(found, bool) or not isinstance(found, (int, float)) or not 0 <= found < LARGEST:
        raise Damaged("%s is not a number" % name)
    return found
