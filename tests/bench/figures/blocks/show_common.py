"""What the blocks share: which steps they show, of which commits, and numbers as text."""
from tests.bench.figures import store
from tests.bench.figures.markdown import table
from tests.bench.selectors import ordered

FEW = 4         # steps that are named; of more their number


def results(figures, prefix, kind=None):
    """{step: results} of those whose names begin so, in the steps' order."""
    return {name: step["results"] for name, step in figures["steps"].items()
            if name.startswith(prefix) and (kind is None or kind(step["results"]))}


def provenance(figures, steps):
    """A sentence for the top of a block."""
    found = store.commits(figures, steps)
    if not found:
        return "*Not measured yet.*"
    if len(found) == 1:
        ((commit, names),) = found.items()
        return f"*Measured at {commit}, {dates(figures, names)}.*"
    return "*Measured at " + "; ".join(
        f"{commit}, {dates(figures, names)}: {named(names)}"
        for commit, names in found.items()) + ".*"


def named(names):
    return ", ".join(names) if len(names) <= FEW else f"{len(names)} steps"


def dates(figures, names):
    found = sorted({figures["steps"][name]["date"] for name in names})
    return found[0] if len(found) == 1 else f"{found[0]} to {found[-1]}"


def block(figures, steps, *parts):
    """The sentence, and the parts if anything was measured."""
    shown = parts if store.commits(figures, steps) else ()
    return "\n\n".join([provenance(figures, steps), *(part for part in shown if part)])


def number(value, digits=0):
    return "" if value is None else f"{value:.{digits}f}"


def shown(row, name):
    """IOPS / p99 in ms."""
    return f"{row['iops'][name]:.0f} / {row['p99_ms'][name]:.1f}" if name in row["iops"] else ""


def columns(rows):
    return ordered({name for row in rows for name in row["iops"]})


def mark(met):
    return "met" if met else "**missed**"


__all__ = ["block", "columns", "mark", "number", "provenance", "results", "shown", "table"]
