"""The finding of a check of dm-lw doctor."""
from dataclasses import dataclass

OK, WARN, FAIL, SKIP = "ok", "warn", "fail", "skip"


@dataclass
class Finding:
    """`advice` tells what to do; there is one unless the result is ok."""
    result: str
    text: str
    advice: str = ""


def ok(text):
    return [Finding(OK, text)]


def warn(text, advice):
    return [Finding(WARN, text, advice)]


def fail(text, advice):
    return [Finding(FAIL, text, advice)]


def skip(text, advice):
    return [Finding(SKIP, text, advice)]
