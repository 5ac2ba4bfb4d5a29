"""Progress on stderr: nobody should have to wonder for more than ten seconds whether it still runs."""
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Callable, List, Optional

INTERVAL = 10  # seconds between two signs of life
SILENCE = 1800  # seconds; to fetch or unpack a kernel's source takes minutes, on a slow or busy host many

stream = None  # where they go; None: sys.stderr, whatever that is at the moment


class CommandFailed(Exception):
    """A host command failed; the message names its log."""


def require_root(what: str) -> None:
    if os.geteuid() != 0:
        raise CommandFailed(f"{what} needs root")


def say(text: str) -> None:
    print(f"lw: {text}", file=stream or sys.stderr, flush=True)


def exit_status(command: Callable[[], int], expected: tuple = ()) -> int:
    """What a command returns, for sys.exit(); what is expected to go wrong is told in one line."""
    try:
        return command()
    except (CommandFailed, OSError, *expected) as error:
        say(f"error: {error}")
        return 1
    except KeyboardInterrupt:
        say("interrupted")
        return 130


def last_line(log: Path) -> str:
    with log.open("rb") as stream:
        stream.seek(0, 2)
        stream.seek(max(0, stream.tell() - 2000))
        lines = stream.read().decode(errors="replace").replace("\r", "\n").split("\n")
    filled = [line.strip() for line in lines if line.strip()]
    return filled[-1][:100] if filled else ""


def telling_line(log: Path) -> str:
    """The first line that names an error, else the last one."""
    for line in log.read_text(errors="replace").splitlines():
        if re.search(r"error:|\*\*\*|^E: ", line):
            return line.strip()[:300]
    return last_line(log)


def bound_to_us(command: List[str]) -> List[str]:
    """The command such that it dies with the thread that starts it: nothing is left behind."""
    return ["setpriv", "--pdeathsig", "KILL", *command]


def run_logged(command: List[str], log: Path, label: str, check: bool = True) -> int:
    """Run a host command with its output in `log` and progress on stderr; its exit status.

    A command that writes nothing for SILENCE seconds hangs. How long all of it takes depends on the host.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    start = next_sign = last_word = time.monotonic()
    size = -1
    with log.open("ab") as stream:
        process = subprocess.Popen(bound_to_us(command), stdin=subprocess.DEVNULL,
                                   stdout=stream, stderr=subprocess.STDOUT)
        try:
            while process.poll() is None:
                now = time.monotonic()
                if log.stat().st_size != size:
                    size, last_word = log.stat().st_size, now
                if now > last_word + SILENCE:
                    raise CommandFailed(f"{label}: silent for {SILENCE} s, see {log}")
                if now >= next_sign + INTERVAL:
                    next_sign = now
                    say(f"{label}: {now - start:.0f} s, {last_line(log)}")
                time.sleep(0.05)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
    if check and process.returncode:
        raise CommandFailed(f"{label}: exit status {process.returncode}: {telling_line(log)} "
                            f"(log: {log})")
    return process.returncode
