"""The documents that have figures: written, or held against docs/figures.json."""
from tests.lib.whole_file import write_whole
from tests.vm.places import CHECKOUT

from .blocks import BLOCKS
from .markers import BadMarker, rendered
from .prose import CHECKED, allowed, unaccounted

EVERYWHERE = "*"


def each():
    """(name, file)"""
    return [(name, CHECKOUT / name) for name in CHECKED]


def write(figures):
    """The names of those that changed."""
    changed = []
    for name, file in each():
        before = file.read_text()
        after = rendered(before, figures, BLOCKS)
        if after != before:
            write_whole(file, after)
            changed.append(name)
    return changed


def outdated(figures):
    """What is wrong with them, a line for each."""
    wrong = []
    exceptions = allowed()
    for name, file in each():
        text = file.read_text()
        try:
            if rendered(text, figures, BLOCKS) != text:
                wrong.append(f"{name}: not as docs/figures.json has it; python3 -m tests.bench.figures render")
        except BadMarker as error:
            wrong.append(f"{name}: {error}")
        titles, history = CHECKED[name]
        found = unaccounted(text, titles, [*exceptions.get(EVERYWHERE, {}), *exceptions.get(name, {})], history)
        wanted = "no marker, nor a commit of git's beside it" if history else "no marker"
        wrong += [f"{name}:{line}: {number!r} is measured, and has {wanted}" for line, number in found]
    return wrong
