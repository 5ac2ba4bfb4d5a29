"""What a guest tells its host about each test, at once: it may die in the next one; and what it asks of it."""

import json
import os
import time

from tests.lib.command import wait_until

OUT = "/lw/out"
RESULTS = OUT + "/results.jsonl"


waited = 0.0        # seconds that no test is to account for: in virtual time a slow host makes them minutes


def tell_host(**record):
    global waited
    began = time.monotonic()
    with open(RESULTS, "a") as file:
        file.write(json.dumps(record) + "\n")
    waited += time.monotonic() - began


def stand_still(seconds):
    """Have the host stop this machine (tests/vm/halt.py)."""
    with open(OUT + "/halt.new", "w") as file:
        file.write("%g\n" % seconds)
    os.rename(OUT + "/halt.new", OUT + "/halt")
    wait_until(lambda: not os.path.exists(OUT + "/halt"), "the host has stopped this machine", seconds + 10)
