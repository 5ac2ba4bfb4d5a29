"""Random tables, all of them good."""
from tests.lib.options import DEFAULTS, OPTIONS, WORDS
from tests.lib.scenario import SELECTOR

OTHERS = ["round-robin", "queue-length", "service-time"]
# Of these two, one must not be more than the other: no more than this, and no less.
NARROWED = {"probe_min_ms": (10, 1000), "probe_max_ms": (1000, 600000)}


def value(key, chance):
    if key in WORDS:
        return chance.choice(WORDS[key])
    least, most = NARROWED.get(key, OPTIONS[key][:2])
    return chance.choice([least, most, chance.randint(least, most)])


def ours(chance):
    """Our selector with up to three options."""
    words = []
    for key in chance.sample(sorted(DEFAULTS), chance.randrange(4)):
        words += [key, str(value(key, chance))]
    return SELECTOR, words


def selector(chance):
    """Ours or another, and its arguments."""
    return ours(chance) if chance.random() < 0.6 else (chance.choice(OTHERS), [])


def groups(places, steady, chance):
    """One group or two, of some of the places; those that are steady are always in."""
    chosen = [place for place in places if place in steady or chance.random() < 0.7]
    chosen = chosen or list(places)
    chance.shuffle(chosen)
    if len(chosen) == 1 or chance.random() < 0.4:
        return [chosen]
    cut = chance.randint(1, len(chosen) - 1)
    return [chosen[:cut], chosen[cut:]]
