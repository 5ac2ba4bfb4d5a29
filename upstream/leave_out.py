"""Leave names out of C as the kernel writes it: what defines one of them, and each statement that uses one.

A condition loses the operands that use one, an assignment to err its check; a block that keeps one statement loses
its braces, a comment goes with what it precedes. What this cannot take apart is an error.
"""
import re
from collections import Counter
from typing import Dict, Iterable, List, NamedTuple, Optional, Tuple

from .edits import NotFound

OPAQUE = re.compile(r'/\*.*?\*/|//[^\n]*|^#include[^\n]*|"(?:\\.|[^"\\\n])*"', re.DOTALL | re.MULTILINE)
CONTROL = re.compile(r"(?:\} )?(?:if|else|for|while|switch|do)\b|(?:lw_)?for_each_\w+\(")
CHECK = re.compile(r"\tif \(err\)\n\t\t(?:goto|return)\b[^;]*;\n")
LABEL = re.compile(r"^(?!default:)(\w+):\n", re.MULTILINE)
DECLARATION = re.compile(r"^\w[^\n=]*\b\w+\([^;{]*\);", re.MULTILINE)
FUNCTION = re.compile(r"^\w[^\n;{}=#]*?\b(\w+)\([^;{}]*\)(?=;|\n\{)", re.MULTILINE)
FIELD = re.compile(r"^\t[\w ]+[ *]+(\w+)(?:\[\w+\])?(?: ____cacheline_aligned)?;[ \t]*$", re.MULTILINE)
BLOCK = re.compile(r"^(\t+)((?:if|for|while|for_each_\w+) ?\([^\n]*\)) \{\n(\1\t\S[^\n]*;\n)\1\}\n(?!\1else)", re.MULTILINE)


def masked(text: str) -> str:
    """With spaces in place of comments and strings, but for names of headers."""
    def spaces(found):
        return found[0] if found[0].startswith("#include") else re.sub(r"[^\n]", " ", found[0])
    return OPAQUE.sub(spaces, text)


class Unit(NamedTuple):
    """A statement, the head of one, a label or a brace: its lines, and what they say."""
    first: int
    after: int
    code: str

    def ends(self, with_any_of: str) -> bool:
        return self.code.rstrip()[-1] in with_any_of

    def is_head(self) -> bool:
        return bool(CONTROL.match(self.code.strip())) and not self.ends(";{}")


class Source:
    """The lines of a file, and the same without comments."""

    def __init__(self, text: str) -> None:
        self.lines = text.splitlines(keepends=True)
        self.code = masked(text).splitlines(keepends=True)

    def without(self, first: int, after: int) -> str:
        """Without these lines, the comment directly before them, and the rest of one that begins there."""
        while self.lines[after - 1].rfind("/*") > self.lines[after - 1].rfind("*/"):
            after += 1
        while first and not self.code[first - 1].strip() and self.lines[first - 1].strip():
            first -= 1
            if self.lines[first].lstrip().startswith("/*"):
                break
        return "".join(self.lines[:first] + self.lines[after:])

    def directive(self, at: int) -> Tuple[int, int]:
        """Lines of a directive of the preprocessor, or of anything else that has backslashes."""
        first, after = at, at + 1
        while self.lines[first - 1].endswith("\\\n"):
            first -= 1
        while self.lines[after - 1].endswith("\\\n"):
            after += 1
        return first, after

    def construct(self, at: int) -> Tuple[int, int]:
        """Lines of what is declared or defined around this one."""
        first, depth = at, 0
        while first and (self.code[first][0] in " \t\n{}" or LABEL.match(self.code[first])):
            first -= 1
        for after in range(first, len(self.code)):
            depth += self.code[after].count("{") - self.code[after].count("}")
            if depth == 0 and re.search(r"[;}]\s*$", self.code[after]):
                return first, after + 1
        raise NotFound(f"no end of {self.lines[first].strip()!r}")

    def units(self, first: int, after: int) -> List[Unit]:
        found, code = [], ""
        for at in range(first, after):
            if not self.code[at].strip():
                continue
            begin = begin if code else at
            code += self.code[at]
            unit = Unit(begin, at + 1, code)
            if code.count("(") == code.count(")") and (unit.ends(";{}:") or unit.is_head() and
                                                       (unit.ends(")") or code.strip() == "else")):
                found.append(unit)
                code = ""
        return found


def fewer(text: str, gone, separators: List[str]) -> Optional[str]:
    """Without the operands that use a name; None if all do, or none does."""
    parts, depth = [""], 0
    for at, char in enumerate(text):
        depth += (char in "([{") - (char in ")]}")
        if depth == 0 and any(text.startswith(one, at) for one in separators):
            parts.append("")
        parts[-1] += char
    kept = [part for part in parts if not gone.search(part)]
    if not kept or len(parts) == len(kept):
        return None
    return re.sub(r"^\s*(?:\|\||&&|,)?\s*", "", "".join(kept)).rstrip()


def reduced(code: str, gone) -> Optional[str]:
    """A condition without some operands, a declaration without some variables; None if that is not all."""
    for pattern, separators in [(r"(\s*(?:\} )?(?:else )?(?:if|while) \()(.*)(\)(?: \{)?\n)$", [" ||", " &&"]),
                                (r"(\s*return )(.*)(;\n)$", [" ||", " &&"]),
                                (r"(\s*(?:const |unsigned |struct |enum )*\w+ \**)(.*)(;\n)$", [","])]:
        found = re.match(pattern, code, re.DOTALL)
        kept = fewer(found[2], gone, separators) if found and not gone.search(found[1]) else None
        if kept:
            return found[1] + kept + found[3]
    return None


def without_statement(source: Source, units: List[Unit], at: int, gone) -> str:
    unit, begin, end = units[at], at, at
    if source.lines[unit.first:unit.after] == source.code[unit.first:unit.after]:   # no comment within
        kept = reduced(unit.code, gone)
        if kept:
            return "".join(source.lines[:unit.first] + [kept] + source.lines[unit.after:])
    while units[end].is_head():                                         # its body goes, too
        end += 1
    depth = units[end].code.count("{") - units[end].code.count("}")
    while depth > 0:
        end += 1
        depth += units[end].code.count("{") - units[end].code.count("}")
    while begin and units[begin - 1].is_head():                         # and the head, if it is the body
        begin -= 1
    if end + 1 < len(units) and units[end + 1].code.strip() == "else":
        raise NotFound(f"an else after {unit.code.strip()!r}")
    first, after = units[begin].first, units[end].after
    if unit.code.strip().startswith("err = ") and CHECK.match("".join(source.lines[after:after + 2])):
        after += 2
    return source.without(first, after)


def without_first(text: str, gone) -> Optional[str]:
    """Without the first use of a name; None if there is none."""
    source = Source(text)
    at = next((at for at, line in enumerate(source.code) if gone.search(line)), None)
    if at is None:
        return None
    first, after = source.directive(at)
    if source.code[first].startswith("#") or after - first > 1:
        return "".join(source.lines[:first] + source.lines[after:])
    first, after = source.construct(at)
    head, brace, _ = "".join(source.code[first:after]).partition("{")
    if not brace or gone.search(head):
        return source.without(first, after)
    if re.match(r"(?:struct|enum|union) \w+ $", head):
        last = next(line for line in range(at, after) if re.search(r"[;,]\s*$", source.code[line]))
        return source.without(at, last + 1)
    units = source.units(first + head.count("\n") + 1, after - 1)
    index = next(index for index, unit in enumerate(units) if unit.first <= at < unit.after)
    return BLOCK.sub(r"\1\2\n\3", without_statement(source, units, index, gone))


def any_of(names: Iterable[str]) -> re.Pattern:
    """Finds these names, each a word or an expression."""
    return re.compile("|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in sorted(names)))


def left_out(text: str, names: Iterable[str]) -> str:
    """Without these names, and without labels that nothing goes to."""
    gone = any_of(names)
    shorter: Optional[str] = text
    while shorter is not None:
        text, shorter = shorter, without_first(shorter, gone)
    return LABEL.sub(lambda found: found[0] if f"goto {found[1]};" in text else "", text)


def declared(text: str) -> List[str]:
    """What a header gives: functions, tags, macros and enumerators."""
    code = masked(text)
    found = FUNCTION.findall(code) + re.findall(r"^(?:struct|enum) (\w+) \{", code, re.MULTILINE)
    found += re.findall(r"^#define (lw_\w+|LW_\w+)", code, re.MULTILINE)
    for body in re.findall(r"^enum \w+ \{\n(.*?)^\}", code, re.MULTILINE | re.DOTALL):
        found += re.findall(r"^\t(\w+)", body, re.MULTILINE)
    return found


def unused(texts: Iterable[str]) -> List[str]:
    """Functions, tags and fields that are there once, but for declarations."""
    code = "\n".join(map(masked, texts))
    counts: Dict[str, int] = Counter(re.findall(r"\w+", DECLARATION.sub("", code)))
    names = re.findall(r"^\w[^\n;{}=]*?\b(lw_\w+)\(", code, re.MULTILINE) + FIELD.findall(code)
    names += re.findall(r"^struct (\w+);", code, re.MULTILINE)
    return sorted({name for name in names if counts[name] <= 1})
