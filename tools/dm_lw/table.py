"""Rows as a table of text, with colour where a terminal shows it."""
import os
import sys

from .maps import FAILED, NEW, RAMPING, SLOW, STALLED

COLOURS = {FAILED: "31;1", SLOW: "33;1", STALLED: "33;1", RAMPING: "36", NEW: "36"}


def lines(columns, rows, colour=False):
    """The header and a line for each row."""
    cells = [[column.cell(row) for column in columns] for row in rows]
    widths = [max([len(column.header), column.width] + [len(line[i]) for line in cells])
              for i, column in enumerate(columns)]

    def line(texts):
        return "  ".join(column.pad(text, width)
                         for column, text, width in zip(columns, texts, widths)).rstrip()

    yield line([column.header for column in columns])
    for row, texts in zip(rows, cells):
        yield coloured(line(texts), COLOURS.get(row.get("state"))) if colour else line(texts)


def coloured(text, code):
    return "\033[%sm%s\033[0m" % (code, text) if code else text


def wants_colour(when, stream=None):
    """For --color: a terminal that can, and whose user does not mind (no-color.org)."""
    if when != "auto":
        return when == "always"
    return ((stream or sys.stdout).isatty() and os.environ.get("TERM", "dumb") != "dumb"
            and not os.environ.get("NO_COLOR"))
