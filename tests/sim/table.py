"""Results as text."""
from tests.bench.selectors import OURS

from . import compare
from .engine import PEERS

SHORT = {"round-robin": "rr", "queue-length": "ql", "service-time": "st",
         "historical-service-time": "hst", "nvme-queue-depth": "nv-qd", "nvme-latency": "nv-lat",
         "simple": "simple", "latency-weighted": "lw"}


def line(name, by_selector, bound):
    """Throughput as a part of the bound, p99 in us, and how we compare to the best peer."""
    iops = " ".join(f"{result['iops'] / bound:6.2f}" for result in by_selector.values())
    p99 = " ".join(f"{result['p99_us']:7.0f}" for result in by_selector.values())
    ratios = compare.ratios(by_selector[OURS], [by_selector[peer] for peer in PEERS])
    mark = "miss" if compare.is_miss(*ratios) else ""
    return f"{name:8} {iops} | {p99} | {ratios[0]:5.3f} {ratios[1]:5.2f} {mark}".rstrip()


def header(selectors):
    names = [SHORT[selector] for selector in selectors]
    return (f"{'':8} " + " ".join(f"{name:>6}" for name in names) + " | "
            + " ".join(f"{name:>7}" for name in names) + " |   x   p99\n"
            + f"{'':8} throughput / bound" + " " * (7 * len(names) - 19)
            + "| p99 in us" + " " * (8 * len(names) - 9) + "| lw / best peer")


def reactions(found):
    """Of compare.reactions()."""
    def shown(pair):
        return "/".join("-" if value is None else str(value) for value in pair)

    return "\n".join(["event     ms until the path has < 5 % of the I/Os / 80 % of its former share again"] + [
        f"{name:8}  " + "  ".join(f"{SHORT[selector]} {shown(pair)}" for selector, pair in by_selector.items())
        for name, by_selector in found.items()])


def selectors(found):
    """Of compare.by_selector(), a line for each."""
    return "\n".join([f"{'':24} gmean, worst throughput / bound   gmean, worst p99 / best peer's"] + [
        f"{selector:24} {row['gmean']:6.3f} {row['worst']:6.3f}{row['p99_gmean']:30.2f} {row['p99_worst']:9.2f}"
        for selector, row in found.items()])


def spread(label, found):
    """Of compare.spread(), in one line."""
    return (f"{label:8} gmean {found['gmean']:.3f}  min {found['worst']:.3f}  5 % below {found['low']:.3f}  "
            f">= 0.98 in {100 * found['good']:.0f} %  "
            f"| p99 gmean {found['p99_gmean']:.2f}  95 % below {found['p99_high']:.2f}  "
            f"max {found['p99_worst']:.2f}")
