"""Tables of docs/kernels.md, which tests hold against the module and against what other pages promise."""
import re
from pathlib import Path
from typing import NamedTuple, Tuple

ROOT = Path(__file__).resolve().parents[2]


def lines(title):
    """The page's lines under a title that belong to its table."""
    text = (ROOT / "docs/kernels.md").read_text().split(f"\n## {title}\n")[1].split("\n## ")[0]
    return [line for line in text.splitlines() if line.startswith("| ")]


def heading(title):
    return lines(title)[0]


def table(title):
    """Rows of the page's table under a title, by what their first cells have in backticks."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines(title) if line.startswith("| `")]
    return {re.match("`(.*?)`", cells[0])[1]: cells for cells in rows}


class Facts(NamedTuple):
    """What a kernel has of what the probe asks for; what becomes of the module there."""
    interface: str
    minmax: str
    nofault: str
    disable: str
    verdict: str
    enable: str = "yes"     # all of them, as the page says


# Of what is probed for.
FIELDS = {"linux/minmax.h": "minmax", "copy_from_kernel_nofault()": "nofault", "blk_stat_enable_accounting()": "enable",
          "blk_stat_disable_accounting()": "disable"}


class Row(NamedTuple):
    """Of the table of kernels: from the first to the last version of a distribution."""
    distribution: str
    first: Tuple[int, ...]
    last: Tuple[int, ...]
    facts: Facts

    def has(self, version):
        return self.first <= version <= self.last


def version_of(text):
    return tuple(map(int, text.split(".")))


def kernel_row(name, cells):
    distribution, versions = name.split(" ", 1)
    first, _, last = versions.partition(" – ")
    return Row(distribution, version_of(first), version_of(last or first), Facts(*cells[1:]))


INTERFACES = table("The interface")
FUNCTIONS = table("What is probed for")
KERNELS = [kernel_row(*row) for row in table("What kernels have").items()]
