"""Figures in what people wrote, which nobody would notice growing old.

Outside generated blocks, a number with a decimal fraction or with one of UNITS has to have a
marker, or it has to be allowed: by allowed.toml, which tells why, or as history, in a paragraph,
list item or row that names the commit it is of: one that git knows.
"""
import re
import tomllib
from pathlib import Path

from tests.lib.commit import git
from tests.vm.places import CHECKOUT

from .markers import without

ALLOWED = Path(__file__).parent / "allowed.toml"
UNITS = r"(?: ?(?:%|per cent\b|IOPS\b|MiB/s|KiB (?:a|each)\b|times\b|x\b))"
# Not versions of three numbers, nor parts of words and dates.
MEASURED = re.compile(rf"(?<![\w.:-])\d[\d,]*(?:\.\d+(?!\d|\.\d){UNITS}?|{UNITS})")
COMMIT = re.compile(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7}\b")
# Document: its sections that are looked at, None for all; and whether history is allowed.
CHECKED = {
    "README.md": (None, False),
    "docs/performance.md": (None, False),
    "docs/design.md": (None, False),
    "docs/rejected.md": (None, True),
    **{f"docs/decisions/{path.name}": (None, True) for path in sorted((CHECKOUT / "docs/decisions").glob("*.md"))},
    **{f"docs/figures/{path.name}": (None, False) for path in sorted((CHECKOUT / "docs/figures").glob("*.md"))},
    "docs/reliability.md": (["Figures"], False),
}


def allowed(file=ALLOWED):
    """{document: {text: reason}}"""
    return tomllib.loads(file.read_text())


def sections(text, titles):
    """[(number of the first line, text)] of the sections with these titles; all of it for None."""
    if titles is None:
        return [(1, text)]
    found, number = [], 1
    for part in re.split(r"^(?=## )", text, flags=re.M):
        if part[3:].split("\n")[0] in titles:
            found.append((number, part))
        number += part.count("\n")
    if len(found) != len(titles):
        raise ValueError(f"not all of these are sections: {titles}")
    return found


def paragraphs(text):
    """[(number of the line, text)]: what stands together; a row of a table and a list item for itself."""
    found, number = [], 1
    for part in re.split(r"(\n(?=\n|\||- |\d+\. ))", text):
        found.append((number, part))
        number += part.count("\n")
    return found


def is_history(paragraph, known):
    """Whether it names a commit, and, if git knows the commits of this document, none that is not there."""
    named = COMMIT.findall(paragraph)
    return bool(named) and (not known or all(map(is_commit, named)))


def knows_commits(text):
    """A tarball has none, even within another project's repository; a shallow clone lacks some, a squashed history all."""
    return (git("rev-parse", "--is-shallow-repository", "--show-prefix") == "false"
            and any(map(is_commit, COMMIT.findall(text))))


def is_commit(name):
    return bool(git("rev-parse", "--verify", "--quiet", name + "^{commit}"))


def pattern(exception):
    """Not within a longer number or word."""
    return re.compile(rf"(?<![\w.]){re.escape(exception)}(?!\w|\.\d)")


def unaccounted(text, titles, exceptions, history):
    """[(line, number as it is written)] of those that have no marker and are not allowed."""
    found, known = [], history and knows_commits(text)
    for first, section in sections(without(text), titles):
        for exception in sorted(exceptions, key=len, reverse=True):
            section = pattern(exception).sub("", section)
        for line, paragraph in paragraphs(section):
            if not (history and is_history(paragraph, known)):
                found += [(first + line - 1 + paragraph[:each.start()].count("\n"), each.group())
                          for each in MEASURED.finditer(paragraph)]
    return found
