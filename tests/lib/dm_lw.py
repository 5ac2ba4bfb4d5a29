"""The tool dm-lw of the checkout, run as an administrator does; and ways to trip it."""

import contextlib
import os
import re
import shlex
import shutil
import subprocess
import time

from .command import CHECKOUT, limit, sh, write_script

TOOL = CHECKOUT + "/tools/dm-lw"
MODULE = "dm-latency-weighted"
# What it says while it waits, as on a busy host.
PROGRESS = re.compile(r"^dm-lw: [a-z ]+, \d+ of at most \d+ s: .*\n", re.M)
LOSE_MODULE = """
[ "$1" != reconfigure ] || [ -e {flag} ] || {{
	rmmod dm-latency-weighted
	mv {file} {file}.hidden
	touch {flag}
}}
real "$@"
"""
NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")


class Run:
    """How dm-lw ended. It never ends in a traceback, whatever happened."""

    def __init__(self, status, out, err):
        self.status = status
        self.out = out
        self.err = PROGRESS.sub("", err)
        assert "Traceback" not in err, err

    def __repr__(self):
        return "status %d\n%s%s" % (self.status, self.out, self.err)

    def complaint(self, status=1):
        """The one line of its complaint."""
        assert self.status == status, self
        assert self.err.startswith("dm-lw: ") and self.err.count("\n") == 1, self
        return self.err

    def success(self):
        assert (self.status, self.err) == (0, ""), self
        return self.out


def dm_lw(*words, path=None, prefix=()):
    """Run it to its end; `path` is a directory of programs that it finds first."""
    process = start(*words, path=path, prefix=prefix)
    return end(process)


def start(*words, path=None, prefix=()):
    environment = dict(os.environ)
    if path:
        environment["PATH"] = "%s:%s" % (path, environment["PATH"])
    return subprocess.Popen([*prefix, TOOL, *map(str, words)], text=True, env=environment,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)


def end(process):
    """It has limits of its own, so it ends; on a busy host, late."""
    try:
        out, err = process.communicate(timeout=limit(600))
    finally:
        process.kill()
    return Run(process.returncode, out, err)


def stand_in(directory, name, script):
    """A program that dm-lw calls instead; in its script, "real" is the real one."""
    text = "#!/bin/sh\nreal() { %s \"$@\"; }\n%s\n" % (shlex.quote(shutil.which(name)), script)
    write_script(os.path.join(str(directory), name), text)
    return str(directory)


def module_file(release=None):
    return sh("modinfo", "-k", release or os.uname().release, "-F", "filename", MODULE).strip()


@contextlib.contextmanager
def only_this_kernel():
    """The suite's other kernels, which have no module here, look as if they were removed."""
    others = [name for name in os.listdir("/lib/modules") if name != os.uname().release]
    for name in others:
        sh("mount", "-t", "tmpfs", "none", "/lib/modules/" + name)
    try:
        yield
    finally:
        for name in others:
            sh("umount", "/lib/modules/" + name)


@contextlib.contextmanager
def another_kernel(release="6.99.0-lw"):
    """An installed kernel with dm-multipath, and without our module."""
    directory = "/lib/modules/%s/kernel" % release
    os.makedirs(directory)
    with open(os.path.dirname(directory) + "/modules.dep", "w") as index:
        index.write("kernel/drivers/md/dm-multipath.ko:\n")
    try:
        yield release
    finally:
        shutil.rmtree(os.path.dirname(directory))


@contextlib.contextmanager
def module_lost(directory):
    """Programs with which the running kernel loses the module when multipathd is told to reconfigure; once."""
    file, flag = module_file(), os.path.join(str(directory), "lost")
    path = stand_in(directory, "multipathd", LOSE_MODULE.format(file=file, flag=flag))
    try:
        yield path
        assert os.path.exists(flag)
    finally:
        if os.path.exists(file + ".hidden"):
            os.rename(file + ".hidden", file)


@contextlib.contextmanager
def module_hidden():
    """The running kernel has no file of the module."""
    file = module_file()
    os.rename(file, file + ".hidden")
    try:
        yield
    finally:
        os.rename(file + ".hidden", file)


def wait_for_file(path, process):
    """Until a stand-in has made it, while dm-lw waits for the stand-in."""
    deadline = time.monotonic() + limit(600)
    while not os.path.exists(path):
        assert process.poll() is None, end(process)
        assert time.monotonic() < deadline
        time.sleep(0.05)
