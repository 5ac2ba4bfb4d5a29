"""Which rows are shown, and in which order."""
from dataclasses import dataclass
from typing import Optional, Tuple

from .columns import MAP, Column, named, need_histograms
from .errors import LwError
from .maps import NOT_USED, PROBING, STATES, listed


def is_idle(row):
    """Nothing was done in the interval, and nothing is under way."""
    done = row.get("done_per_s") if "class" in row else row.get("ios_per_s")
    return not done and not row.get("inflight")


@dataclass
class View:
    """Of sorted rows the worst come first: the highest number, the most severe state."""
    sort: Optional[Column] = None       # as they are without
    reverse: bool = False
    states: Tuple[str, ...] = ()        # all without
    omit_idle: bool = False
    word: str = ""                      # only paths, or maps, in whose name it is

    @property
    def needs_histograms(self):
        return self.sort is not None and need_histograms([self.sort])

    @property
    def omits(self):
        """May it leave out a path?"""
        return bool(self.states or self.omit_idle or self.word)

    def rows(self, found):
        return self.sorted([row for row in found if self.has(row)])

    def has(self, row):
        return ((not self.states or row.get("state") in self.states)
                and not (self.omit_idle and is_idle(row))
                and any(self.word in (row.get(key) or "") for key in ("map", "dm", "wwid", "path")))

    def sorted(self, found):
        """Unknown values come last."""
        if self.sort is None:
            return found[::-1] if self.reverse else found
        known = [row for row in found if row.get(self.sort.key) is not None]
        unknown = [row for row in found if row.get(self.sort.key) is None]
        falls = not self.sort.text
        return sorted(known, key=self.sort.place, reverse=falls != self.reverse) + unknown


def add_options(parser, groups):
    parser.add_argument("--sort", metavar="COLUMN",
                        help="by a column: numbers fall, words rise, unknown last")
    parser.add_argument("--by", choices=groups,
                        help="map: a heading line for each map, with its totals"
                             + ("; port, hba: a row of totals for each port of the storage or of this host"
                                if len(groups) > 1 else ""))
    parser.add_argument("-m", "--by-map", dest="by", action="store_const", const=MAP, help="the same as --by map")
    parser.add_argument("-r", "--reverse", action="store_true", help="the other way round")
    parser.add_argument("--state", metavar="STATES",
                        help="only paths in these states, separated by commas")
    parser.add_argument("-z", "--omit-idle", action="store_true",
                        help="leave out paths (with -c, sizes) without I/O")


def from_options(args):
    return View(None if args.sort is None else named(args.sort, "--sort"), args.reverse,
                chosen_states(args.state) if args.state is not None else (), args.omit_idle)


def chosen_states(words):
    states = []
    for word in map(str.strip, words.split(",")):
        if word not in (*STATES, PROBING):
            raise LwError("--state %s: \"%s\" is none of: %s" % (words, word, listed(STATES)),
                          status=2)
        states += NOT_USED if word == PROBING else [word]
    return tuple(states)
