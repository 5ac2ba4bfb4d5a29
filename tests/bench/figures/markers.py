"""Generated text in documents: whole blocks, and single figures.

    <!-- figures: NAME -->        1.341<!-- = summary / quick / gmean -->
    ...
    <!-- /figures -->

The figure before a marker is written with as many decimals as it had.
"""
import re

from . import store

BLOCK = re.compile(r"(<!-- figures: ([\w-]+) -->\n).*?(<!-- /figures -->)", re.S)
# Of another generator, tests/build/readme_kernels.py: versions, no figures.
KERNELS = re.compile(r"<!-- kernels -->\n.*?<!-- /kernels -->", re.S)
FIGURE = re.compile(r"(-?\d[\d,]*)(\.\d+)?<!-- = (.+?) -->")
MARKER = re.compile(r"<!--\s*=.*")


class BadMarker(ValueError):
    """It names nothing that there is."""


def rendered(text, figures, blocks):
    """The document with all blocks and figures as docs/figures.json has them."""
    text = BLOCK.sub(lambda found: block(found, figures, blocks), text)
    stray = MARKER.search(FIGURE.sub("", text))
    if stray:
        raise BadMarker(f"no number is right before {stray.group()!r}; wanted is 1.5<!-- = NAME -->")
    return FIGURE.sub(lambda found: shown(found, figures), text)


def block(found, figures, blocks):
    begin, name, end = found.groups()
    if name not in blocks:
        raise BadMarker(f"no block is called {name}; there are {', '.join(blocks)}")
    return begin + blocks[name](figures).strip("\n") + "\n" + end


def shown(found, figures):
    whole, fraction, name = found.groups()
    try:
        value = store.figure(figures, name)
        text = f"{value:,.{len(fraction or '.') - 1}f}" if "," in whole else f"{value:.{len(fraction or '.') - 1}f}"
    except (LookupError, TypeError, ValueError):
        raise BadMarker(f"no figure is called {name!r}") from None
    return f"{text}<!-- = {name} -->"


def without(text):
    """What people wrote: no blocks, no figures with a marker. Lines keep their numbers."""
    for generated in BLOCK, KERNELS:
        text = generated.sub(lambda found: "\n" * found.group().count("\n"), text)
    return FIGURE.sub("", text)
