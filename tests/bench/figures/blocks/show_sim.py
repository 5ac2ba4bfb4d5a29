"""The simulator's lists."""
from .show_common import block, table

LISTS = {"sim": "the list", "sim-pauses": "loads that pause", "sim-long-pauses": "long pauses",
         "sim-batches": "I/Os that begin together"}


def part(figures, step, name):
    return figures["steps"][step]["results"].get(name) or {} if step in figures["steps"] else {}


def selectors(figures):
    found = part(figures, "sim", "selectors")
    return block(figures, ["sim"], table(
        [["", "throughput / bound, geometric mean", "worst", "p99 / best peer's, geometric mean", "worst"]] + [
            [name, f"{row['gmean']:.3f}", f"{row['worst']:.3f}", f"{row['p99_gmean']:.2f}", f"{row['p99_worst']:.2f}"]
            for name, row in found.items()]))


def lists(figures):
    """latency-weighted against the best peer of each scenario."""
    rows = [[title, *summed(part(figures, step, "list"))] for step, title in LISTS.items()
            if part(figures, step, "list")]
    noise, chance = part(figures, "sim", "noise"), part(figures, "sim", "random")
    if noise:
        rows.append(["noise", *summed(noise)])
    note = (f"Of the random scenarios 95 % are at {chance['low']:.3f} or more, and {100 * chance['good']:.0f} % at "
            "0.98 or more.") if chance else ""
    if chance:
        rows.append(["random scenarios", f"{chance['gmean']:.3f}", f"{chance['worst']:.3f}",
                     f"{chance['p99_worst']:.2f}", ""])
    return block(figures, LISTS, table([["against the best peer", "geometric mean", "worst", "worst p99", "misses"],
                                        *rows]), note)


def summed(row):
    return [f"{row['gmean']:.3f}", f"{row['worst']:.3f}", f"{row['worst_p99']:.2f}", f"{row['misses']:g}"]


MINUTES = {"long": "from the 60th second to the 90th; of changing loads the worst 20 s", "san": "storage networks",
           "beside": "beside slow I/Os, all jobs", "beside-reads": "beside slow I/Os, the reads alone"}
EXTRA_STEPS = ["sim-long", "sim-san", "sim-beside", "sim-luck", "sim-recover"]


def minutes(figures):
    """The lists that run only if they are asked for."""
    rows, behind = [], {}
    for name, title in MINUTES.items():
        found = part(figures, "sim-" + name.removesuffix("-reads"), name)
        if found:
            below, of = found["behind"]
            rows.append([title, *summed(found)[:3], f"{below} of {of}"])
            behind.update(found["least"])
    return block(figures, EXTRA_STEPS, table(
        [["against the best peer", "geometric mean", "worst", "worst p99", "runs below 0.95"], *rows]),
        "Rows below 0.95, each with its worst run: " + ", ".join(
            f"`{name}` {least:.2f}" for name, least in sorted(behind.items(), key=lambda one: one[1])) + "."
        if behind else "", luck(figures), recovered(figures))


def luck(figures):
    found = figures["steps"].get("sim-luck", {}).get("results")
    return found and (
        f"Luck: {100 * found['below']:.1f} % of the runs are below 0.9 of the best peer's mean. Of thirty seeds the "
        f"third-worst is {found['gmean_of_tenths']:.3f} in the geometric mean of the rows, and "
        f"{found['worst_tenth']:.3f} in the worst one, `{found['worst_tenth_of']}`. The worst run is "
        f"{found['worst']:.3f}, of `{found['worst_of']}`.")


def recovered(figures):
    found = figures["steps"].get("sim-recover", {}).get("results")
    return found and (
        f"From wrong states: {100 * found['soon']:.1f} % of {found['of']} runs are as usual within 5 s; "
        + (f"{found['never']} never were, in the 20 s measured." if found["never"] else
           f"the last one took {found['worst_s']:.1f} s."))


OPERATION_STEPS = ["sim-by-operation-0", "sim-by-operation-1"]


def operations(figures):
    """Throughput as a part of the bound of one that knows the operation."""
    off, on = (part(figures, step, "operations") for step in OPERATION_STEPS)
    return block(figures, OPERATION_STEPS, table([["", "best peer", "by_operation 0", "by_operation 1"]] + [
        [f"`{name}`", f"{row['best']:.2f}", f"{row['ours']:.2f}", f"{on[name]['ours']:.2f}"]
        for name, row in off.items() if name in on]))


def behind(figures):
    """Rows that are clearly behind the best peer, with the bound that no selector can exceed."""
    return block(figures, ["sim"], table([["", "best peer", "latency-weighted", "of the best peer"]] + [
        [f"`{name}`", f"{row['best']:.2f}", f"{row['ours']:.2f}", f"{row['ours'] / row['best']:.2f}"]
        for name, row in part(figures, "sim", "behind").items()]))


def reactions(figures):
    found = part(figures, "sim", "reactions")
    names = list(next(iter(found.values()), {}))
    return block(figures, ["sim"], table([["left after / back after, ms", *names]] + [
        [event, *(" / ".join("-" if value is None else f"{value:.0f}" for value in by_selector[name])
                  for name in names)] for event, by_selector in found.items()]))


def variants(figures):
    """Of each list geometric mean / worst / misses."""
    found = figures["steps"].get("sim-variants", {}).get("results", {})
    return block(figures, ["sim-variants"], table(
        [["", *SHOWN.values(), "least"]] + [[name, *(of_list(each.get(key)) for key in SHOWN), ", ".join(
            f"{scenario} {ratio:.2f}" for scenario, ratio in each["least"].items())] for name, each in found.items()]))


SHOWN = {"sim": "the 54", "random": "random", "noise": "noise"}


def of_list(found):
    if not found:
        return ""
    return f"{found['gmean']:.3f} / {found['worst']:.3f}" + (f" / {found['misses']:.4g}" if "misses" in found else "")
