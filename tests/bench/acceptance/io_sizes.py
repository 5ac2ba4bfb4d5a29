"""Sizes of I/Os, as fio has them."""
import re
from typing import List

UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20}
SECTOR = 512
LARGEST = 4 << 20
WORDS = 'whole sectors of 512 bytes, up to 4M: bs = "4k", bssplit = "4k/60:1M/40", per cent that add up to 100, ' \
        'or bsrange = "4k-64k"'


def size(text: str) -> int:
    """4k: 4096. ValueError if it is none."""
    found = re.fullmatch(r"([1-9][0-9]{0,7})([kKmM]?)", text, re.ASCII)
    if not found:
        raise ValueError(text)
    return int(found[1]) * UNITS[found[2].lower()]


def split(text: str) -> List[List[int]]:
    """[bytes, per cent] for each part. ValueError if it is none."""
    parts = [re.fullmatch(r"([^/]*)/([1-9][0-9]{0,2})", part, re.ASCII) for part in text.split(":")]
    if not all(parts):
        raise ValueError(text)
    return [[size(part[1]), int(part[2])] for part in parts]


def limits(text: str) -> List[int]:
    """Least and most of a range. ValueError if it is none."""
    least, most = map(size, text.split("-"))
    if least > most:
        raise ValueError(text)
    return [least, most]


def largest(bs: str, bssplit: str, bsrange: str) -> int:
    """Of the sizes. ValueError if fio could not do them all."""
    parts = split(bssplit) if bssplit else []
    found = [part for part, _ in parts] or (limits(bsrange) if bsrange else [size(bs)])
    if any(each % SECTOR or each > LARGEST for each in found) or (parts and sum(weight for _, weight in parts) != 100):
        raise ValueError(bssplit or bsrange or bs)
    return max(found)
