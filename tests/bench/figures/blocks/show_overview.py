"""The table at the top of docs/performance.md."""
from tests.bench.acceptance.acceptance_results import GMEAN_MARK, P99_CELLS, P99_MARK, WORST_MARK

from .show_common import block, mark, table

COST = ["cost-instructions", "cost-iops", "cost-native", "scale"]


def row(text, value, wanted):
    return [text, f"{value:.3f}", f"{wanted:.2f}", mark(value >= wanted)]


def throughput_rows(summary):
    quick, others, given, local, far = (summary[name] for name in ("quick", "others", "by-operation", "local",
                                                                   "transports"))
    rows = []
    if quick:
        rows.append(row(f"throughput, geometric mean, the quick scenarios without a network ({quick['cells']} cells: "
                        "each a kind of I/O at a depth)", quick["gmean"], GMEAN_MARK))
    if others:
        rows.append(row(f"the same, the other scenarios without a network ({others['cells']} cells)",
                        others["gmean"], GMEAN_MARK))
    if given:
        rows.append(row("the same, those in which latency-weighted has `by_operation 1`, which is off by default "
                        f"({given['cells']} cells)", given["gmean"], GMEAN_MARK))
    if local:
        rows += [row(f"throughput, worst of these {local['cells']} cells", local["worst"], WORST_MARK),
                 row(f"part of them whose p99 is at most {P99_MARK} of the lowest; the highest is "
                     f"{local['p99_worst']:.3f}", local["p99_close"], P99_CELLS)]
    if far:
        rows.append(row(f"throughput, worst of {far['cells']} cells over a network", far["worst"], WORST_MARK))
    return rows


def overview(figures):
    marks = [each for step in COST if step in figures["steps"] for each in figures["steps"][step]["results"]["marks"]]
    rows = throughput_rows(figures["summary"]) + [
        [each["about"], each["shown"], each["wanted"], mark(each["met"])] for each in marks]
    shown = [name for name in figures["steps"] if name.startswith("acceptance-") or name in COST]
    return block(figures, shown, table([["", "measured", "wanted", ""], *rows]))
