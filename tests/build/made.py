"""The packages as "make" makes them."""
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


def make_packages():
    """Made anew, by name."""
    run("rm", "-rf", MADE)
    run("make", "deb", "rpm")
    return {path.name: path for path in MADE.iterdir()}
