"""Markdown tables."""


def line(values):
    return "| " + " | ".join(values) + " |"


def table(rows):
    """The first row is the heading."""
    heading, *rest = rows
    return "\n".join([line(heading), "|" + "---|" * len(heading), *map(line, rest)])
