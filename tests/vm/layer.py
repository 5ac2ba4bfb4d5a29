"""Layers: a writable directory stacked over a cached tree, and commands run in that chroot.

Everything is mounted in a private mount namespace, so nothing shows or stays on
the host; the commands run without CAP_SYS_MODULE, so nothing (dkms included)
can load a module into the host's kernel.
"""
import subprocess
from pathlib import Path
from typing import List, Optional, Sequence, Union

from .image import Tree
from .places import CHECKOUT, cache_dir, log_file
from .progress import CommandFailed, run_logged

# $1 trees, as overlayfs takes them, $2 upper, $3 overlay work directory, $4 mount point,
# $5 checkout, $6 what ccache keeps: many builds compile the same sources in the same place; then the command
CHROOT_SCRIPT = r"""
set -e
umask 022
trees=$1 upper=$2 work=$3 top=$4 checkout=$5 compiled=$6
shift 6
mount -t overlay -o "lowerdir=$trees,upperdir=$upper,workdir=$work" overlay "$top"
mount -t proc proc "$top/proc"
mount -t sysfs -o ro sysfs "$top/sys"
mount -t tmpfs -o mode=755 dev "$top/dev"
for node in null zero full random urandom tty; do
	touch "$top/dev/$node"
	mount --bind "/dev/$node" "$top/dev/$node"
done
ln -s /proc/self/fd "$top/dev/fd"
ln -s /proc/self/fd/0 "$top/dev/stdin"
ln -s /proc/self/fd/1 "$top/dev/stdout"
ln -s /proc/self/fd/2 "$top/dev/stderr"
mkdir "$top/dev/shm"
mount -t tmpfs -o mode=1777 tmp "$top/tmp"
mount -t tmpfs -o mode=755 run "$top/run"
mount --bind "$checkout" "$top/lw/src"
mount -o remount,bind,ro "$top/lw/src"
mount --bind "$compiled" "$top/lw/ccache"
exec setpriv --bounding-set -sys_module --inh-caps -sys_module env -i \
	PATH=/usr/lib/ccache:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
	CCACHE_DIR=/lw/ccache CCACHE_MAXSIZE=1G HOME=/root LC_ALL=C.UTF-8 chroot "$top" "$@"
"""

Command = Union[str, List[str]]  # a string is a shell script


def chroot_argv(tree: Tree, upper: Path, command: Command, checkout: Path = CHECKOUT) -> List[str]:
    """The host command that runs `command` in tree + upper, with the checkout at /lw/src."""
    arguments = ["sh", "-c", command] if isinstance(command, str) else list(command)
    work = upper.with_name(upper.name + ".work")
    top = upper.with_name(upper.name + ".merged")
    compiled = cache_dir() / "ccache" / tree.suite
    for directory in (upper, work, top, compiled):
        directory.mkdir(parents=True, exist_ok=True)
    return ["unshare", "--mount", "--propagation", "private", "--pid", "--fork", "--kill-child",
            "sh", "-c", CHROOT_SCRIPT, "lw-chroot", ":".join(map(str, tree.roots)), str(upper),
            str(work), str(top), str(checkout), str(compiled), *arguments]


def chroot_run(tree: Tree, upper: Path, command: Command, log: Optional[Path] = None,
               label: str = "", check: bool = True) -> int:
    """Run a command in the chroot of tree + upper, output in `log`; its exit status.

    `upper` receives what the command writes and may be empty or not exist yet. One
    command at a time may use an `upper`; it must lie outside the tree, on a file
    system that can carry an overlay (the cache directory can).
    """
    return run_logged(chroot_argv(tree, upper, command), log or log_file(f"chroot-{tree.suite}.log"),
                      label or f"chroot {tree.suite}", check=check)


def pack(content: Path, image: Path, *options: str, leave_out: Sequence[str] = ()) -> None:
    """Make a squashfs of a directory, without what stands in `leave_out`, for a guest to mount."""
    done = subprocess.run(["mksquashfs", str(content), str(image), "-noI", "-noD", "-noF", "-noX",
                           "-noappend", "-no-progress", "-quiet", *options,
                           *(["-wildcards", "-e", *leave_out] if leave_out else [])],
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        raise CommandFailed(f"packing {content}: {done.stdout.strip()}")
