"""Results as text."""
import statistics

from tests.bench.ratios import gmean
from . import compare
from .jobs import evenness, fairness, satisfaction

SHORT = {"round-robin": "rr", "queue-length": "ql", "service-time": "st",
         "historical-service-time": "hst", "io-affinity": "ioa", "nvme-queue-depth": "nv-qd",
         "nvme-latency": "nv-lat", "simple": "simple", "latency-weighted": "lw", "policy": "policy"}


def line(name, by_seed, bound, selectors):
    """Means over the seeds: throughput as a part of the bound, p99 in us. How we compare to the best
    peer: throughput in the mean and with the worst seed, p99 with the worst; how many seeds missed."""
    here = by_seed[0]
    iops = " ".join(f"{mean('iops', one, by_seed) / bound:6.2f}" if one in here else f"{'-':>6}" for one in selectors)
    p99 = " ".join(f"{mean('p99_us', one, by_seed):7.0f}" if one in here else f"{'-':>7}" for one in selectors)
    pairs = [compare.against_peers(runs) for runs in by_seed]
    misses = sum(compare.is_miss(*pair) for pair in pairs)
    mark = f"miss {misses}/{len(pairs)}" if misses else ""
    return (f"{name:8} {iops} | {p99} | {gmean(max(pair[0], 1e-9) for pair in pairs):5.3f} "
            f"{min(pair[0] for pair in pairs):5.3f} {max(pair[1] for pair in pairs):5.2f} {mark}").rstrip()


def mean(key, selector, by_seed):
    return statistics.fmean(runs[selector][key] for runs in by_seed)


def header(selectors):
    names = [SHORT[selector] for selector in selectors]
    return (f"{'':8} " + " ".join(f"{name:>6}" for name in names) + " | "
            + " ".join(f"{name:>7}" for name in names) + " |   x   worst  p99\n"
            + f"{'':8} throughput / bound" + " " * (7 * len(names) - 19)
            + "| p99 in us" + " " * (8 * len(names) - 9) + "| lw / best peer")


def jobs(runs):
    """What jobs of several kinds, and maps that are alike, get of each selector; of the first seed."""
    seed, lines = runs.seeds[0], []
    for wanted in runs.lists():
        for name, by_selector in runs.of(wanted, seed).items():
            first = next(iter(by_selector.values()))
            if "jobs" in first:
                lines += [parts(name, job, row) for job, row in satisfaction(by_selector).items()]
                lines.append(parts(name, "fairness", fairness(by_selector)))
            if "maps" in first:
                lines.append(parts(name, "maps, least / most", {
                    selector: evenness(result) for selector, result in by_selector.items()}))
    if lines:
        lines.insert(0, "jobs: IOPS as a part of the most that any selector gave them; fairness: the least of them")
    return "\n".join(lines)


def parts(name, job, row):
    return f"{name:10} {job:20} " + "  ".join(f"{SHORT[one]} {value:.2f}" for one, value in row.items())


def reactions(found):
    """Of compare.reactions()."""
    def shown(pair):
        return "/".join("-" if value is None else str(value) for value in pair)

    if not found:
        return ""
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
