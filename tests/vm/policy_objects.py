"""Policies for guests, which have no compiler: each example of contrib/policies as a BPF object, as the same that notes
what it sees and chooses, and as the library that the simulator calls.
"""
import hashlib
import shutil
import subprocess
import tempfile
from pathlib import Path

from .places import CHECKOUT
from .progress import CommandFailed

EXAMPLES = CHECKOUT / "contrib" / "policies"
HEADERS = CHECKOUT / "src" / "policy"
NOTED = CHECKOUT / "tests" / "guest" / "lib" / "noted_policy.c"
CLOCK = CHECKOUT / "tests" / "guest" / "lib" / "policy_clock.c"
# Where Debian has asm/types.h, which clang does not look for there for BPF.
BY_MACHINE = "/usr/include/x86_64-linux-gnu", "/usr/include/aarch64-linux-gnu"
COMMON = ["clang", "-O2", "-g", "-Wall", "-Werror", f"-I{HEADERS}"]
BPF = [*COMMON, "-target", "bpf", *(f"-I{place}" for place in BY_MACHINE), "-c"]
HOST = [*COMMON, "-shared", "-fPIC", "-nostdlib"]


def directory() -> Path:
    """It has NAME.o, NAME.noted.o and NAME.so of each example; compiled if the sources are new. Guests see it as it is
    the only one there."""
    made = CHECKOUT / "build" / "policies" / key()
    if not made.exists():
        made.parent.mkdir(parents=True, exist_ok=True)
        building = Path(tempfile.mkdtemp(prefix=f"{made.name}.", dir=made.parent))
        try:
            fill(building)
            for former in made.parent.glob("????????????"):
                if former != made:      # a guest that began meanwhile may read its own already
                    shutil.rmtree(former, ignore_errors=True)
            place(building, made)
        finally:
            shutil.rmtree(building, ignore_errors=True)
    return made


def place(building: Path, made: Path) -> None:
    """Under its name, unless another guest's boot was the first."""
    try:
        building.rename(made)
    except OSError:     # of a directory with files Linux says ENOTEMPTY, which is no FileExistsError
        if not made.exists():
            raise


def key() -> str:
    digest = hashlib.sha256(repr([BPF, HOST]).encode())
    for source in [*sorted(EXAMPLES.glob("*.c")), *sorted(HEADERS.glob("lw_policy.h")), NOTED, CLOCK]:
        digest.update(source.name.encode() + b"\0" + source.read_bytes())
    return digest.hexdigest()[:12]


def fill(building: Path) -> None:
    compile_one([*HOST, str(CLOCK), "-o", str(building / "clock.so")])
    for source in sorted(EXAMPLES.glob("*.c")):
        name = building / source.stem
        compile_one([*BPF, str(source), "-o", f"{name}.o"])
        compile_one([*BPF, f'-DPOLICY="{source}"', str(NOTED), "-o", f"{name}.noted.o"])
        compile_one([*HOST, str(source), "-o", f"{name}.so"])
    building.chmod(0o755)


def compile_one(command: list) -> None:
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        raise CommandFailed(f"{' '.join(command)}: {done.stdout.strip()}")
