"""What happens to a map: its tables, its paths as dm sees them, its groups."""
import os
import time

from tests.lib import faults
from tests.lib.scenario import SELECTOR

from . import tables
from .sequence import CHANGE, FAULT, RELOAD, NotDone, action

ALLOCATIONS = 200               # of a table, about


def held(chance, most):
    """Some seconds; how many."""
    seconds = chance.uniform(0, most)
    time.sleep(seconds)
    return seconds


def one_of(places, chance):
    if not places:
        raise NotDone("no path is there for it")
    return chance.choice(places)


def told(groups):
    return " | ".join(",".join(place.name for place in group) for group in groups)


def told_flush(mapped, noflush):
    return "" if mapped.flush_words(noflush) else ", flushed"


@action(RELOAD, weight=4)
def change_selector(mapped, chance):
    selector, arguments = tables.selector(chance)
    noflush = chance.random() < 0.5
    mapped.swap(mapped.groups, selector, arguments, noflush)
    return " ".join([selector, *arguments]) + told_flush(mapped, noflush)


@action(RELOAD, weight=4)
def change_paths(mapped, chance):
    """Some are added, some are taken away, some go to the other group."""
    groups = tables.groups(mapped.places, mapped.steady, chance)
    mapped.swap(groups, SELECTOR)
    return told(groups)


@action(CHANGE)
def load_and_clear(mapped, chance):
    """A table that is never used; its selector shares the paths with the one in use."""
    selector, arguments = tables.selector(chance)
    with mapped.lock, mapped.control() as control:
        control.load(mapped.table(mapped.groups, selector, arguments))
        held(chance, 0.5)
        control.clear()
    return selector


@action(FAULT, weight=3)
def fail_path(mapped, chance):
    with mapped.lock:
        place = one_of([each for each in mapped.unsteady()
                        if each.device.number in mapped.statuses()], chance)
        mapped.failed.add(place)
        mapped.message("fail_path", place.device.number)
    return str(place)


@action(CHANGE, weight=3)
def reinstate_path(mapped, chance):
    with mapped.lock:
        place = one_of(sorted(mapped.failed, key=str), chance)
        mapped.failed.discard(place)
    mapped.tend()
    return str(place)


@action(CHANGE, weight=2)
def switch_group(mapped, chance):
    with mapped.lock:
        number = chance.randint(1, len(mapped.groups))
        mapped.message("switch_group", number)
    return str(number)


@action(CHANGE)
def bypass_group(mapped, chance):
    with mapped.lock:
        number = chance.randint(1, len(mapped.groups))
        mapped.message("disable_group", number)
        held(chance, 1)
        mapped.message("enable_group", number)
    return str(number)


@action(CHANGE, weight=2)
def suspend(mapped, chance):
    noflush = chance.random() < 0.5
    with mapped.lock:
        mapped.suspend(noflush)
        seconds = held(chance, 1)
        mapped.resume()
    return "for %.1f s%s" % (seconds, told_flush(mapped, noflush))


@action(FAULT, weight=2)
def starve_table(mapped, chance):
    """Tables of which an allocation fails; each is taken or refused, and then one is used."""
    if not os.path.exists(faults.FAIL_NTH):
        raise NotDone("the kernel has no fault injection")
    selector, arguments = tables.ours(chance)
    numbers = [chance.randint(1, ALLOCATIONS) for _ in range(20)]
    with mapped.lock:
        line = mapped.table(mapped.groups, selector, arguments)
        with faults.injection(), faults.Loader(mapped.name, line) as loader:
            refused = sum(loader.load_short_of(number)[0] is not None for number in numbers)
        mapped.swap(mapped.groups, selector, arguments)
    return "%d of %d refused" % (refused, len(numbers))
