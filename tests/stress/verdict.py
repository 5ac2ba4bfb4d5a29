"""What came of it: cases that passed, failed or were skipped, and the figures."""
import collections
import json

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"


class Verdict:
    """Cases by name, each with what is to be said of it."""

    def __init__(self):
        self.cases = collections.OrderedDict()

    def add(self, name, outcome, text=""):
        """A case that has failed once has failed."""
        if self.cases.get(name, ("", ""))[0] != FAILED:
            self.cases[name] = (outcome, text)

    def check(self, name, faults, told=""):
        """It passed if there is no fault."""
        self.add(name, FAILED if faults else PASSED, "\n".join(faults) or told)

    def count(self, outcome):
        return sum(found == outcome for found, _ in self.cases.values())

    @property
    def good(self):
        return not self.count(FAILED)

    def lines(self):
        for name, (outcome, text) in self.cases.items():
            yield "%-8s%s%s" % (outcome, name, ": " + text if text else "")

    def last_line(self):
        return "%d passed, %d failed, %d skipped" % tuple(
            self.count(outcome) for outcome in (PASSED, FAILED, SKIPPED))

    def as_dict(self):
        return {name: {"outcome": outcome, "text": text}
                for name, (outcome, text) in self.cases.items()}


class Figures:
    """What was done, counted."""

    def __init__(self):
        self.actions = collections.Counter()    # by name
        self.kinds = collections.Counter()
        self.loads = collections.Counter()      # rounds, ios, written and verified bytes

    def did(self, action):
        self.actions[action.name] += 1
        self.kinds[action.kind] += 1

    def as_dict(self):
        return {**self.loads, **self.kinds, "actions": dict(sorted(self.actions.items()))}


def report(verdict, figures, **about):
    """JSON of a run."""
    return json.dumps({**about, **figures.as_dict(), "cases": verdict.as_dict()}, indent=1) + "\n"


def summary(figures):
    """The figures in a line."""
    loads, kinds = figures.loads, figures.kinds
    return "%d I/Os, %.1f MiB written, %.1f MiB verified, %d faults, %d reloads" % (
        loads["ios"], loads["written_bytes"] / 2**20, loads["verified_bytes"] / 2**20,
        kinds["faults"], kinds["reloads"])
