"""README's table of kernels, made of docs/kernels.md: `make readme-kernels` writes it, test_promises.py compares."""
import re

from kernels_page import ROOT, table

README = ROOT / "README.md"
STATES = "Booted", "Compiled", "Claimed"
BLOCK = re.compile(r"(<!-- kernels -->\n).*?(<!-- /kernels -->)", re.S)
SERIES = re.compile(r"\d+\.\d+")


def told(state):
    """What the page has under a heading, for each distribution: "13 (6.12)", with the kernel where its name has none."""
    found = {}
    for name, cells in table(state).items():
        distribution, which = re.fullmatch(r"(\w+),? (.*)", name).groups()
        series = SERIES.match(cells[1])
        # A name that tells the kernel, as mainline's, needs no second one.
        if series and not (distribution == "Linux" or series[0] in which):
            which += f" ({series[0]})"
        found.setdefault(distribution, []).append(which)
    return found


def made():
    """The table's text."""
    columns = [told(state) for state in STATES]
    lines = ["| distribution | booted in guests | compiled | claimed |", "|---|---|---|---|"]
    for distribution in dict.fromkeys(name for column in columns for name in column):
        cells = ["; ".join(column.get(distribution, [])) for column in columns]
        lines.append(f"| {'mainline' if distribution == 'Linux' else distribution} | {' | '.join(cells)} |".replace("|  |", "| |"))
    return "\n".join(lines) + "\n"


def written(text):
    """A text with the table between its marks."""
    text, count = BLOCK.subn(lambda found: found[1] + made() + found[2], text)
    if count != 1:
        raise ValueError(f"{README}: wanted <!-- kernels --> and <!-- /kernels --> once, found {count}")
    return text


if __name__ == "__main__":
    README.write_text(written(README.read_text()))
