"""A copy of the module's sources with definitions of our own: in C, in place of those of the same name.

A definition is a function or a #define. If a new function calls NAME_as_it_is(), the module's own is there under
that name. So no text of the module is repeated, and the compiler says whether a definition still fits.
"""
import re
import shutil
from pathlib import Path
from typing import Dict

HEAD = r"^\w[^\n;{}=#]*?\b%s\([^;{}]*\)\n"
FUNCTION = HEAD + r"\{\n(?:(?!\}).*\n)*\}\n"
MACRO = r"^#define %s\b(?:.*\\\n)*.*\n"
ANY = re.compile(MACRO % r"(\w+)" + "|" + FUNCTION % r"(\w+)", re.MULTILINE)


class Misfit(LookupError):
    """The sources have no such definition or text, or more than one."""


def sections(text: str, word: str) -> Dict[str, str]:
    """What follows each comment `/* WORD: NAME */` of a C file, by name."""
    parts = re.split(rf"^/\* {word}: (.*) \*/\n", text, flags=re.MULTILINE)
    found = dict(zip(parts[1::2], parts[2::2]))
    if 2 * len(found) + 1 != len(parts):
        raise Misfit(f"a {word} stands there twice")
    return found


def only_place(source: Path, pattern: str, what: str) -> Path:
    found = [path for path in sorted(source.rglob("*.[ch]"))
             for _ in re.findall(pattern, path.read_text(), re.MULTILINE)]
    if len(found) != 1:
        raise Misfit(f"{len(found)} times in {source.name}/, not once: {what}")
    return found[0]


def redefine(source: Path, name: str, definition: str) -> None:
    is_macro = definition.startswith("#")
    pattern = (MACRO if is_macro else FUNCTION) % name
    path = only_place(source, pattern, name)
    text = path.read_text()
    old = re.search(pattern, text, re.MULTILINE)
    kept = f"{name}_as_it_is"
    before = re.sub(rf"\b{name}\b", kept, old[0], count=1) + "\n" if kept in definition else ""
    path.write_text(text[:old.start()] + before + definition + text[old.end():])


def replace(source: Path, old: str, new: str) -> None:
    path = only_place(source, re.escape(old), repr(old))
    path.write_text(path.read_text().replace(old, new))


def copied(source: Path, copy: Path, code: str = "", *texts) -> Path:
    """The copy, with the definitions of `code`, and pairs of texts replaced where there is no function to redefine."""
    if copy.exists():
        shutil.rmtree(copy)
    shutil.copytree(source, copy)
    for found in ANY.finditer(code):
        redefine(copy, found[1] or found[2], found[0])
    left = re.sub(r"\s|/\*.*?\*/", "", ANY.sub("", code), flags=re.DOTALL)
    if left:
        raise Misfit(f"neither a function nor a macro: {left}")
    for old, new in texts:
        replace(copy, old, new)
    return copy
