"""Rows as a table of text, with colour where a terminal shows it."""
import os
import shutil
import sys

from .maps import FAILED, NEW, RAMPING, SLOW, STALLED

BETWEEN = "  "
SHORT_NAME = 8                  # a column of names is no narrower
COLOURS = {FAILED: "31;1", SLOW: "33;1", STALLED: "33;1", RAMPING: "36", NEW: "36"}


def lines(columns, rows, colour=False, most=None):
    """The header and a line for each row; of `most` characters, if that is possible with long names on lines of their own."""
    cells = [[column.cell(row) for column in columns] for row in rows]
    widths = [max([len(column.header), column.width] + [len(line[i]) for line in cells])
              for i, column in enumerate(columns)]
    if most and sum(widths) + len(BETWEEN) * (len(widths) - 1) > most:
        widths[0] = max(len(columns[0].header), SHORT_NAME)

    def line(texts):
        below = len(texts[0]) > widths[0]
        text = BETWEEN.join(column.pad("" if below and column is columns[0] else text, width)
                            for column, text, width in zip(columns, texts, widths)).rstrip()
        return texts[0] + "\n" + text if below else text

    yield line([column.header for column in columns])
    for row, texts in zip(rows, cells):
        yield coloured(line(texts), COLOURS.get(row.get("state"))) if colour else line(texts)


def width():
    """Width of the terminal; None if there is none, for programs that read a table by lines."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def coloured(text, code):
    return "\033[%sm%s\033[0m" % (code, text) if code else text


def wants_colour(when, stream=None):
    """For --color: a terminal that can, and whose user does not mind (no-color.org)."""
    if when != "auto":
        return when == "always"
    return ((stream or sys.stdout).isatty() and os.environ.get("TERM", "dumb") != "dumb"
            and not os.environ.get("NO_COLOR"))
