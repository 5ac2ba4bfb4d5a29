"""Records of runs: put together, held against each other, shown."""
from typing import Dict, Iterable, List, Tuple

from tests.bench.ratios import against_peers, gmean
from tests.bench.records import Record

from .cases import CASES
from .exact_plan import SELECTORS

Key = Tuple[int, int, int]
KEYS = ["case", "depth", "selector"]  # by which a record is found
MARK = 0.98  # of the best peer's throughput, in every row


def place(record: Record) -> Key:
    """Where it stands in the table."""
    return (list(CASES).index(record["case"]), record["depth"], SELECTORS.index(record["selector"]))


def merged(old: Iterable[Record], new: Iterable[Record]) -> List[Record]:
    """In the table's order; of two records of one row and selector the new one counts."""
    known = [record for record in old
             if record["case"] in CASES and record["depth"] in CASES[record["case"]].depths]
    return [record for _, record in
            sorted({place(record): record for record in [*known, *new]}.items())]


def rows(records: Iterable[Record]) -> Dict[Tuple[str, int], Dict[str, Record]]:
    """By case and depth: the record of each selector."""
    found: Dict[Tuple[str, int], Dict[str, Record]] = {}
    for record in records:
        found.setdefault((record["case"], record["depth"]), {})[record["selector"]] = record
    return found


def ratios(records: Iterable[Record]) -> Dict[Tuple[str, int], float]:
    """Our throughput against the best peer's, in the rows that have both."""
    found = {row: against_peers(by_selector) for row, by_selector in rows(records).items()}
    return {row: ratio for row, ratio in found.items() if ratio is not None}


def table(records: Iterable[Record]) -> str:
    lines = [f"{'paths':20} depth {'selector':24} {'IOPS':>7} {'mean ms':>8} {'p50 ms':>8} {'p99 ms':>8} "
             f"{'CPU':>4}  shares, %"]
    for record in records:
        shares = " ".join(f"{100 * share:5.1f}" for share in record["shares"])
        lines.append(
            f"{record['case']:20} {record['depth']:5} {record['selector']:24} {record['iops']:7.0f} "
            f"{record['mean_us'] / 1000:8.2f} {record['p50_us'] / 1000:8.2f} "
            f"{record['p99_us'] / 1000:8.2f} {100 * record['cpu_busy']:4.0f}  {shares}")
    return "\n".join(lines)


def report(records: Iterable[Record]) -> str:
    """The table, and the rows in which we miss the mark."""
    ordered = merged([], records)
    missed = [f"below {MARK} of the best peer: {case}, depth {depth}: {ratio:.3f}"
              for (case, depth), ratio in ratios(ordered).items() if ratio < MARK]
    return "\n".join([table(ordered), *missed])


def verdict(records: Iterable[Record]) -> str:
    """The line for machines, of records that can be compared; of what only ours is told, apart."""
    found: Dict[str, List[float]] = {"": [], "by_operation_": []}
    for (case, _), ratio in ratios(records).items():
        found["by_operation_" if CASES[case].arguments else ""].append(ratio)
    return " ".join(["exact:", *(f"{which}gmean={gmean(part):.3f} {which}worst={min(part):.3f}"
                                 for which, part in found.items() if part)])
