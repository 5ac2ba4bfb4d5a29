"""Changes of a text, each of which must find what it changes: where the sources moved on, the series stops."""
import re


class NotFound(LookupError):
    """A change that found nothing, or more than one place."""


def replaced(text: str, old: str, new: str) -> str:
    """With `new` in the one place where `old` was."""
    if text.count(old) != 1:
        raise NotFound(f"{text.count(old)} times in place of once: {old!r}")
    return text.replace(old, new)


def cut(text: str, pattern: str) -> str:
    """Without the one place that matches; ^ and $ are the ends of lines, and . is no newline."""
    found = re.findall(pattern, text, re.MULTILINE)
    if len(found) != 1:
        raise NotFound(f"{len(found)} times in place of once: {pattern!r}")
    return re.sub(pattern, "", text, flags=re.MULTILINE)


def renamed(text: str, old: str, new: str) -> str:
    """With `new` wherever `old` was, as a whole word."""
    text, count = re.subn(rf"\b{re.escape(old)}(?!\w)", new, text)
    if not count:
        raise NotFound(f"nowhere: {old!r}")
    return text


def without_row(text: str, name: str) -> str:
    """Without an option's row in the table, the comment before it, and the blank line behind."""
    comment = r"(?:^/\*(?:(?!\*/)(?:.|\n))*\*/\n)?"
    return cut(text, comment + rf"^LW_\w+\({name},(?:.*\n)*?.*\)\n\n")


def without_paragraph(text: str, start: str) -> str:
    """Without the paragraph, up to a blank line, that begins so."""
    return cut(text, rf"^{re.escape(start)}.*\n(?:.+\n)*\n?")


def inserted_before(text: str, line: str, new: str) -> str:
    """With `new` before the one line that is `line`."""
    return replaced(text, f"\n{line}\n", f"\n{new}{line}\n")
