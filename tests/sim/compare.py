"""One selector held against others: throughput, 99th percentile, shares over time."""
import statistics

from tests.bench.ratios import best_peer, gmean, throughput
from tests.bench.selectors import OURS, peers

MISS_IOPS = 0.98
MISS_P99 = 1.05


def ratios(ours, runs):
    """(throughput, p99) as parts of the best of these."""
    return throughput(ours, runs), ours["p99_us"] / best_peer(runs)["p99_us"]


def others(by_selector):
    """The runs that ours is held against: of all peers that were run."""
    return [by_selector[name] for name in peers(by_selector)]


def against_peers(by_selector):
    """Of a run that is told in parts, those of its worst ones: each against the best peer in that same part."""
    if "parts" not in by_selector[OURS]:
        return ratios(by_selector[OURS], others(by_selector))
    of_parts = [ratios(ours, parts) for ours, *parts in zip(
        by_selector[OURS]["parts"], *(run["parts"] for run in others(by_selector)))]
    return min(iops for iops, _ in of_parts), max(p99 for _, p99 in of_parts)


def is_miss(iops_ratio, p99_ratio):
    return iops_ratio < MISS_IOPS or p99_ratio > MISS_P99


def summary(pairs):
    """The last line, from (throughput ratio, p99 ratio) of each scenario."""
    return {"gmean": gmean(iops for iops, _ in pairs),
            "worst": min(iops for iops, _ in pairs),
            "worst_p99": max(p99 for _, p99 in pairs),
            "misses": sum(is_miss(*pair) for pair in pairs)}


def over_seeds(summaries):
    """Of summaries with several seeds of chance: the mean of gmean and misses, of the rest the worst."""
    misses = statistics.fmean(one["misses"] for one in summaries)
    return {"gmean": statistics.fmean(one["gmean"] for one in summaries),
            "worst": min(one["worst"] for one in summaries),
            "worst_p99": max(one["worst_p99"] for one in summaries),
            "misses": int(misses) if misses == int(misses) else misses}


def reactions(scenarios, results):
    """{event: {selector: reaction_ms()}}"""
    return {name: {selector: reaction_ms(result, scenario["event_ms"])
                   for selector, result in results[name].items()}
            for name, scenario in scenarios.items() if "event_ms" in scenario}


def by_selector(rows, selectors):
    """Of each over all (runs by selector, bound) that have it: throughput against the bound, p99 against the
    best peer's."""
    found = {}
    for selector in selectors:
        mine = [(runs, bound) for runs, bound in rows if selector in runs]
        if not mine:
            continue
        iops = [runs[selector]["iops"] / bound for runs, bound in mine]
        p99 = [runs[selector]["p99_us"] / best_peer(others(runs))["p99_us"] for runs, _ in mine]
        found[selector] = {"gmean": gmean(iops), "worst": min(iops),
                           "p99_gmean": gmean(p99), "p99_worst": max(p99)}
    return found


def spread(pairs):
    """Of many scenarios: how the ratios are distributed."""
    iops = sorted(pair[0] for pair in pairs)
    p99 = sorted(pair[1] for pair in pairs)
    return {"gmean": gmean(iops), "worst": iops[0], "low": iops[len(iops) // 20],
            "good": sum(value >= MISS_IOPS for value in iops) / len(iops),
            "p99_gmean": gmean(p99), "p99_high": p99[len(p99) * 19 // 20], "p99_worst": p99[-1]}


def summary_line(label, figures):
    return (f"{label}: gmean={figures['gmean']:.3f} worst={figures['worst']:.3f} "
            f"worst_p99={figures['worst_p99']:.2f} misses={figures['misses']:g}")


def shares(result, path):
    """The path's part of the I/Os that were started, bucket by bucket; None where there were none."""
    starts = result["timeline"]["starts"]
    totals = [sum(column) for column in zip(*starts)]
    return [mine / total if total else None for mine, total in zip(starts[path], totals)]


def reaction_ms(result, event_ms, path=0, low=0.05, back=0.8, span=5):
    """(until the path's share is below `low`, until it is at `back` of what it was before).

    Shares are means over `span` buckets; None if it never comes to that within the event, or
    until the end.
    """
    width = result["timeline"]["bucket_ms"]
    mine = result["timeline"]["starts"][path]
    total = [sum(column) for column in zip(*result["timeline"]["starts"])]

    def share(first, last):
        done = sum(total[first:last])
        return sum(mine[first:last]) / done if done else 0.0

    start, end = (int(at / width) for at in event_ms)
    usual = share(start - int(500 / width), start)
    down = next((at for at in range(start, end) if share(at, at + span) < low), None)
    up = next((at for at in range(end, len(mine) - span)
               if share(at, at + span) >= back * usual), None)
    return (None if down is None else (down - start) * width,
            None if up is None else (up - end) * width)
