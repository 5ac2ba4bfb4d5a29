"""What maps and paths take, above round-robin's."""
from tests.vm.kernels import KERNELS

from .show_common import block, results, table

STEP = "memory-"


def table_of(found):
    return table([["kernel", "a map, KiB (maps share their two paths)", "a path, KiB (all in one map)"]] + [
        [KERNELS[step[len(STEP):]].series, counts(each["map_kib"], "maps"), counts(each["path_kib"], "paths")]
        for step, each in found.items()])


def counts(by_count, what):
    return ", ".join(f"{kib:.1f} ({int(count):,} {what})" for count, kib in by_count.items())


def memory(figures):
    found = results(figures, STEP)
    return block(figures, found, table_of(found))
