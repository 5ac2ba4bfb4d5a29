"""Ours against others. A run is anything with `iops` and `p99_us`."""
import math

from .selectors import OURS, peers

TIE = 0.02              # of the best throughput: who is within has it, too


def gmean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values))


def best_iops(runs):
    return max(run["iops"] for run in runs)


def throughput(ours, others):
    """Ours, as a part of the best other's; None if that has none."""
    best = best_iops(others)
    return ours["iops"] / best if best else None


def against_peers(by_selector):
    """The same of {selector: run}; None without ours or without a peer."""
    found = peers(by_selector)
    if OURS not in by_selector or not found:
        return None
    return throughput(by_selector[OURS], [by_selector[name] for name in found])


def best_peer(runs):
    """Of those with the best throughput the one with the lowest p99."""
    enough = (1 - TIE) * best_iops(runs)
    return min((run for run in runs if run["iops"] >= enough), key=lambda run: run["p99_us"])
