"""A guest asks its host to stop it for a while, as it is stopped when it migrates."""
import os
import signal
import time
from pathlib import Path

ASKED = "halt"      # in the guest's /lw/out: so many seconds; gone when they are over


def halt_if_asked(out: Path, pid: int) -> None:
    """Called as long as QEMU, the process `pid`, runs. Emulated devices and clocks of real time go on."""
    asked = out / ASKED
    if not asked.exists():
        return
    seconds = float(asked.read_text())
    os.kill(pid, signal.SIGSTOP)
    try:
        time.sleep(seconds)
    finally:
        os.kill(pid, signal.SIGCONT)
    asked.unlink()
