"""tests/bench/cost: instructions of an I/O, IOPS without delay, and ns on the machine itself."""
from tests.bench.cost import cost_results as results
from tests.bench.cost.cost_plan import NULL_BLK, QUEUE_MODES, TEST_DISK

from .read_common import load, marks, rounded


def instructions(directory):
    records = load(directory, "results.json")["records"]
    return rounded({"null_blk": counted(records, NULL_BLK), "test_disk": counted(records, TEST_DISK),
                    "repeats": results.repeats(records), "marks": marks(results.marks(records))})


def counted(records, disk):
    return {f"{QUEUE_MODES[mode]}, {paths} paths": {"mode": QUEUE_MODES[mode], "paths": paths, "by_selector": {
        name: figure.value for name, figure in row.items()}}
        for (mode, paths), row in results.instructions(records, disk).items()}


def rates(directory):
    records = load(directory, "results.json")["records"]
    ratios = results.to_round_robin(records)
    return rounded({"rates": {f"{QUEUE_MODES[mode]}, {cpus} CPUs": {
        "mode": QUEUE_MODES[mode], "cpus": cpus, "by_selector": {name: vars(figure) for name, figure in row.items()},
        "to_round_robin": vars(ratios[cpus, mode])}
        for (cpus, mode), row in results.rates(records).items()}, "marks": marks(results.marks(records))})


def native(directory):
    records = load(directory, "results.json")["records"]
    return rounded({"native": {f"{threads} CPUs, {paths} paths": {
        "cpus": threads, "paths": paths, "by_selector": {
            name: {"value": record["ns"], "spread": record["high"] - record["low"]} for name, record in row.items()}}
        for (threads, paths), row in results.native(records).items()}, "marks": marks(results.marks(records))})
