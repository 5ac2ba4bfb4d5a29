"""Write what documents, completion and dm-lw have from tables: `make tables`; with --check only compare."""
import sys
from pathlib import Path
from typing import Callable, Dict

from tools.dm_lw.values import VALUES
from tools.dm_lw.version import VERSION

from . import options, pages

TOP = Path(__file__).resolve().parents[2]


def written() -> Dict[str, Callable[[str], str]]:
    """What makes the new text of each file of the old one."""
    tunables = options.read()
    columns = [pages.Column(value.column, value.header, value.help, value.words) for value in VALUES if value.column]
    words = {"map_keys": [each.name for each in tunables], "column_names": [each.name for each in columns]}
    return {
        "docs/ABI/testing/sysfs-kernel-dm-latency-weighted": lambda text: pages.abi(text, tunables, VERSION),
        "docs/latency-weighted.rst": lambda text: pages.rst(text, tunables),
        "tools/dm-lw.8": lambda text: pages.man(text, tunables, columns),
        "tools/dm_lw/option_table.py": lambda text: pages.python(text, tunables),
        "tools/completion/dm-lw": lambda text: pages.completion(text, **words),
        "tools/completion/_dm-lw": lambda text: pages.completion(text, **words),
    }


def main() -> int:
    if sys.argv[1:] not in ([], ["--check"]):
        print(f"usage: python3 -m tools.tables [--check]; not {' '.join(sys.argv[1:])}", file=sys.stderr)
        return 2
    stale = []
    try:
        for name, make in written().items():
            path = TOP / name
            old = path.read_text() if path.exists() else ""
            try:
                new = make(old)
            except pages.Moved as error:
                raise ValueError(f"{path}: {error}") from None
            if new != old:
                stale.append(name)
                if not sys.argv[1:]:
                    path.write_text(new)
    except (OSError, ValueError) as error:
        print(f"tables: {error}", file=sys.stderr)
        return 1
    for name in stale:
        print(f"{name}: {'is not as the tables say: make tables' if sys.argv[1:] else 'written'}")
    return 1 if stale and sys.argv[1:] else 0


if __name__ == "__main__":
    sys.exit(main())
