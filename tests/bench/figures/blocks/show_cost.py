"""What an I/O costs."""
from tests.bench.cost.cost_plan import BESIDE, BY_OPERATION, UNSTAMPED
from tests.bench.selectors import OURS, ordered

from .show_common import block, table

COUNT, RATE, NATIVE = "cost-instructions", "cost-iops", "cost-native"


def instructions(figures):
    """Of the cheapest, and how many more than that."""
    rows = part(figures, COUNT, "null_blk")
    names = ordered({name for row in rows for name in row["by_selector"]})
    return block(figures, [COUNT], table([["", "paths", "cheapest", *names]] + [
        [row["mode"], str(row["paths"]), f"{least(row):.0f}",
         *(f"{row['by_selector'][name] - least(row):+.0f}" for name in names)] for row in rows]))


def part(figures, step, name):
    return list(figures["steps"][step]["results"][name].values()) if step in figures["steps"] else []


def least(row):
    return min(row["by_selector"].values())


def accounting(figures):
    rows = part(figures, COUNT, "test_disk")
    return block(figures, [COUNT], table([["", "paths", "with stamps", "without", "difference"]] + [
        [row["mode"], str(row["paths"]), *against(row["by_selector"], OURS, UNSTAMPED)] for row in rows]))


def by_operation(figures):
    """Of its map, and of another one."""
    pairs = [(BY_OPERATION, OURS), (BESIDE, "round-robin")]
    rows = [row for row in part(figures, COUNT, "null_blk") if BESIDE in row["by_selector"]]
    return block(figures, [COUNT] if rows else [], table([
        ["", "paths", "with by_operation", "without", "difference", "round-robin beside it", "alone", "difference"]] + [
        [row["mode"], str(row["paths"]), *(cell for pair in pairs for cell in against(row["by_selector"], *pair))]
        for row in rows]))


def against(by_selector, name, other):
    counts = by_selector[name], by_selector[other]
    return [f"{count:.0f}" for count in (*counts, counts[0] - counts[1])]


def iops(figures):
    """Medians of the rounds; in brackets the range from quarter to quarter."""
    rows = part(figures, RATE, "rates")
    names = ordered({name for row in rows for name in row["by_selector"]})
    return block(figures, [RATE], table([["", "CPUs", *names, "against round-robin, round by round"]] + [
        [row["mode"], str(row["cpus"]), *(spread(row["by_selector"][name], 0) for name in names),
         spread(row["to_round_robin"], 3)] for row in rows]))


def spread(figure, digits):
    return f"{figure['value']:.{digits}f} ({figure['spread']:.{digits}f})"


def native(figures):
    """Medians of the rounds; in brackets the range from quarter to quarter."""
    rows = part(figures, NATIVE, "native")
    names = ordered({name for row in rows for name in row["by_selector"]})
    return block(figures, [NATIVE], table([["CPUs", "paths", *names]] + [
        [str(row["cpus"]), str(row["paths"]), *(spread(row["by_selector"][name], 1) for name in names)]
        for row in rows]))
