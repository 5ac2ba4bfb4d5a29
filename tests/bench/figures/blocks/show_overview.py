"""The table at the top of docs/performance.md."""
from .show_common import block, mark, table

GMEAN, WORST, CLOSE = 1.05, 0.97, 0.90      # the acceptance suite's marks
COST = ["cost-instructions", "cost-iops", "cost-native", "scale"]


def row(text, value, wanted, at_least=True):
    met = value >= wanted if at_least else value <= wanted
    return [text, f"{value:.3f}", f"{wanted:.2f}", mark(met)]


def cost_row(each):
    """As the program shows it; figures of before it did that have a ratio."""
    if "shown" not in each:
        return row(each["about"], each["ratio"], each["limit"], not each["at_most"])
    return [each["about"], each["shown"], each["wanted"], mark(each["met"])]


def throughput_rows(summary):
    quick, others, local, far = (summary[name] for name in ("quick", "others", "local", "transports"))
    rows = []
    if quick:
        rows.append(row(f"throughput, geometric mean, the quick scenarios without a network ({quick['cells']} cells: "
                        "each a kind of I/O at a depth)", quick["gmean"], GMEAN))
    if others:
        rows.append(row(f"the same, the other scenarios without a network ({others['cells']} cells)",
                        others["gmean"], GMEAN))
    if local:
        rows += [row(f"throughput, worst of these {local['cells']} cells", local["worst"], WORST),
                 row(f"part of them whose p99 is at most 1.05 of the lowest; the highest is "
                     f"{local['p99_worst']:.3f}", local["p99_close"], CLOSE)]
    if far:
        rows.append(row(f"throughput, worst of {far['cells']} cells over a network", far["worst"], WORST))
    return rows


def overview(figures):
    marks = [each for step in COST if step in figures["steps"] for each in figures["steps"][step]["results"]["marks"]]
    rows = throughput_rows(figures["summary"]) + [cost_row(each) for each in marks]
    shown = [name for name in figures["steps"] if name.startswith("acceptance-") or name in COST]
    return block(figures, shown, table([["", "measured", "wanted", ""], *rows]))
