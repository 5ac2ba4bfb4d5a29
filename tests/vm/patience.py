"""When a guest counts as hung, whatever else the host has to do."""
import time
from pathlib import Path
from typing import Callable, Dict, Optional, Tuple

PANIC = "Kernel panic - not syncing"
# What QEMU writes to its log when the guest tells it, by pvpanic, that it panics. The guest goes
# on: it has yet to print why, if another CPU was printing something then.
CRASHED = "Guest crashed"

BOOT_LIMIT = 120        # seconds from QEMU's start to the command's: ten times what it takes
PANIC_LIMIT = 30        # seconds from a panic to QEMU's end, which comes by itself after a second
INTERVAL = 0.5          # seconds between two looks

# What changes with each sign of life, and how many seconds may pass until the next one.
Sign = Callable[[], Tuple[object, float]]


class Stopwatch:
    """Seconds, without those in which the process was ready and its host had no CPU for it.

    So limits need no reserve for a busy host: a guest that waits, or loops, reaches them in
    time, and one that the host leaves waiting does not.
    """

    def __init__(self, tasks: Path):
        self.tasks = tasks      # of the process, in /proc
        self.restart()

    def restart(self) -> None:
        self.start = time.monotonic()
        self.delays = self.read()

    def seconds(self) -> float:
        waited = max((delay - self.delays.get(task, 0) for task, delay in self.read().items()), default=0)
        return time.monotonic() - self.start - waited

    def read(self) -> Dict[str, float]:
        """How long each thread has waited for a CPU; nothing on a kernel that does not count it."""
        delays = {}
        for task in self.tasks.glob("*"):
            try:
                delays[task.name] = int((task / "schedstat").read_text().split()[1]) / 1e9
            except (OSError, IndexError):   # it just ended
                pass
        return delays


class Patience:
    """With one guest: over if its boot, its panic, its silence or all of it takes too long."""

    def __init__(self, pid: int, run_dir: Path, boot_limit: float, sign: Sign,
                 timeout: Optional[float] = None):
        tasks = Path(f"/proc/{pid}/task")
        self.whole, self.silence = Stopwatch(tasks), Stopwatch(tasks)
        self.run_dir = run_dir
        self.boot_limit = boot_limit
        self.sign = sign
        self.timeout = timeout
        self.console = PanicWatch(run_dir)
        self.last_sign: object = None
        self.next_look = 0.0

    def why_over(self) -> str:
        """May be asked as often as one likes."""
        if time.monotonic() < self.next_look:
            return ""
        self.next_look = time.monotonic() + INTERVAL
        what, limit = self.stage()
        if what != self.last_sign:
            self.last_sign = what
            self.silence.restart()
        if self.silence.seconds() > limit:
            return f"nothing new for {limit:.0f} s"
        if self.timeout and self.whole.seconds() > self.timeout:
            return f"not done after {self.timeout:.0f} s"
        return ""

    def stage(self) -> Tuple[object, float]:
        if self.console.has_seen_panic():
            return "panic", PANIC_LIMIT
        if not has_begun(self.run_dir):
            return "boot", self.boot_limit
        return self.sign()


class PanicWatch:
    """Reads what is new on the console, and in QEMU's log, which is short."""

    def __init__(self, run_dir: Path):
        self.console = run_dir / "console.log"
        self.qemu = run_dir / "qemu.log"
        self.offset = 0
        self.end = b""      # a line may come in parts
        self.seen = False

    def has_seen_panic(self) -> bool:
        if not self.seen:
            with self.console.open("rb") as console:
                console.seek(self.offset)
                new = console.read()
            self.offset += len(new)
            self.seen = PANIC.encode() in self.end + new or CRASHED.encode() in self.qemu.read_bytes()
            self.end = (self.end + new)[-len(PANIC):]
        return self.seen


def has_begun(run_dir: Path) -> bool:
    """Whether the guest came as far as the command."""
    return (run_dir / "verdict.log").stat().st_size > 0
