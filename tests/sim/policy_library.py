"""A policy, a BPF program that chooses paths, as one more selector: the same C, compiled for the host."""
import subprocess
import sys

from tools.dm_lw.errors import LwError
from tools.dm_lw.policies import load, objects

from . import engine

SOURCES = engine.ROOT / "src" / "policy"
OPTIONS = ("-shared", "-fPIC", "-O2", "-g", "-Wall")


def build(source, words=(), directory=engine.BUILD):
    """The program as a library, with its constants set: what the engine takes as a policy."""
    library = directory / "policies" / f"{source.stem}.so"
    library.parent.mkdir(parents=True, exist_ok=True)
    command = ["clang", *OPTIONS, f"-I{SOURCES}", "-o", str(library), str(source)]
    try:
        made = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise engine.EngineFailed("clang is not installed, which compiles policies (Debian: clang)") from None
    if made.returncode:
        raise engine.EngineFailed(f"{' '.join(command)}:\n{made.stderr}")
    if made.stderr:
        print(made.stderr, file=sys.stderr, end="")
    try:
        return set_constants(library, words)
    except LwError as error:
        raise engine.EngineFailed(str(error)) from None


def set_constants(library, words):
    policy = objects.load(str(library))
    name = policy.program()
    policy.set({key: number(key, word) for key, word in load.parse(words).items()})
    library.write_bytes(policy.content)
    return f"{library.resolve()}:{name}"


def number(key, word):
    try:
        return int(word, 0)
    except ValueError:
        raise LwError(f"{key}={word}: the simulator knows numbers only") from None
