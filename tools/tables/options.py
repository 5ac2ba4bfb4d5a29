"""The tunables of a map as src/option_defs.h has them. Guests read it, too: Python 3.9."""
import re
from pathlib import Path
from typing import Dict, List, NamedTuple, Tuple, Union

FILE = Path(__file__).resolve().parents[2] / "src/option_defs.h"
UNITS = {"none": "", "ms": "ms", "percent": "%", "KiB": "KiB"}
STRING = r'"(?:[^"\\\n]|\\.)*"'
ROW = re.compile(r"(?:/\*((?:(?!\*/).)*)\*/\n)?^LW_(OPTION|CHOICE)\((.*?)\)$", re.S | re.M)
FIELDS = {"OPTION": rf"(\w+), (\d+), (\d+), (\d+), (\w+),\s*((?:{STRING}\s*)+)$",
          "CHOICE": rf'(\w+), (\w+),\s*((?:{STRING}\s*)+),\s*((?:\[\w+\] = {STRING},?\s*)+)$'}


class Option(NamedTuple):
    name: str
    limits: Tuple[Union[int, str], ...]     # least and most; or all words
    default: Union[int, str]
    unit: str                               # "" for none
    text: str                               # a sentence without its full stop
    more: str                               # text that only docs/ABI has; may be empty

    @property
    def is_word(self) -> bool:
        return isinstance(self.default, str)


def read(path: Path = FILE) -> List[Option]:
    """All rows, in their order; ValueError names a row that cannot be read."""
    text = path.read_text()
    rows = ROW.findall(text.split("\n#undef")[0])
    count = len(re.findall(r"^LW_\w+\(", text, re.M))
    if not rows or len(rows) != count:
        raise ValueError(f"{path}: {len(rows)} of {count} rows are LW_OPTION(...) or LW_CHOICE(...)")
    options = [option(path, *row) for row in rows]
    names = [each.name for each in options]
    if len(set(names)) < len(names):
        raise ValueError(f"{path}: an option is there twice: {', '.join(names)}")
    return options


def option(path: Path, comment: str, kind: str, row: str) -> Option:
    more = " ".join(re.sub(r"^ ?\*", "", comment, flags=re.M).split())
    found = re.match(FIELDS[kind], row, re.S)
    if not found:
        raise ValueError(f"{path}: cannot read the row LW_{kind}({row})")
    if kind == "CHOICE":
        name, default, text, words = found.groups()
        by_value = dict(re.findall(r'\[(\w+)\] = "(.*?)"', words))
        if default not in by_value:
            raise ValueError(f"{path}: {name}: no word is the default, {default}")
        return Option(name, tuple(by_value.values()), by_value[default], "", plain(text), more)
    name, least, most, default, unit, text = found.groups()
    if unit not in UNITS:
        raise ValueError(f"{path}: {name}: unit {unit} is none of {', '.join(UNITS)}")
    if not int(least) <= int(default) <= int(most):
        raise ValueError(f"{path}: {name}: the default {default} is not from {least} to {most}")
    return Option(name, (int(least), int(most)), int(default), UNITS[unit], plain(text), more)


def plain(literals: str) -> str:
    """Of adjacent string literals of C."""
    return re.sub(r"\\(.)", r"\1", "".join(literal[1:-1] for literal in re.findall(STRING, literals)))


def defaults(options: List[Option]) -> Dict[str, Union[int, str]]:
    return {each.name: each.default for each in options}
