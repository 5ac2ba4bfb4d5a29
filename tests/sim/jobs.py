"""Jobs of several kinds beside each other: what each of them gets.

I/Os of different jobs cannot be added up: who starves the one with large I/Os has more of them. So
where jobs have names, a run's `iops` and `p99_us` are the geometric means over its jobs, and the
engine's own figures, over all I/Os, are `all_iops` and `all_p99_us`.
"""
from tests.bench.ratios import gmean

NOTHING = 0.01      # IOPS, and us, of a job of which no I/O was done


def merged(result):
    """The engine's result, with means over the jobs that have names."""
    jobs = result.get("jobs")
    if not jobs:
        return result
    # No I/O at all is as bad as one that takes all of the run.
    slow = max(result["p99_us"], *(job["p99_us"] for job in jobs))
    return {**result, "all_iops": result["iops"], "all_p99_us": result["p99_us"],
            "iops": gmean(max(job["iops"], NOTHING) for job in jobs),
            "p99_us": gmean(max(job["p99_us"] or slow, NOTHING) for job in jobs)}


def satisfaction(by_selector):
    """{job: {selector: its IOPS, as a part of the most that any selector gave it}}"""
    names = [job["name"] for job in next(iter(by_selector.values()))["jobs"]]
    found = {}
    for index, name in enumerate(names):
        iops = {selector: result["jobs"][index]["iops"] for selector, result in by_selector.items()}
        most = max(iops.values()) or 1
        found[name] = {selector: value / most for selector, value in iops.items()}
    return found


def fairness(by_selector):
    """{selector: the least of its jobs' satisfaction}"""
    by_job = satisfaction(by_selector)
    return {selector: min(job[selector] for job in by_job.values()) for selector in by_selector}


def evenness(result):
    """Of maps that want the same: what the least gets, as a part of what the most gets."""
    return min(result["maps"]) / (max(result["maps"]) or 1)
