"""Boot a guest, stream what its command prints, and judge how it ended."""
import re
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Callable, Iterator, List, Optional, Set, Tuple

from tests.lib.kernel_log import HANGS

from . import death, policy_objects
from . import layer as layers
from .halt import halt_if_asked
from .kernel_tree import tree_of
from .kernels import Kernel
from .patience import BOOT_LIMIT, CRASHED, PANIC, Patience, Sign, has_begun
from .places import CHECKOUT, new_run_dir
from .progress import INTERVAL, bound_to_us, last_line, say
from .qemu import COMMAND_FAILED, COMMAND_SUCCEEDED, GUEST_SETUP_FAILED, Machine, guest_command

BOOTS = 4   # at most, where the emulator ends them: on a busy host it ended one guest of nine


@dataclass
class Result:
    """How a guest ended. `outcome` is one of passed, failed, panic, hang, lost."""
    outcome: str
    reason: str            # one line, for people
    status: Optional[int]  # of the command, if the guest lived to tell
    run_dir: Path

    @property
    def passed(self) -> bool:
        return self.outcome == "passed"

    @property
    def died(self) -> bool:
        """Did the guest end before it could say how its command ended, or after, against its word?"""
        return self.outcome not in ("passed", "failed")

    @property
    def out(self) -> Path:
        """What the guest left in /lw/out."""
        return self.run_dir / "out"

    def explain(self) -> str:
        return f"guest {self.outcome}: {self.reason}; console: {self.run_dir / 'console.log'}"


def boot(kernel: Kernel, command: str, machine: Optional[Machine] = None,
         layer: Optional[Path] = None, timeout: float = 600, quiet_limit: float = 180,
         on_output: Optional[Callable[[bytes], None]] = None, label: str = "run",
         run_dir: Optional[Path] = None, extra: Optional[Path] = None) -> Result:
    """Boot the kernel, run the shell script `command` as root, return the judged result.

    The root is the suite's tree with `layer` (a directory as chroot_run() fills it) stacked
    over it, `extra` (an image as extra_packages makes) over that, and a tmpfs on top; /lw/src
    is a copy of the checkout, read-only; /lw/out is kept in `Result.out`. A guest is hung if it takes
    longer than `timeout` seconds in all, or if its command prints nothing for `quiet_limit`
    seconds; seconds in which the host has no CPU for it do not count.

    A guest that dies before the command began had nothing of ours in it, and gets a second attempt. One that
    dies by the emulator's fault tells nothing of us either, and gets some more.
    """
    run_dir = run_dir or new_run_dir(f"{kernel.name}-{label}")
    output, given = run_dir / "output.log", set((run_dir / "out").glob("*"))
    once = partial(boot_once, kernel, command, run_dir, lambda: (output.stat().st_size, quiet_limit),
                   machine, layer, timeout, on_output, extra)
    result = once()
    for boots in range(1, BOOTS):
        if not result.died or not (death.by_emulator(run_dir) or boots == 1 and not has_begun(run_dir)):
            break
        say(f"{kernel.name}: booting again, for: {result.reason}")
        put_aside(run_dir, boots, given)
        result = once()
    return result


def put_aside(run_dir: Path, boots: int, given: Set[Path]) -> None:
    """What a boot left, to which the next one would add."""
    former = run_dir / f"boot-{boots}"
    former.mkdir()
    for left in {run_dir / "console.log", *(run_dir / "out").glob("*")} - given:
        left.rename(former / left.name)


def boot_once(kernel: Kernel, command: str, run_dir: Path, sign: Sign,
              machine: Optional[Machine] = None, layer: Optional[Path] = None,
              timeout: Optional[float] = None, on_output: Optional[Callable[[bytes], None]] = None,
              extra: Optional[Path] = None) -> Result:
    """The same without a second attempt; `sign` tells how long the command may be silent."""
    prepare(run_dir, command)
    with packed(layer, run_dir) as (source, images):
        argv = guest_command(tree_of(kernel), kernel, machine or Machine.of(kernel), run_dir, source,
                             images + ([extra] if extra else []))
        (run_dir / "qemu.cmd").write_text("\n".join(argv) + "\n")

        def patience(pid: int) -> Patience:
            return Patience(pid, run_dir, BOOT_LIMIT * kernel.patience, sign, timeout)
        exit_code, why = watch(argv, run_dir, patience, on_output, kernel.name)
    return judge(exit_code, run_dir, why)


@contextmanager
def packed(layer: Optional[Path], run_dir: Path) -> Iterator[Tuple[Path, List[Path]]]:
    """Images of the checkout and of the layer, as long as the guest runs."""
    source, image = run_dir / "source.squashfs", run_dir / "layer.squashfs"
    try:
        policy_objects.directory()
        # Guests have users that are not root, the checkout perhaps an owner who keeps it to himself.
        layers.pack(CHECKOUT, source, "-action", "chmod(go+rX)@true", leave_out=[".git", "build/!(policies)", "... __pycache__"])
        if layer:
            layers.pack(layer, image)
        yield source, [image] if layer else []
    finally:
        for made in (source, image):
            made.unlink(missing_ok=True)


def prepare(run_dir: Path, command: str) -> None:
    (run_dir / "out").mkdir(exist_ok=True)
    (run_dir / "out/command").write_text(command + "\n")
    for name in ("console.log", "verdict.log", "output.log", "qemu.log"):
        (run_dir / name).write_bytes(b"")


def watch(argv: List[str], run_dir: Path, patience_with: Callable[[int], Patience],
          on_output: Optional[Callable[[bytes], None]], name: str) -> Tuple[Optional[int], str]:
    """Run QEMU and pass its guest's output on; QEMU's exit code, or None and why we killed it."""
    start = last_sign = time.monotonic()
    with (run_dir / "qemu.log").open("ab") as errors, (run_dir / "output.log").open("rb") as output:
        qemu = subprocess.Popen(bound_to_us(argv), stdin=subprocess.DEVNULL, stdout=errors,
                                stderr=subprocess.STDOUT)
        patience = patience_with(qemu.pid)
        try:
            while True:
                ended = qemu.poll() is not None  # before the read: nothing is missed
                chunk = output.read()
                if chunk and on_output:
                    on_output(chunk)
                if ended:
                    return qemu.returncode, ""
                halt_if_asked(run_dir / "out", qemu.pid)
                why_over = patience.why_over()
                if why_over:
                    return None, why_over
                now = time.monotonic()
                if chunk or now - last_sign > INTERVAL:
                    last_sign = now
                    if not chunk:
                        say(f"{name}: {now - start:.0f} s, last words: "
                            f"{last_line(run_dir / 'output.log') or last_line(run_dir / 'console.log')}")
                time.sleep(0.05)
        finally:
            if qemu.poll() is None:
                qemu.kill()
                qemu.wait()


def judge(exit_code: Optional[int], run_dir: Path, why_stopped: str = "") -> Result:
    """A pass needs both witnesses: the verdict line and the exit code that belongs to it."""
    console = (run_dir / "console.log").read_text(errors="replace")
    verdict = (run_dir / "verdict.log").read_text(errors="replace")
    told = re.fullmatch(r"started\nverdict (\d+)\n", verdict)
    status = int(told.group(1)) if told else None

    def result(outcome: str, reason: str) -> Result:
        return Result(outcome, reason, status, run_dir)

    hangs = next((line for line in console.splitlines() if HANGS in line), None)
    if hangs:
        return result("hang", hangs[hangs.index(HANGS) + len(HANGS):])
    panic = next((line for line in console.splitlines() if PANIC in line), None)
    if panic or CRASHED in (run_dir / "qemu.log").read_text(errors="replace"):
        return result("panic", panic or "the guest told QEMU that it panicked")
    if exit_code is None:
        return result("hang", f"stopped: {why_stopped}; last output: "
                              f"{last_line(run_dir / 'output.log') or 'none'}")
    if exit_code == GUEST_SETUP_FAILED:
        return result("lost", f"the guest could not be set up: {last_line(run_dir / 'console.log')}")
    if exit_code == COMMAND_SUCCEEDED and status == 0:
        return result("passed", "the command succeeded")
    if exit_code == COMMAND_FAILED and status:
        return result("failed", f"the command's exit status was {status}")
    return result("lost", f"QEMU's exit code {exit_code} and the verdict {verdict!r} do not agree; "
                          f"QEMU said: {last_line(run_dir / 'qemu.log') or 'nothing'}")


def to_stdout(chunk: bytes) -> None:
    sys.stdout.buffer.write(chunk)
    sys.stdout.buffer.flush()
