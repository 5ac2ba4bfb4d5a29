"""A document of dm-lw bench as text."""
from .. import table
from ..columns import Column, one_place, two_places
from ..live_tables import SELECTOR

OWN = " *"


def whole(value):
    return "%.0f" % value


def from_to(pair):
    return "%.0f-%.0f" % tuple(pair)


def per_cent(part):
    return "%.0f" % (100 * part)


def per_cents(parts):
    return " ".join("%.1f" % (100 * part) for part in parts)


COLUMNS = (
    Column("selector", "selector", "selector", "", text=True),
    Column("iops", "iops", "IOPS", "", whole),
    Column("spread", "iops_spread", "min-max", "", from_to),
    Column("mib_s", "mib_s", "MiB/s", "", one_place),
    Column("mean", "mean_us", "mean us", "", whole),
    Column("p50", "p50_us", "p50", "", whole),
    Column("p99", "p99_us", "p99", "", whole),
    Column("p999", "p999_us", "p99.9", "", whole),
    Column("iops_ratio", "iops_ratio", "x IOPS", "", two_places),
    Column("p99_ratio", "p99_ratio", "x p99", "", two_places),
    Column("cpu", "cpu", "CPU %", "", per_cent),
)


def text(document):
    """Table after table, a job each."""
    for name, what in document["jobs"].items():
        rows = [flat(row, document) for row in document["results"] if row["scenario"] == name]
        if rows:
            shares = Column("shares", "shares", "%% on %s" % " ".join(document["paths"]), "",
                            per_cents)
            yield ""
            yield "%s: %s" % (name, what)
            yield from table.lines(COLUMNS + (shares,), rows)
            yield from verdicts(rows, document["own_selector"])
    yield ""
    yield "%s; * the map's own selector, to which the ratios are." % counted_runs(document["repeat"])


def counted_runs(count):
    return "One run of each" if count == 1 else "Medians of the runs (%d of each, if not cut short)" % count


def verdicts(rows, own):
    """A sentence that tells the ratios of latency-weighted; none if the map has it already."""
    for row in rows:
        told = ["%s %.2f times" % (figure, row[key]) for figure, key in (("IOPS", "iops_ratio"), ("p99", "p99_ratio"))
                if row[key] is not None]
        if row["selector"].split()[0] == SELECTOR != own.split()[0] and told:
            yield "%s: %s what %s has" % (row["selector"], ", ".join(told), own)


def flat(row, document):
    own = OWN if row["selector"] == document["own_selector"] else ""
    return dict(row, selector=row["selector"] + own, iops_spread=row["spread"]["iops"],
                iops_ratio=row["ratio"]["iops"], p99_ratio=row["ratio"]["p99_us"])
