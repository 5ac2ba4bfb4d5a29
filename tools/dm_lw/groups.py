"""Rows of paths, grouped by map, target port or HBA, with the sums of each group."""
from . import disks
from .columns import GROUPS, MAP
from .maps import DISK, FAILED, NOT_USED

SUMS = ("ios_per_s", "read_bytes_per_s", "write_bytes_per_s", "disk_reads_per_s", "disk_writes_per_s",
        "share_percent", "inflight")
# Columns that are means of I/Os, and their numbers of I/Os.
MEANS = {"latency_us": "ios_per_s", "read_latency_us": "disk_reads_per_s", "write_latency_us": "disk_writes_per_s"}


def grouped(found, by):
    """Lists of rows by the name of their map, port or HBA, in the order of the first row of each."""
    groups = {}
    for row in found:
        groups.setdefault(row.get(GROUPS[by]), []).append(row)
    return groups


def rows_by(found, by):
    """A row for each group, by name; paths to an unknown port come last."""
    return [dict(totals(paths), **{GROUPS[by]: name}) for name, paths in
            sorted(grouped(found, by).items(), key=lambda each: (each[0] is None, each[0] or ""))]


def of_each_map(shown, found):
    """(heading, rows) of each map, the first row being of all its paths, shown or not."""
    paths = grouped(found, MAP)
    for dm, part in grouped(shown, MAP).items():
        yield "%s  %s" % (part[0]["map"], dm), [dict(totals(paths[dm]), path="all"), *part]


def totals(paths):
    """Sums of known values, and means of the I/Os of all paths."""
    known = {key: [row[key] for row in paths if row[key] is not None] for key in SUMS}
    sums = {key: sum(values) for key, values in known.items() if values}
    means = {key: mean([(row[key], row[count]) for row in paths]) for key, count in MEANS.items()}
    moved = together(sums, "read_bytes_per_s", "write_bytes_per_s")
    states = [row["state"] for row in paths if row["state"]]
    # Other selectors do not judge.
    judged = [row["state"] for row in paths if row["state"] and row["latency_source"] != DISK]
    return dict(sums, **means, bytes_per_s=moved, paths=len(paths),
                io_bytes=moved and disks.by(moved, together(sums, "disk_reads_per_s", "disk_writes_per_s")),
                slow=sum(state in NOT_USED for state in judged) if judged else None,
                failed=states.count(FAILED) if states else None)


def together(sums, *keys):
    return sum(sums[key] for key in keys) if set(keys) <= set(sums) else None


def mean(values):
    """Of (value, how many have it); None if nothing is known."""
    known = [(value, count) for value, count in values if value and count]
    return disks.by(sum(value * count for value, count in known), sum(count for _, count in known))
