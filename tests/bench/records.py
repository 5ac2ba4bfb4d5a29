"""What runs recorded: a line of JSON for each figure."""
import json
from pathlib import Path
from typing import Dict, List

Record = Dict[str, object]


def read_records(path: Path) -> List[Record]:
    return [json.loads(line) for line in path.read_text().splitlines()]
