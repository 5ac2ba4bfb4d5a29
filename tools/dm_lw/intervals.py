"""Reports at intervals: "MAP... [INTERVAL [COUNT]]" on the command line, and when each is due."""
import itertools
import re
import time

from .errors import LwError

SHORTEST = 0.1                  # seconds; less is noise
# Most digits of an interval or a count.
NUMBER = re.compile(r"[0-9]{1,9}(\.[0-9]{0,9})?|\.[0-9]{1,9}")
# A number to Python, or to a hurried hand. A WWID is longer.
MISTAKEN = re.compile(r"[-+]?(nan|inf(inity)?|[0-9.]{1,12}(e[-+]?[0-9]{1,3})?)", re.IGNORECASE)


def split(words):
    """(maps, interval, count): numbers at the end are no maps.

    Without an interval it is None, and the count 1; without a count it is None, for no end.
    """
    names = list(words)
    numbers = []
    while names and len(numbers) < 2 and re.fullmatch(NUMBER, names[-1]):
        numbers.insert(0, names.pop())
    if names and re.fullmatch(MISTAKEN, names[-1]) and not re.fullmatch(NUMBER, names[-1]):
        raise LwError("\"%s\" is neither a map nor an interval, which is seconds, like 1 or 0.5"
                      % names[-1], status=2)
    if not numbers:
        return names, None, 1
    interval = float(numbers[0])
    if interval < SHORTEST:
        raise LwError("an interval of %s s is too short, %g is the least"
                      % (numbers[0], SHORTEST), status=2)
    if len(numbers) == 1:
        return names, interval, None
    if not numbers[1].isdigit() or not int(numbers[1]):
        raise LwError("\"%s\" is no COUNT: it must be a whole number, 1 or more" % numbers[1], status=2)
    return names, interval, int(numbers[1])


def repeat(report, look, interval, count, skip_first=False):
    """report(now, before) for each look, at fixed times however long each takes.

    Times that passed meanwhile are left out. The first report has no look before it. With skip_first it is left out
    and not counted.
    """
    before, start = None, time.monotonic()
    for number in itertools.count(0 if skip_first else 1):
        now = look()
        if before or not skip_first:
            report(now, before)
        if number == count:
            return
        before = now
        start += interval
        late = time.monotonic() - start
        if late >= interval:
            start += (late // interval + 1) * interval
        time.sleep(max(0, start - time.monotonic()))
