"""Results as text."""
from tests.bench.ratios import best_peer, gmean
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


def reactions(scenarios, results):
    """For the events: ms until the path's share is < 5 %, and >= 80 % of before."""
    lines = ["event     ms until the path has < 5 % of the I/Os / 80 % of its former share again"]
    for name, scenario in scenarios.items():
        if "event_ms" not in scenario:
            continue
        cells = []
        for selector, result in results[name].items():
            down, up = compare.reaction_ms(result, scenario["event_ms"])
            cells.append(f"{SHORT[selector]} {down if down is not None else '-'}/"
                         f"{up if up is not None else '-'}")
        lines.append(f"{name:8}  " + "  ".join(cells))
    return "\n".join(lines)


def selectors(results, bounds):
    """A line for each selector, over all scenarios: throughput against the bound, p99 against the best peer."""
    lines = [f"{'':24} gmean, worst throughput / bound   gmean, worst p99 / best peer's"]
    for selector in next(iter(results.values())):
        iops = [by_selector[selector]["iops"] / bounds[name]
                for name, by_selector in results.items()]
        p99 = [by_selector[selector]["p99_us"]
               / best_peer([by_selector[peer] for peer in PEERS])["p99_us"]
               for by_selector in results.values()]
        lines.append(f"{selector:24} {gmean(iops):6.3f} {min(iops):6.3f}"
                     f"{gmean(p99):30.2f} {max(p99):9.2f}")
    return "\n".join(lines)


def spread(label, pairs):
    """Many scenarios in one line."""
    iops = sorted(pair[0] for pair in pairs)
    p99 = sorted(pair[1] for pair in pairs)
    return (f"{label:8} gmean {gmean(iops):.3f}  min {iops[0]:.3f}  "
            f"5 % below {iops[len(iops) // 20]:.3f}  "
            f">= 0.98 in {100 * sum(value >= 0.98 for value in iops) / len(iops):.0f} %  "
            f"| p99 gmean {gmean(p99):.2f}  95 % below {p99[len(p99) * 19 // 20]:.2f}  "
            f"max {p99[-1]:.2f}")
