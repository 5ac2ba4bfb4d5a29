"""The lists of scenarios, and the seeds that each of them is run with."""
from . import engine
from .asides import ASIDES
from .fabrics import FABRICS
from .long_rows import LONG
from .noise import NOISE
from .operations import OPERATIONS
from .random_scenarios import scenarios as random_scenarios, writes as random_writes
from .scenarios import BATCHES, HALTS, LONG_PAUSES, NO_CHANCE, PAUSES, RARE_NODES, SCENARIOS, STOLEN

TUNED = 1               # what constants were chosen by
STUDIED = 44021         # of a study of the estimator
FRESH = [271828, 314159]    # that nobody has tuned for, and nobody shall
SEEDS = [TUNED, STUDIED, *FRESH]

DEFAULT_RANDOM, MOST_RANDOM = 40, 100000
THE_54, NOISY, RANDOM, OPERATION, CHOSEN = "sim", "noise", "random", "operation", "chosen"
LISTS = [OPERATION, NOISY, RANDOM, THE_54]     # in the order of their summary lines
# Only if they are asked for, and with so many seeds; extra.py runs them.
LATE, LUCK, RECOVER, ASIDE, SAN = "long", "luck", "recover", "beside", "san"
EXTRA_SEEDS = {LATE: [TUNED], ASIDE: [11, 12, 13], SAN: [11, 12, 13]}
EXTRA = [LATE, LUCK, RECOVER, ASIDE, SAN]

# A few of each kind, for the quick look.
QUICK = ["S1a", "S2-1", "S2-16", "S3-mix", "S4-5", "S5l", "S8x", "S11", "S13", "S15"]
RANDOMS = {"R": random_scenarios, "W": random_writes}
KNOWN = {**SCENARIOS, **NOISE, **OPERATIONS, **PAUSES, **LONG_PAUSES, **BATCHES, **HALTS, **STOLEN,
         **RARE_NODES, **NO_CHANCE}
EXTRA_ROWS = {LATE: LONG, ASIDE: ASIDES, SAN: FABRICS}
ALL = {**KNOWN, **{name: one for rows in EXTRA_ROWS.values() for name, one in rows.items()}}


def by_name(name):
    """A scenario of any list, or the random one of that name."""
    if name in ALL:
        return ALL[name]
    seed, _, index = name[1:].partition("-")
    if name[:1] in RANDOMS and seed.isdigit() and index.isdigit():
        return RANDOMS[name[0]](int(seed), int(index) + 1)[name]
    raise engine.EngineFailed(f'no scenario "{name}"; there are {", ".join(KNOWN)}, R<seed>-<n>, W<seed>-<n>')


def members(name, seed, count):
    """{name: scenario} of a list; the random ones are others for each seed."""
    if name == RANDOM:
        return random_scenarios(seed, count)
    if name == OPERATION:
        return {**OPERATIONS, **random_writes(seed, count // 2)}
    return {THE_54: SCENARIOS, NOISY: NOISE, **EXTRA_ROWS}[name]
