"""Documents and comments name things: sentences that a reader has to solve are counted, and become fewer."""
import ast
import io
import re
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted({path for pattern in ("*.md", "contrib/*.md", "docs/**/*.md", "docs/*.rst", "tests/**/README.md",
                                         "tools/dm-lw.8") for path in ROOT.glob(pattern)})
COMMENTED = sorted({path for pattern in ("src/**/*.[ch]", "tools/**/*.py") for path in ROOT.glob(pattern)})
# {pattern: (how often in documents, how often in comments, what to write instead)}. Lower a number when it has
# become too large.
MOST = {
    r"\bwhat (?!to do\b)": (6, 140, "the name of the thing: 'counts', not 'what was counted'"),
    r"\bof which\b": (0, 3, "a sentence of its own"),
    r"\b(?:so|nor) (?:do|does|did|is|are|was|were|has|have)\b": (0, 4, "the noun and the verb again"),
    r"\b(?:theirs|that one|this one|the one of|the ones of|the former|the latter|of ours)\b": (0, 4, "the noun again"),
    r"\b(?:that|those) of\b": (0, 12, "the noun again"),
    r"(?:^|[.:;|(] )of (?:an?|the|all|some|these|such|its|those|\w+s)\b": (0, 26, "the subject first"),
    r"\b(?:somebody|nobody|whoever|whatever|likewise)\b": (8, 36, "who or which: 'multipathd', 'any length'"),
}
FEWEST_DOCUMENTS, FEWEST_COMMENTED = 30, 100
GENERATED = re.compile(r"<!-- (?:figures: [^>]*|kernels|check-full) -->.*?<!-- /(?:figures|kernels|check-full) -->"
                       r"|<!-- = .*? -->", re.S)
MOST_WORDS = 32000


def prose(path):
    """A document without code, comments and generated blocks, which people do not write as prose."""
    text = re.sub(r"<!-- figures: .*?<!-- /figures -->|^```.*?^```|`[^`\n]*`|^(?: {4}|\t).*?$", "", path.read_text(),
                  flags=re.M | re.S)
    return re.sub(r"\s+", " ", text.replace("\n\n", " | "))


def comments(path):
    """All comments and docstrings of a source, each as one line."""
    text = path.read_text()
    if path.suffix == ".py":
        found = [token.string.lstrip("# ") for token in tokenize.generate_tokens(io.StringIO(text).readline)
                 if token.type == tokenize.COMMENT]
        found += [ast.get_docstring(node) or "" for node in ast.walk(ast.parse(text))
                  if isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef))]
    else:
        found = [re.sub(r"\n\s*\*", " ", one) for one in re.findall(r"/\*(.*?)\*/", text, re.S)]
    return "\n".join(re.sub(r"\s+", " ", one).strip() for one in found)


def occurrences(pattern, paths, read):
    """{file: how many}"""
    found = {str(path.relative_to(ROOT)): len(re.findall(pattern, read(path), re.I | re.M)) for path in paths}
    return {name: count for name, count in found.items() if count}


def words():
    """{document: words that people wrote}, without pages and blocks that programs make."""
    made = ROOT / "docs/promises.md", ROOT / "docs/figures"
    return {str(path.relative_to(ROOT)): len(GENERATED.sub("", path.read_text()).split()) for path in DOCUMENTS
            if path.suffix != ".8" and path not in made and path.parent not in made}


@pytest.mark.parametrize("pattern", MOST)
def test_documents_do_not_become_riddles(pattern):
    most, _, instead = MOST[pattern]
    found = occurrences(pattern, DOCUMENTS, prose)
    assert len(DOCUMENTS) > FEWEST_DOCUMENTS
    assert sum(found.values()) <= most, f"at most {most} times; write {instead}: {found}"


@pytest.mark.parametrize("pattern", MOST)
def test_comments_do_not_become_riddles(pattern):
    _, most, instead = MOST[pattern]
    found = occurrences(pattern, COMMENTED, comments)
    assert len(COMMENTED) > FEWEST_COMMENTED
    assert sum(found.values()) <= most, f"at most {most} times; write {instead}: {found}"


def test_documents_do_not_grow():
    found = words()
    assert len(found) > FEWEST_DOCUMENTS
    longest = sorted(found, key=found.get)[-5:]
    assert sum(found.values()) <= MOST_WORDS, f"at most {MOST_WORDS} words; the longest documents: {longest}"


if __name__ == "__main__":
    for one in MOST:
        print(*(sum(occurrences(one, *where).values()) for where in ((DOCUMENTS, prose), (COMMENTED, comments))), one)
    print(sum(words().values()), "words")
