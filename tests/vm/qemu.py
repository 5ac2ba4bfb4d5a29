"""QEMU's command line, and whether KVM can be trusted on this machine."""
import os
import subprocess
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import List

from .boot_files import cached, initramfs, kernel_image, share_of
from .image import Tree
from .kernels import Kernel
from .patience import Stopwatch
from .places import cache_dir
from .progress import CommandFailed, bound_to_us, say

DEBUG_PORT = 0x501  # guest/stage1 and guest/init write to it
# QEMU's exit code is 2 * value + 1, so never 0, which a plain power-off gives
COMMAND_SUCCEEDED = 33
COMMAND_FAILED = 35
GUEST_SETUP_FAILED = 37

TRIAL_SECONDS = 8       # as a Stopwatch counts them: the answer stays until the host's next boot

CONSOLES = {"amd64": "ttyS0", "arm64": "ttyAMA0"}
KERNEL_ARGUMENTS = [
    "loglevel=7", "log_buf_len=8M",
    "panic=-1", "oops=panic",           # a panicked guest ends as soon as it has said why
    "mitigations=off", "nokaslr", "audit=0", "apparmor=0",  # what costs time in an emulated CPU
    "norandmaps",           # the emulator keeps translated code by address: a quarter less time
    "rcupdate.rcu_cpu_stall_timeout=60", "watchdog_thresh=30",  # the host may be busy
]
# Pointer authentication by QEMU's own means, as the architecture's costs a third of the time;
# nothing here uses vectors of variable length.
ARM64_CPU = "max,pauth-impdef=on,sve=off,sme=off"
# What is slow to emulate: a fifth level of page tables, and what string functions then prefer. Measured
# by forks, programs' starts and fio: a tenth less time.
TCG_CPU = "max,la57=off,avx=off,avx2=off,erms=off,fsrm=off"
# Emulated CPUs share one TSC; the kernel's own check of that fails now and then, and
# the clocks it then takes cost an exit to QEMU per reading. On a busy host they may see no tick
# of the timer for longer than the boot's check of it waits, which then panics.
TCG_KERNEL_ARGUMENTS = ["tsc=reliable", "no_timer_check"]
VIRTIOFSD = "/usr/libexec/virtiofsd", "/usr/lib/qemu/virtiofsd"     # Debian 13, and 12, where QEMU brings it
SERVE_SHARE = Path(__file__).parent / "serve-share"
MOST_THREADS = 8        # emulated CPUs that run at the same time


@dataclass
class Machine:
    """What a guest is given; the defaults suit functional tests."""
    cpus: int = 2
    memory: int = 2048    # MiB
    nodes: int = 1        # NUMA nodes, over which CPUs and memory are spread
    icount: bool = False  # virtual time: one CPU a node, a nanosecond per instruction, repeatable
    append: List[str] = field(default_factory=list)  # kernel arguments

    @classmethod
    def of(cls, kernel: Kernel, **options) -> "Machine":
        """What functional tests of the kernel are given."""
        return cls(**{"cpus": kernel.cpus, "memory": kernel.memory, **options})


def accelerator_arguments(accelerator: str, machine: Machine, cpu: str = TCG_CPU) -> List[str]:
    if machine.icount:
        # The CPUs take turns; QEMU 7.2 lets a second one starve while the first is busy.
        return ["-accel", "tcg,thread=single", "-icount", "shift=0,sleep=off", "-cpu", cpu,
                "-smp", str(machine.nodes)]
    if accelerator == "kvm":
        return ["-accel", "kvm", "-cpu", "host", "-smp", str(machine.cpus)]
    # Where a thread of each CPU would wait for the host's few, CPUs that hold a spinlock wait, too.
    thread = "single" if machine.cpus > MOST_THREADS else "multi"
    return ["-accel", f"tcg,thread={thread}", "-cpu", cpu, "-smp", str(machine.cpus)]


def node_arguments(machine: Machine) -> List[str]:
    """Each node has a part of the CPUs, in order, and of the memory."""
    if machine.nodes == 1:
        return []
    cpus = (machine.nodes if machine.icount else machine.cpus) // machine.nodes
    arguments = []
    for node in range(machine.nodes):
        first = node * cpus
        arguments += ["-object", f"memory-backend-ram,id=ram{node},size={machine.memory // machine.nodes}M",
                      "-numa", f"node,nodeid={node},cpus={first}-{first + cpus - 1},memdev=ram{node}"]
    return arguments


def pc(accelerator: str, kernel: Kernel, machine: Machine) -> List[str]:
    return ["qemu-system-x86_64", "-machine", kernel.machine + (",nvdimm=on" if kernel.has_pmem else ""),
            *accelerator_arguments(accelerator, machine),
            "-device", "pvpanic", "-device", f"isa-debug-exit,iobase={DEBUG_PORT},iosize=2"]


def arm64(machine: Machine) -> List[str]:
    """QEMU's exit code comes from guest/exit_arm64.S; of a panic, only the console tells."""
    return ["qemu-system-aarch64", "-machine", "virt,gic-version=3",
            *accelerator_arguments("tcg", machine, ARM64_CPU),
            "-semihosting-config", "enable=on,userspace=on,target=native"]


def memory_argument(kernel: Kernel, machine: Machine) -> str:
    """With room for the images, which are no part of the guest's memory."""
    return f"{machine.memory},slots=8,maxmem=64G" if kernel.has_pmem else str(machine.memory)


def base_command(tree: Tree, kernel: Kernel, accelerator: str, machine: Machine,
                 console: Path) -> List[str]:
    append = [f"console={CONSOLES[kernel.architecture]}", *KERNEL_ARGUMENTS, *kernel.arguments]
    if machine.icount:
        append.append("softlockup_panic=1")     # what spins there would reach only the host's limit, in an hour
    if accelerator != "kvm" and not kernel.is_cross:
        append += TCG_KERNEL_ARGUMENTS
    return [*(arm64(machine) if kernel.is_cross else pc(accelerator, kernel, machine)),
            "-nodefaults", "-no-user-config", "-display", "none",
            "-m", memory_argument(kernel, machine), *node_arguments(machine), "-nic", "none",
            "-no-reboot", "-action", "panic=none", "-d", "guest_errors", "-serial", f"file:{console}",
            "-kernel", str(kernel_image(tree, kernel)), "-initrd", str(initramfs(tree, kernel)),
            "-append", " ".join(append + machine.append)]


def port(name: str, log: Path) -> List[str]:
    """A virtio-serial port the guest can only write to."""
    return ["-chardev", f"file,id={name},path={log}",
            "-device", f"virtserialport,chardev={name},name=lw.{name}"]


def share(name: str, directory: Path) -> List[str]:
    return ["-fsdev", f"local,id={name},path={directory},security_model=none,multidevs=remap",
            "-device", f"virtio-9p-pci,fsdev={name},mount_tag=lw.{name}"]


def served(command: List[str], name: str, directory: Path, machine: Machine) -> List[str]:
    """QEMU's command with such a share for a kernel without 9p: another program serves it, out of the guest's memory."""
    server = next((path for path in VIRTIOFSD if os.access(path, os.X_OK)), None)
    if not server:
        raise CommandFailed("the kernel has no 9p, so its guests take virtiofsd: apt install virtiofsd")
    return [str(SERVE_SHARE), server, str(directory), *command,
            "-object", f"memory-backend-memfd,id=memory,size={machine.memory}M,share=on",
            "-machine", "memory-backend=memory", "-device", f"vhost-user-fs-pci,chardev=share,tag=lw.{name}"]


def disk(name: str, image: Path) -> List[str]:
    return ["-drive", f"if=none,id={name},file={image},format=raw,readonly=on",
            "-device", f"virtio-blk-pci,drive={name},serial=lw-{name}"]


def dimm(name: str, image: Path) -> List[str]:
    """The image as persistent memory: a read is a copy within the guest, which waits for nobody."""
    return ["-object", f"memory-backend-file,id={name},mem-path={image},readonly=on,share=on,"
                       f"size={image.stat().st_size}",
            "-device", f"nvdimm,memdev={name},unarmed=on"]


def image_arguments(kernel: Kernel, images: List[Path]) -> List[str]:
    """Of the checkout and of what the guest's root is stacked of, from below, in the order in which
    guest/stage1 finds them."""
    attach, prefix = (dimm, "pmem") if kernel.has_pmem else (disk, "vd")
    return [word for number, image in enumerate(images) for word in attach(f"{prefix}{number}", image)]


def copied_mib(kernel: Kernel, machine: Machine, images: List[Path]) -> int:
    """Images that guest/stage1 copies to memory: a guest that waits for its host's disk is idle, and the
    virtual clock of an idle guest leaps."""
    if kernel.has_pmem or not machine.icount:
        return 0
    return sum(image.stat().st_size for image in images) // 2 ** 20 + len(images)


def guest_command(tree: Tree, kernel: Kernel, machine: Machine, run_dir: Path, source: Path,
                  layers: List[Path]) -> List[str]:
    """The whole command line of a guest whose files live in `run_dir`; layers from below to above."""
    images = [source, *tree.images, *layers]
    copied = copied_mib(kernel, machine, images)
    told = replace(machine, memory=machine.memory + copied,
                   append=[*machine.append, f"lw.images={len(images)}", *(["lw.copied"] if copied else [])])
    command = base_command(tree, kernel, accel(tree, kernel), told, run_dir / "console.log")
    command += ["-device", "virtio-serial-pci", *port("verdict", run_dir / "verdict.log"),
                *port("output", run_dir / "output.log"),
                *image_arguments(kernel, images)]
    if share_of(tree, kernel) == "9p":
        return command + share("out", run_dir / "out")
    return served(command, "out", run_dir / "out", told)


def accel(tree: Tree, kernel: Kernel) -> str:
    """"kvm" if a guest really boots with it, else "tcg"; asked once per boot of the host."""
    if kernel.is_cross:
        return "tcg"
    boot_id = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    answer = cache_dir() / f"accel-{boot_id}"

    def ask(made: Path) -> None:
        for stale in cache_dir().glob("accel-*"):
            if stale != answer:     # another guest's answer, as soon
                stale.unlink(missing_ok=True)
        found = "kvm" if kvm_boots(tree, kernel) else "tcg"
        say(f"accelerator: {found}" + ("" if found == "kvm" else " (KVM does not boot a guest here)"))
        made.write_text(found)
    return cached(answer, ask).read_text()


def kvm_boots(tree: Tree, kernel: Kernel) -> bool:
    """Prove KVM by a boot into the initramfs, which ends at once: /dev/kvm alone proves nothing."""
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        return False
    trial = Machine(cpus=1, memory=512, append=["lw.probe"])
    command = base_command(tree, kernel, "kvm", trial, Path("/dev/null"))
    with subprocess.Popen(bound_to_us(command), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as process:
        watch = Stopwatch(Path(f"/proc/{process.pid}/task"))
        try:
            while process.poll() is None and watch.seconds() < TRIAL_SECONDS:
                time.sleep(0.05)
        finally:
            process.kill()
    return process.returncode == GUEST_SETUP_FAILED
