"""What the console tells of a guest's death: was it a module of ours, or the emulator?"""
import re
from pathlib import Path
from typing import List

from tests.lib.kernel_log import BEGINS, WARNINGS, judged

# A call in a module of ours, by its name; or in a module that was unloaded too early, which has no
# name any more: the kernel itself always has names.
OURS = re.compile(r"\[(dm_latency_weighted|lw_\w+)\]|RIP: \w+:0xffffffff\w{8}$", re.MULTILINE)
# Before each line: the time and, in some kernels, the task or the CPU.
STAMP = re.compile(r"^(\[ *\d+\.\d+\])(\[ *[TC]\d+\])? ")
UNKNOWN_LEVEL = 6   # the console does not tell it
BREAKPOINT = "cc"   # in the bytes that the console shows of the code


def console_of(run_dir: Path) -> str:
    return (run_dir / "console.log").read_text(errors="replace")


def by_emulator(run_dir: Path) -> bool:
    """On a busy host, an emulated CPU now and then runs into the breakpoint by which another one
    changes a jump label, as none of a machine's would. In code of ours it counts all the same, unless
    the console shows that memory no longer has the breakpoint: only emulated CPUs keep old code."""
    if "accel\nkvm" in (run_dir / "qemu.cmd").read_text():
        return False
    oops = re.search(r"int3: 0000 \[#1\].*?RIP: ([^\n]*)(?:\n[^\n]*Code: [^\n]*\b(\w\w) <)?",
                     console_of(run_dir), re.DOTALL)
    if not oops or not OURS.search("RIP: " + oops.group(1)):
        return bool(oops)
    return oops.group(2) not in (None, BREAKPOINT)


def calls_of_ours(run_dir: Path) -> List[str]:
    """The lines that name a module of ours in what the kernel complained of since the last test began.

    What it told before belongs to tests that ended, and were judged.
    """
    if by_emulator(run_dir):
        return []
    lines = [STAMP.sub("", line) for line in console_of(run_dir).splitlines()]
    begins = [at for at, line in enumerate(lines) if line.startswith(BEGINS)]
    records = judged((UNKNOWN_LEVEL, line) for line in lines[begins[-1] if begins else 0:])
    texts = [text for _, text in records]
    first = next((at for at, text in enumerate(texts) if WARNINGS.search(text)), len(texts))
    return [text.strip() for text in texts[first:] if OURS.search(text)]
