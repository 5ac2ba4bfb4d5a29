"""What a page tells of a recording's events: how long each lasted, and at most a screen of them."""
from dataclasses import dataclass, replace
from typing import Optional

from ..maps import ACTIVE, FAILED
from .timeline import BETWEEN, Event, span

SCREEN = 25
AGAIN = " again"                # a state that began anew between two samples: as if it had gone on
NOT_LONG = 60                   # seconds, of what has no end, when the longest are chosen


@dataclass
class Episode:
    """A state of a path, from its begin to the next one's; or what has no end."""
    event: Event
    until: Optional[float] = None
    goes_on: bool = False

    @property
    def lasted(self):
        if self.until is None:
            return ""
        return "%s%s" % (span(self.until - self.event.time), ", and goes on" if self.goes_on else "")

    def worth(self):
        """What the module reported, and failures, before all else; then what lasted longest."""
        seconds = NOT_LONG if self.until is None else self.until - self.event.time
        return self.event.reported or self.event.state == FAILED, seconds


def episodes(events, last):
    """In the order of time; `last` is the end of the recording. The end of a state is told by its length alone."""
    found, now, is_active = [], {}, {}
    for event in sorted(events, key=lambda event: event.time):
        path = event.map, event.path
        open_one = now.get(path)
        if event.text.endswith(AGAIN):
            continue
        if open_one and event.state == open_one.event.state:
            if event.reported:          # the same, in the module's words
                open_one.event = replace(event, time=min(event.time, open_one.event.time))
            elif BETWEEN in event.text:
                found.append(Episode(event))
            continue
        told, is_active[path] = is_active.get(path) and event.state == ACTIVE, event.state == ACTIVE
        if told and BETWEEN not in event.text:      # that it is, by its state or by a report
            continue
        if open_one:
            open_one.until, open_one.goes_on = event.time, False
        if event.path and event.state not in ("", ACTIVE):
            now[path] = Episode(event, last, True)
            found.append(now[path])
            continue
        now.pop(path, None)
        if not (open_one and event.state == ACTIVE and BETWEEN not in event.text):
            found.append(Episode(event))
    return found


def screen(found):
    """(those that are worth most, in the order of time; how many are left out)."""
    kept = sorted(found, key=Episode.worth, reverse=True)[:SCREEN]
    return sorted(kept, key=lambda each: each.event.time), len(found) - len(kept)
