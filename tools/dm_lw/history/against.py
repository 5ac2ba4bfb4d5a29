"""dm-lw report BEFORE --against AFTER: two recordings of the same maps side by side.

All is from the counters of the paths' disks, which do not depend on the selector.
"""
import json
from dataclasses import dataclass, field
from typing import Dict, List, Tuple

from .. import disks, table
from ..columns import COLUMNS, Column, milliseconds, one_place
from ..counts import key
from ..errors import LwError
from ..page import moment, render
from .timeline import identity, span

JSON_VERSION = 1
TEMPLATE = "against.html.j2"
FACTOR = 1.5                    # more than this apart is another load
READS_APART = 20                # per cent of the I/Os
FEWEST = 100                    # I/Os that tell anything
TAIL = 0.99
FIGURES = (
    Column("io/s", "ios_per_s", "io/s", "", one_place),
    Column("MB/s", "bytes_per_s", "MB/s", "", COLUMNS["read"].form),
    Column("size", "io_bytes", "size-KiB", "", COLUMNS["size"].form),
    Column("reads", "read_percent", "read%", "", "{:.0f}".format),
    Column("inflight", "inflight", "inflight", "", "{:.2f}".format),
    Column("latency", "latency_us", "lat-ms", "", milliseconds),
    Column("tail", "tail_us", "tail-ms", "", milliseconds),
    Column("share", "share_percent", "share%", "", one_place),
)
ROWS = (Column("path", "path", "path", "", text=True), Column("when", "when", "", "", text=True), *FIGURES)
ABOUT = ("inflight is a mean. tail-ms: for 99 of 100 I/Os, the mean of their path in their sample was this or less;"
         " single I/Os may have taken longer.")


@dataclass
class Done:
    """Work of a map or a path in a recording."""
    work: disks.Work = disks.Work()
    seconds: float = 0
    means: List[Tuple[float, int]] = field(default_factory=list)    # (latency, I/Os) of samples

    def add(self, work, seconds):
        self.work += work
        self.seconds += seconds
        if work.ios:
            self.means.append((1000 * work.ms / work.ios, work.ios))

    def figures(self, all_ios):
        work = self.work
        return {"ios_per_s": disks.by(work.ios, self.seconds), "bytes_per_s": disks.by(work.bytes, self.seconds),
                "io_bytes": disks.by(work.bytes, work.ios), "read_percent": disks.by(100 * work.reads, work.ios),
                "inflight": disks.by(work.ms / 1000, self.seconds),
                "latency_us": disks.by(1000 * work.ms, work.ios), "tail_us": self.tail(),
                "share_percent": disks.by(100 * work.ios, all_ios)}

    def tail(self):
        left = (1 - TAIL) * self.work.ios
        for mean, ios in sorted(self.means, reverse=True):
            left -= ios
            if left < 0:
                return mean
        return None


@dataclass
class MapDone:
    """Work of a map in a recording."""
    name: str
    selectors: Dict[str, None] = field(default_factory=dict)
    paths: Dict[str, Done] = field(default_factory=dict)
    seconds: float = 0

    @property
    def all(self):
        result = Done(seconds=self.seconds)
        for path in self.paths.values():
            result.work += path.work
            result.means += path.means
        return result

    @property
    def selector(self):
        """More than one if it was changed meanwhile."""
        return " and ".join(self.selectors) or "an unknown selector"

    def add(self, found, was, seconds):
        if found.selector:
            self.selectors[found.selector] = None
        self.seconds += seconds
        for path in found.paths:
            before = was.get(key(found, path))
            work = before and disks.work(path.values, before.values)
            if work:
                self.paths.setdefault(path.name, Done()).add(work, seconds)


class Recorded:
    """A recording, as sums."""

    def __init__(self, replay):
        self.file, self.maps, self.samples = replay.file, {}, 0
        for sample, before in replay:
            if not self.samples:
                self.first = sample.wall
            self.last, self.samples = sample.wall, self.samples + 1
            for found in sample.maps if before else ():
                was = {key(each, path): path for each in before.maps for path in each.paths}
                self.maps.setdefault(identity(found), MapDone(found.name)).add(
                    found, was, sample.clock - before.clock)

    def about(self):
        return {"file": self.file, "from": self.first, "to": self.last, "samples": self.samples}

    def __str__(self):
        return "%s, %s to %s (%s), %d sample%s" % (
            self.file, moment(self.first), moment(self.last), span(self.last - self.first), self.samples,
            "" if self.samples == 1 else "s")


def compare(before, after):
    """A document of each map that is in both."""
    pairs = [(found, after.maps[name]) for name, found in before.maps.items() if name in after.maps]
    both = [pair for pair in pairs if any(half.all.work.ios for half in pair)]
    if not both:
        raise LwError("%s and %s have no map in common that did I/O between two samples" % (before.file, after.file))
    return {"version": JSON_VERSION, "before": before.about(), "after": after.about(),
            "maps": [compare_maps(old, new) for old, new in sorted(both, key=lambda pair: pair[1].name)]}


def compare_maps(old, new):
    halves = {"before": old, "after": new}
    totals = {when: half.all for when, half in halves.items()}
    figures = {when: done.figures(done.work.ios) for when, done in totals.items()}
    paths = sorted({*old.paths, *new.paths}, key=COLUMNS["path"].order)
    alike, why = comparable(halves, figures, totals)
    return {"map": new.name, "selectors": {when: half.selector for when, half in halves.items()},
            "comparable": alike, "why": why, "change": {
                name: disks.by(figures["after"][name] or 0, figures["before"][name])
                for name in ("ios_per_s", "latency_us", "tail_us")},
            "all": figures, "paths": {name: {
                when: half.paths.get(name, Done()).figures(totals[when].work.ios)
                for when, half in halves.items()} for name in paths}}


def comparable(halves, figures, totals):
    """Whether they may be compared, and why.

    Programs that wait for each I/O do more of them if these are quicker, with as many in flight; others do as
    many, with fewer in flight. So one of the two must be alike.
    """
    old, new = figures["before"], figures["after"]
    few = [when for when, done in totals.items() if done.work.ios < FEWEST]
    if few:
        return False, "there were fewer than %d I/Os %s" % (FEWEST, " and ".join(few))
    reasons = []
    if len(halves["before"].paths) != len(halves["after"].paths):
        reasons.append("it had %d paths before, %d after" % tuple(len(half.paths) for half in halves.values()))
    if not near(old["io_bytes"], new["io_bytes"]):
        reasons.append("I/Os had %.1f KiB before, %.1f after" % (old["io_bytes"] / 1024, new["io_bytes"] / 1024))
    if abs(old["read_percent"] - new["read_percent"]) > READS_APART:
        reasons.append("%.0f %% were reads before, %.0f %% after" % (old["read_percent"], new["read_percent"]))
    load = "%.4g I/Os a second with %.3g in flight before, %.4g with %.3g after" % (
        old["ios_per_s"], old["inflight"], new["ios_per_s"], new["inflight"])
    if not any(near(old[name], new[name]) for name in ("ios_per_s", "inflight")):
        reasons.append("the load was another one: " + load)
    return not reasons, "; ".join(reasons) or "the load was alike: " + load


def near(one, other):
    return max(one, other) <= FACTOR * min(one, other)


def sentences(found):
    """The changes, and whether they mean anything."""
    parts = ["%s %.2f x" % (word, found["change"][name]) for word, name in (
        ("IOPS", "ios_per_s"), ("latency", "latency_us"), ("tail", "tail_us")) if found["change"][name]]
    if parts:
        yield "After, by before: %s." % ", ".join(parts)
    yield "%s: %s." % ("They may be compared" if found["comparable"] else "They may NOT be compared", found["why"])


def heading(found):
    return "%s: %s before, %s after" % (found["map"], found["selectors"]["before"], found["selectors"]["after"])


def rows(found):
    """A row for all paths together, then one for each."""
    for path, halves in {"all": found["all"], **found["paths"]}.items():
        for when, figures in halves.items():
            yield dict(figures, path=path, when=when)


def as_text(before, after):
    yield "before: %s" % before
    yield "after:  %s" % after
    for found in compare(before, after)["maps"]:
        yield from ("", heading(found), *table.lines(ROWS, list(rows(found))), *sentences(found))
    yield from ("", ABOUT)


def as_json(before, after):
    return json.dumps(compare(before, after), indent=2)


def as_page(before, after):
    return render(TEMPLATE, before=before, after=after, maps=compare(before, after)["maps"], about=ABOUT,
                  columns=ROWS, heading=heading, rows=rows, sentences=sentences)
