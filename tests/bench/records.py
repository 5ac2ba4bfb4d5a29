"""What runs recorded: a line of JSON for each figure."""
import json
from pathlib import Path
from typing import Dict, Iterable, List

Record = Dict[str, object]


def read_records(path: Path) -> List[Record]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def read_list(path: Path, keys: Iterable[str]) -> List[Record]:
    """What a benchmark kept as one list; ValueError if the file has something else."""
    try:
        found = json.loads(path.read_text())
    except ValueError as error:
        raise ValueError(f"{path} is not JSON: {error}") from None
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise ValueError(f"{path} is not a list of records, as a run leaves it")
    for number, record in enumerate(found):
        missing = [key for key in keys if key not in record]
        if missing:
            raise ValueError(f"{path}: record {number} has no {missing[0]!r}, as those of a run have")
    return found


def prepare_file(path: Path) -> None:
    """Where results will go: what is wrong with it is told before anything runs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and not path.is_file():
        raise ValueError(f"{path} is not a regular file")
