"""What a guest tells its host about each test, at once: it may die in the next one."""

import json

OUT = "/lw/out"
RESULTS = OUT + "/results.jsonl"


def tell_host(**record):
    with open(RESULTS, "a") as file:
        file.write(json.dumps(record) + "\n")
