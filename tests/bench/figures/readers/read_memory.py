"""Memory: what maps and paths take in a guest, and the sizes of structures."""
import re

from .read_common import load, logged, rounded

MAPS = re.compile(r"(\d+) maps of two paths: (-?[\d.]+) KiB each")
PATHS = re.compile(r"(\d+) paths in a map: (-?[\d.]+) KiB each")


def of_maps(directory):
    """KiB of each, beyond round-robin's, by how many there were; tests/guest/lifecycle/test_limits.py says so."""
    text = logged(directory)
    found = {"map_kib": pairs(MAPS, text), "path_kib": pairs(PATHS, text)}
    if not all(found.values()):
        raise ValueError("no memory is told of")
    return rounded(found)


def pairs(pattern, text):
    return {count: float(kib) for count, kib in sorted(pattern.findall(text), key=lambda pair: int(pair[0]))}


def sizes(directory):
    return load(directory, "sizes.json")
