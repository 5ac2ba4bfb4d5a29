"""Documents name things: patterns of sentences that a reader has to solve are counted, and become fewer."""
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted({path for pattern in ("*.md", "contrib/*.md", "docs/**/*.md", "docs/*.rst", "tests/**/README.md",
                                         "tools/dm-lw.8") for path in ROOT.glob(pattern)})
# {pattern: (how often it may occur, what to write instead)}. Lower a number when a document has become plainer.
MOST = {
    r"\bwhat (?!to do\b)": (129, "the name of the thing: 'counts', not 'what was counted'"),
    r"\bof which\b": (4, "a sentence of its own"),
    r"\b(?:so|nor) (?:do|does|did|is|are|was|were|has|have)\b": (4, "the noun and the verb again"),
    r"\b(?:theirs|that one|this one|the one of|the ones of|the former|the latter|of ours)\b": (8, "the noun again"),
    r"\b(?:that|those) of\b": (15, "the noun again"),
    r"(?:^|[.:;|(] )of (?:an?|the|all|some|these|such|its|those|\w+s)\b": (26, "the subject first"),
    r"\b(?:somebody|nobody|whoever|whatever|likewise)\b": (47, "who or which: 'multipathd', 'any length'"),
}
FEWEST_DOCUMENTS = 30


def occurrences(pattern):
    """{document: how many}, without code, comments and generated blocks, which people do not write as prose."""
    found = {}
    for path in DOCUMENTS:
        text = re.sub(r"<!-- figures: .*?<!-- /figures -->|^```.*?^```|`[^`\n]*`|^(?: {4}|\t).*?$", "", path.read_text(),
                      flags=re.M | re.S)
        count = len(re.findall(pattern, re.sub(r"\s+", " ", text.replace("\n\n", " | ")), re.I))
        if count:
            found[str(path.relative_to(ROOT))] = count
    return found


@pytest.mark.parametrize("pattern", MOST)
def test_documents_do_not_become_riddles(pattern):
    most, instead = MOST[pattern]
    found = occurrences(pattern)
    assert len(DOCUMENTS) > FEWEST_DOCUMENTS
    assert sum(found.values()) <= most, f"at most {most} times; write {instead}: {found}"


if __name__ == "__main__":
    for one in MOST:
        print(sum(occurrences(one).values()), one, occurrences(one))
