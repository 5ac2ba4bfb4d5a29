"""Bytes of what each path has on each CPU: `python3 -m tests.bench.figures.struct_sizes FILE`.

By pahole, of the module's sources as the simulator compiles them; plain numbers, which are as
long in the kernel, unless that one checks its own locks.
"""
import json
import re
import subprocess
import sys
from pathlib import Path

from tests.sim import engine

STRUCT = "lw_counts"
CLASSES = 9
SIZE = re.compile(r"/\* size: (\d+),")
MEMBER = re.compile(r"(\w+)(?:\[\w+\])+(?: __attribute__\S+)?;\s*/\*\s*\d+\s+(\d+)\s*\*/")


def parse(text):
    """{bytes in all, bytes of each array} from what pahole prints of a structure."""
    return {"total": int(SIZE.findall(text)[-1]),
            **{name: int(size) for name, size in MEMBER.findall(text)}}


def main(file):
    engine.build()
    said = subprocess.run(["pahole", "-C", STRUCT, str(engine.BUILD / "src/io.o")], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    found = parse(said)
    # What was read of each CPU is kept, too: of each class that is used, here one, and how often paths were full.
    kept = found["cell"] // CLASSES + 4
    Path(file).write_text(json.dumps({"per_path_and_cpu": found["total"] + kept}) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
