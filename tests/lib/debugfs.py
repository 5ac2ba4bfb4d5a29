"""The selector's files in debugfs: labelled columns, several tables in a file."""

import os
import re

from .command import sh
from .sysfs import CLASSES

DEBUGFS = "/sys/kernel/debug"
ROOT = DEBUGFS + "/dm-latency-weighted"


def mount():
    """Of the guest's own accord only systemd would do so."""
    if not os.path.ismount(DEBUGFS):
        sh("mount", "-t", "debugfs", "none", DEBUGFS)


def number(word):
    if re.fullmatch(r"-?\d+\.\d+", word):
        return float(word)
    return int(word) if word.lstrip("-").isdigit() else word


def rows(text):
    """The rows of a table, each a dictionary by column."""
    head, *body = [line.split() for line in text.splitlines()]
    if any(len(row) != len(head) for row in body):
        raise ValueError("a row is not as long as the head:\n" + text)
    return [dict(zip(head, map(number, row))) for row in body]


def read(*names):
    with open("/".join((ROOT,) + names)) as file:
        return file.read()


class MapFiles:
    """The directory of a map."""

    def __init__(self, multipath):
        self.label = os.path.basename(multipath.path)
        self.reset_file = "/".join((ROOT, self.label, "reset"))

    def exists(self):
        return os.path.exists("/".join((ROOT, self.label)))

    def reset(self, value="1"):
        with open(self.reset_file, "w") as file:
            file.write(value)

    def classes(self):
        """Of all paths: a row by (path, class)."""
        return {(row["path"], row["class"]): row for row in rows(read(self.label, "latency_stat"))}

    def tables(self, path):
        """Of one path: its tables, by the label of their first column."""
        text = read(self.label, "paths", str(path), "latency_stat")
        return {part.split()[0]: rows(part) for part in text.split("\n\n")}

    def ended(self, path):
        """I/Os of a path that ended, by class, from its histogram."""
        histogram = self.tables(path)["from_us"]
        return {name: sum(row[name] for row in histogram) for name in CLASSES}
