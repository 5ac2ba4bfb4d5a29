"""The packages as "make" makes them."""
import re
import subprocess

from tests.vm.places import CHECKOUT

MODULE = "dm-latency-weighted"
MADE = CHECKOUT / "build" / "packages"


def run(*command, directory=CHECKOUT, environment=None):
    """What it printed; it must succeed."""
    done = subprocess.run(list(map(str, command)), cwd=directory, env=environment, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    assert done.returncode == 0, done.stdout
    return done.stdout


def warnings(told):
    """Of make, of debhelper and dpkg, and of rpm."""
    return [line for line in told.splitlines() if re.search(r"\bwarning\b", line, re.I)]


def make_packages():
    """Made anew, by name."""
    run("rm", "-rf", MADE)
    told = run("make", "deb", "rpm")
    assert not warnings(told), told
    return {path.name: path for path in MADE.iterdir()}
