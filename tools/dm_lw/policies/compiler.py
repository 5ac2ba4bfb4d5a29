"""dm-lw policy build: clang compiles a source file for the kernel."""
import glob
import os
import tempfile

from ..errors import LwError, reason
from ..output import SCRATCH
from . import objects

HEADER = "lw_policy.h"
INSTALLED = "/usr/include"
# Where Debian has asm/types.h, which clang does not look for there for BPF.
BY_MACHINE = "/usr/include/*-linux-gnu*"
OPTIONS = ("-target", "bpf", "-O2", "-g", "-Wall")


def directories():
    """Where headers are; in the source tree, its own comes before the one that is installed."""
    ours = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../../src/policy")
    places = [os.path.normpath(ours), INSTALLED]
    found = [place for place in places if os.path.exists(os.path.join(place, HEADER))]
    if not found:
        raise LwError("%s/%s is missing, which comes with dm-lw" % (INSTALLED, HEADER))
    return found + [place for place in sorted(glob.glob(BY_MACHINE))
                    if os.path.exists(os.path.join(place, "asm/types.h"))]


def build(host, source, target=None):
    """The name of the object file, and clang's warnings in lines."""
    if not source.endswith(".c"):
        raise LwError("%s: wanted is a C source file, FILE.c" % source, status=2)
    if not os.path.exists(source):
        raise LwError("%s: there is no such file" % source)
    target = target or os.path.splitext(source)[0] + ".o"
    if not host.has_program("clang"):
        raise LwError("clang is not installed, which compiles policies (Debian: clang)")
    try:
        with tempfile.TemporaryDirectory(prefix=SCRATCH, dir=os.path.dirname(target) or ".") as private:
            scratch = os.path.join(private, os.path.basename(target))
            done = compiled(host, source, scratch)
            os.replace(scratch, target)
    except OSError as error:
        raise LwError("%s: %s" % (target, reason(error)))
    return target, done.err.strip().splitlines()


def compiled(host, source, scratch):
    """clang's result; it writes where nobody else can have left a link."""
    done = host.run("clang", *OPTIONS, *("-I" + place for place in directories()), "-c", source, "-o", scratch)
    if not done.ok:
        raise LwError("clang refuses %s: %s" % (source, first_error(done)))
    objects.load(scratch).program()
    return done


def first_error(done):
    """The line with the error; warnings may stand before it."""
    errors = [line for line in done.err.splitlines() if "error: " in line]
    return errors[0] if errors else done.complaint()
