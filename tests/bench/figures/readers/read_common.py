"""What the readers share."""
import json

DIGITS = 6      # that count: more than any document shows


def rounded(value):
    """Every number in it."""
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, dict):
        return {key: rounded(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [rounded(each) for each in value]
    return value


def marks(found):
    """Of tests/bench/marks.py; the texts are as the program itself shows them."""
    return [{"name": mark.name, "about": mark.about, "value": mark.value, "shown": mark.shown, "wanted": mark.wanted,
             "met": mark.met} for mark in found]


def load(directory, name):
    return json.loads((directory / name).read_text())


def logged(directory):
    """What the program said."""
    from tests.bench.figures.steps_done import LOG
    return (directory / LOG).read_text()
