"""I/Os counted by latency: percentiles, and a picture."""
import math
from dataclasses import dataclass, field
from typing import Dict, Optional, Tuple

# Per mille, by the name of the value.
PERCENTILES = {"p50_us": 500, "p90_us": 900, "p99_us": 990, "p999_us": 999}
# Parts of a power of two that the finest picture has.
FINEST = 8
# Parts that make a row of a picture; with the last one, all that the kernel can count is in two.
SIZES = tuple(1 << power for power in range(9))

Borders = Tuple[float, Optional[float]]         # in us; the last bucket has None above


@dataclass(frozen=True)
class Histogram:
    """I/Os by bucket; those whose requests have no time stamps are in none."""
    counts: Dict[Borders, int] = field(default_factory=dict)
    unstamped: int = 0

    @property
    def stamped(self):
        return sum(self.counts.values())

    @property
    def ios(self):
        return self.stamped + self.unstamped

    def buckets(self):
        """((from, below), I/Os) of those that have any, in order."""
        return sorted(((borders, count) for borders, count in self.counts.items() if count),
                      key=lambda bucket: bucket[0][0])

    def since(self, before):
        """Counts since `before`; all of them if it was restarted meanwhile."""
        if before is None or self.has_restarted(before):
            return self
        return Histogram({borders: count - before.counts.get(borders, 0)
                          for borders, count in self.counts.items()},
                         self.unstamped - before.unstamped)

    def has_restarted(self, before):
        """Counts only grow, otherwise."""
        return self.unstamped < before.unstamped or any(
            self.counts.get(borders, 0) < count for borders, count in before.counts.items())

    def __add__(self, other):
        """The histogram of both together."""
        counts = dict(self.counts)
        for borders, count in other.counts.items():
            counts[borders] = counts.get(borders, 0) + count
        return Histogram(counts, self.unstamped + other.unstamped)

    def percentile(self, permille):
        """So long or less took `permille` of the I/Os, in us; None without any.

        The middle of its bucket: the error is at most half of its width. The beginning of
        the last bucket, which has no end.
        """
        rank = -(-self.stamped * permille // 1000)
        below = 0
        for (start, end), count in self.buckets():
            below += count
            if below >= rank:
                return start if end is None else (start + end) / 2
        return None

    def percentiles(self):
        return {name: self.percentile(permille) for name, permille in PERCENTILES.items()}

    def picture(self, most):
        """((from, below), I/Os) from the first bucket with I/Os to the last, in `most` rows or fewer.

        Rows are parts of powers of two, as buckets are, and as fine as they may be; what is
        between those with I/Os is one row.
        """
        found = self.buckets()
        for size in SIZES:
            rows = in_rows(found, size)
            if rows is not None and len(rows) <= most:
                return rows
        return []


def in_rows(found, size):
    """Rows of `size` parts each; None if a bucket is wider than its row."""
    rows = {}
    for (start, end), count in found:
        row = part_of(start) // size
        if end is not None and end > border((row + 1) * size):
            return None
        rows[row] = rows.get(row, 0) + count
    result = []
    for row, count in sorted(rows.items()):
        start = border(row * size)
        if result and result[-1][0][1] < start:
            result.append(((result[-1][0][1], start), 0))
        result.append(((start, border((row + 1) * size)), count))
    if any(end is None for (_, end), _ in found):
        (start, _), count = result.pop()
        result.append(((start, None), count))
    return result


def part_of(us):
    """Number of its part of a power of two, counted from 0 us."""
    if us < 1:
        return int(us * FINEST)
    power = math.frexp(us)[1] - 1
    return FINEST * (power + 1) + int((us / 2 ** power - 1) * FINEST)


def border(part):
    """Where the part begins, in us."""
    power, rest = divmod(part, FINEST)
    return 2 ** (power - 1) * (1 + rest / FINEST) if power else rest / FINEST
