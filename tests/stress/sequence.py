"""What is done next: the seed, the actor's name and the number of the step decide it, nothing else.

Whatever else happens, and however slow the machine is, an actor's seventh step is the same.
"""
import collections
import random

# What a step counts as, besides by its name.
FAULT, RELOAD, CHANGE, LOOK = "faults", "reloads", "changes", "looks"

Action = collections.namedtuple("Action", "name kind weight do")
PAUSE = 1.0                     # seconds between two steps, at most


class NotDone(Exception):
    """The step makes no sense at the moment, or never in this kernel; the message says why."""


def action(kind, weight=1):
    """Make an Action of a function of (where, chance), which returns what it did, for people."""
    def make(function):
        return Action(function.__name__.replace("_", "-"), kind, weight, function)
    return make


def actions_of(module):
    """All of a module's, in the order in which they stand there."""
    return [value for value in vars(module).values() if isinstance(value, Action)]


def chance_of(seed, actor, step):
    """The random numbers of one step."""
    return random.Random("%d %s %d" % (seed, actor, step))


def pick(actions, chance):
    """One of the actions, by weight."""
    number = chance.randrange(sum(each.weight for each in actions))
    for each in actions:
        number -= each.weight
        if number < 0:
            return each
    raise ValueError("no action has a weight")


def steps(seed, actor, actions):
    """Endless: (action, its random numbers, the pause after it)."""
    step = 0
    while True:
        chance = chance_of(seed, actor, step)
        yield pick(actions, chance), chance, chance.uniform(0, PAUSE)
        step += 1
