"""What happens to the test disks, which are paths of two maps."""
import time

from .on_maps import held, one_of
from .sequence import CHANGE, FAULT, NotDone, action

PATH_ERROR = 1                  # enum lwt_error in tests/modules/disk/lw_testdisk.h
ALL_TAGS = 256


class Disks:
    """The places where disks are, and those that are in reserve."""

    def __init__(self, places, spare, maps):
        self.places = places
        self.spare = spare
        self.maps = maps        # those that the places belong to

    def unsteady(self):
        return [place for place in self.places
                if not any(place in each.steady for each in self.maps)]

    def put(self, place, device):
        """For all maps at once: a table has one of the two."""
        for each in self.maps:
            each.lock.acquire()
        place.device = device
        for each in self.maps:
            each.lock.release()


@action(FAULT, weight=3)
def hang(disks, chance):
    place = one_of(disks.places, chance)
    with place.device.hanging():
        return "%s, for %.1f s" % (place, held(chance, 4))


@action(FAULT, weight=3)
def answer_with_errors(disks, chance):
    place = one_of(disks.unsteady(), chance)
    place.device.set(error=PATH_ERROR, error_delay_us=chance.choice([0, 1000]))
    seconds = held(chance, 2)
    place.device.set(error=0)
    return "%s, for %.1f s" % (place, seconds)


@action(CHANGE, weight=4)
def change_speed(disks, chance):
    place = one_of(disks.places, chance)
    speed = {"delay_us": chance.choice([0, 200, 2000, 20000]),
             "service_us": chance.choice([0, 0, 100, 1000])}
    place.device.set(**speed)
    return "%s: %s" % (place, speed)


@action(FAULT, weight=2)
def fill_queue(disks, chance):
    """The disk takes few I/Os at a time, and refuses others."""
    place = one_of(disks.places, chance)
    tags = chance.choice([1, 2, 8])
    place.device.set(tags=tags, busy_after_start=chance.randint(0, 1))
    seconds = held(chance, 3)
    place.device.set(tags=ALL_TAGS)
    return "%s has %d tags, for %.1f s" % (place, tags, seconds)


@action(FAULT)
def pull(disks, chance):
    """A disk is pulled while maps use it; after a while there is another in its place."""
    if not disks.spare:
        raise NotDone("no disk is left to replace it")
    place = one_of(disks.unsteady(), chance)
    pulled = place.device
    disks.put(place, None)
    pulled.set(remove=1)
    time.sleep(chance.uniform(0, 2))
    disks.put(place, disks.spare.pop(0))
    return "%s: %s, then %s" % (place, pulled, place.device)
