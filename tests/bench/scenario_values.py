"""Values in scenario files: what each may be, and one line that says so of anything else."""
import shlex
from dataclasses import MISSING, dataclass, fields
from typing import Dict, List

from tests.lib.options import DEFAULTS, OPTIONS, WORDS

TYPES = {"str": (str, "text"), "int": (int, "a whole number"), "float": ((int, float), "a number"),
         "bool": (bool, "true or false"), "List": (list, "a list"), "Dict": (dict, "a table")}
MOST_SHOWN = 60         # characters of a value, in a line that refuses it


class ScenarioError(ValueError):
    """What is wrong with a file, and where in it."""


@dataclass(frozen=True)
class Range:
    """The numbers that are allowed."""
    least: float
    most: float
    whole: bool = False

    def __contains__(self, value: object) -> bool:
        kinds = int if self.whole else (int, float)
        return isinstance(value, kinds) and not isinstance(value, bool) and self.least <= value <= self.most

    def __str__(self) -> str:
        return f"a {'whole ' if self.whole else ''}number from {self.least} to {self.most}"


def shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= MOST_SHOWN else text[:MOST_SHOWN] + "..."


def check_keys(where: str, table: object, known: List[str], needed: List[str] = []) -> None:
    if not isinstance(table, dict):
        raise ScenarioError(f"{where}: a table is wanted, not {shown(table)}")
    for key in table:
        if key not in known:
            raise ScenarioError(f"{where}: unknown key {shown(key)}; known are {', '.join(known)}")
    for key in needed:
        if key not in table:
            raise ScenarioError(f"{where}: {key!r} is missing")


def build(kind: type, where: str, table: object, **given: object):
    """A dataclass from the file's table; types that TOML has are checked, `given` ones are not."""
    known = {each.name: each for each in fields(kind) if each.name not in given}
    needed = [name for name, each in known.items()
              if each.default is MISSING and each.default_factory is MISSING]
    check_keys(where, table, list(known), needed)
    for key, value in table.items():
        wanted, name = TYPES.get(getattr(known[key].type, "__name__", ""), (object, ""))
        if not isinstance(value, wanted) or (name and isinstance(value, bool) != (wanted is bool)):
            raise ScenarioError(f"{where}: {key} = {shown(value)} is of the wrong type; {name} is wanted")
    return kind(**table, **given)


def one_of(where: str, value: object, choices: List[object]) -> None:
    if value not in choices:
        raise ScenarioError(f"{where}: {shown(value)} is none of {', '.join(map(str, choices))}")


def check_number(where: str, key: str, value: object, allowed: Range) -> None:
    if value not in allowed:
        raise ScenarioError(f"{where}: {key} = {shown(value)} is not {allowed}")


def check_numbers(where: str, table: Dict[str, object]) -> None:
    """Where there is no most."""
    for key, value in table.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < float("inf"):
            raise ScenarioError(f"{where}: {key} = {shown(value)} is not a number from 0 on")


def check_options(where: str, table: Dict[str, object]) -> None:
    """latency-weighted's arguments in a table line."""
    check_keys(where, table, list(DEFAULTS))
    for key, value in table.items():
        if key in WORDS:
            one_of(f"{where}: {key}", value, WORDS[key])
        else:
            least, most, _ = OPTIONS[key]
            check_number(where, key, value, Range(least, most, whole=True))


def check_depths(where: str, depths: object) -> None:
    allowed = Range(1, 1024, whole=True)
    if not isinstance(depths, list) or not depths or not all(depth in allowed for depth in depths) \
            or depths != sorted(set(depths)):
        raise ScenarioError(f"{where}: depths are a rising list of numbers from 1 to 1024, not {shown(depths)}")


def check_arguments(where: str, arguments: str) -> None:
    try:
        shlex.split(arguments)
    except ValueError as error:
        raise ScenarioError(f"{where}: {shown(arguments)}: {error}") from None


def check_fio_options(where: str, table: object, taken: List[str]) -> None:
    """fio itself refuses those that it does not know; `taken` ones would be at odds with ours."""
    if not isinstance(table, dict):
        raise ScenarioError(f"{where}: a table of fio's options is wanted, not {shown(table)}")
    for key, value in table.items():
        if key in taken:
            raise ScenarioError(f"{where}: {key} = {shown(value)}: the suite itself gives fio its {key}")
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            raise ScenarioError(f"{where}: {key} = {shown(value)} is neither text nor a number")
