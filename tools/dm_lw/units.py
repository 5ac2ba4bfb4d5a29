"""Units of values: how text shows them, and how metrics do, which have Prometheus' base units."""
import time
from dataclasses import dataclass
from typing import Callable


def as_it_is(value):
    return value


def one_place(value):
    return "%.1f" % value


def two_places(value):
    return "%.2f" % value


def kibibytes(count):
    return "%.1f" % (count / 1024)


def milliseconds(microseconds):
    return "%.3f" % (microseconds / 1000)


def megabytes(count):
    return "%.2f" % (count / 1e6)


def clock_time(seconds, other_day="%m-%d %H:%M"):
    """The time of day; with the date if it is another day's."""
    try:
        then, now = time.localtime(seconds), time.localtime()
    except (OverflowError, OSError):        # from a file that is not the kernel's
        return "?"
    return time.strftime("%H:%M:%S" if then[:3] == now[:3] else other_day, then)


def seconds(microseconds):
    return microseconds / 1e6


def of_128(weight):
    return weight / 128


def of_100(share):
    return share / 100


def of_1000(cost):
    return cost / 1000


@dataclass(frozen=True)
class Unit:
    form: Callable = str            # writes text
    convert: Callable = as_it_is    # writes a metric


PLAIN = Unit()
US = Unit(milliseconds, seconds)
PERCENT = Unit(convert=of_100)
PERCENT_WITH_PLACES = Unit(two_places, of_100)
PER_SECOND = Unit(one_place)
BYTES = Unit(kibibytes)
BYTES_PER_SECOND = Unit(megabytes)
SINCE = Unit(clock_time)
PARTS_OF_128 = Unit(convert=of_128)
PARTS_OF_1000 = Unit(convert=of_1000)
