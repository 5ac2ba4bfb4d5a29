"""docs/promises.md, made of the marks at the tests: `make promises` writes it, test_promises_page.py compares.

A mark is a comment: `promise SECTION/NAME: TEXT | by: HOW | check: WHEN | full: PARTS`. It stands directly above the test
that proves the promise, or above no function, if the whole file does. Other tests of the same promise have a mark without
text: `promise SECTION/NAME, SECTION/NAME`. Without `check:`, `make check` proves the whole promise.
"""
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/promises.md"
SUFFIXES = {".py", ".c", ".cc", ".pml"}
SECTIONS = {"steering": "Steering", "service": "Data and service", "memory": "Memory and concurrency", "numbers": "Numbers",
            "output": "Output and input", "lifecycle": "Coming and going", "tests": "Tests of the tests"}
KEY = rf"(?:{'|'.join(SECTIONS)})/[a-z0-9-]+"
MARK = re.compile(rf"^(?:#|//|/\*| \*).*?\bpromise ({KEY})(.*)$")
MORE = re.compile(r"^(?:#|//| \*) {2,}(.*)$")
COMMENT = re.compile(r"^(?:#|//|/\*| \*)")
FUNCTION = re.compile(r"^(?:def |(?:static |inline )*\w[\w ]*[ *])(\w+)\(")
FIELDS = "by", "check", "full"
HEAD = """# Promises

`make promises` writes this page, of the marks at the tests ([how](../tests/README.md#promises)).
"yes" under `check`: `make check` proves the whole promise, guest tests on 7.2. `check-full` names the parts of
`make check-full` that prove it on the other kernels.
"""


class Promise:
    """text, and the fields of a mark; places: where it is proven, in the order of the files."""
    def __init__(self):
        self.text, self.fields, self.places = None, {}, []


def marks(text):
    """[(first key, the words behind it, the lines below)]; continuation lines are indented within the comment."""
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        found = MARK.match(line)
        if found:
            words = [found[2].replace("*/", "").strip()]
            while number < len(lines) and MORE.match(lines[number]):
                words.append(MORE.match(lines[number])[1])
                number += 1
            yield found[1], " ".join(words), lines[number:]


def function_below(lines):
    """The name of the function to which the comments and decorators belong that begin here, or None."""
    for line in lines:
        found = FUNCTION.match(line)
        if found:
            return found[1]
        if not COMMENT.match(line) and not line.startswith("@"):
            return None
    return None


def read(files):
    """{key: Promise} of {path in tests: text}."""
    promises = {}
    for path, text in files.items():
        for key, rest, below in marks(text):
            place = path, function_below(below)
            others = re.fullmatch(rf"(?:, {KEY})*", rest)
            if not others and not rest.startswith(": "):
                raise ValueError(f"{path}: promise {key}: wanted ': TEXT' or more names, found {rest!r}")
            for one in [key, *re.findall(KEY, rest if others else "")]:
                promise = promises.setdefault(one, Promise())
                promise.places.append(place)
            if not others:
                say(promises[key], key, rest[2:], path)
    untold = [key for key, promise in promises.items() if not promise.text]
    if untold:
        raise ValueError(f"no text at any test for {', '.join(sorted(untold))}")
    return promises


def say(promise, key, text, path):
    if promise.text:
        raise ValueError(f"{path}: promise {key} has a text already at {promise.places[0][0]}")
    promise.text, *fields = text.split(" | ")
    for field in fields:
        name, _, value = field.partition(": ")
        if name not in FIELDS or not value:
            raise ValueError(f"{path}: promise {key}: {field!r} is none of {', '.join(FIELDS)}")
        promise.fields[name] = value


def proofs(promise):
    """The cell that says which tests, and how."""
    found = {}
    for path, function in promise.places:
        found.setdefault(path, []).append(function)
    told = []
    for path, functions in found.items():
        names = ", ".join(f"`{name}`" for name in functions if name)
        told.append(f"{names} in `{path}`" if names else f"`{path}`")
    return "; ".join(filter(None, ["; ".join(told), promise.fields.get("by")]))


def page(promises):
    text = HEAD
    for section, title in SECTIONS.items():
        text += f"\n## {title}\n\n| promise | test | `check` | `check-full` |\n|---|---|---|---|\n"
        for key in sorted(key for key in promises if key.startswith(section + "/")):
            one = promises[key]
            cells = [one.text, proofs(one), one.fields.get("check", "yes"), one.fields.get("full", "")]
            text += f"| {' | '.join(cells)} |\n".replace("|  |", "| |")
    return text


def of_the_tests():
    here = ROOT / "tests"
    return read({str(path.relative_to(here)): path.read_text() for path in sorted(here.rglob("*")) if path.suffix in SUFFIXES})


if __name__ == "__main__":
    PAGE.write_text(page(of_the_tests()))
