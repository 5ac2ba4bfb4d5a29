"""In the guest: somebody else's load on what the I/O needs, by iperf3 and stress-ng."""
import contextlib
import shlex
import subprocess

from tests.lib.command import running
from tests.lib.network import in_namespace

# What may be under way of a flow: at 100 Mbit/s some 20 to 40 ms of queue, which the path's I/O
# waits for.
WINDOW = "256K"
FOREVER = "0"
LISTENING = "listening"
STRESS_NG = ["stress-ng", "--quiet", "--temp-path", "/tmp"]     # it wants to write in one, for any stressor


@contextlib.contextmanager
def receiver(address):
    """iperf3's server, until it is stopped; it says when it is ready."""
    with running("iperf3", "--server", "--bind", address, "--interval", "0", "--forceflush",
                 stdout=subprocess.PIPE, universal_newlines=True) as server:
        if not any(LISTENING in line for line in server.stdout):
            raise RuntimeError("iperf3 does not listen at %s" % address)
        yield


@contextlib.contextmanager
def flow(link):
    """The array sends to us over this link, as much as TCP gets."""
    with receiver(link.own_address), running(
            *in_namespace(link.namespace, "iperf3", "--client", link.own_address, "--window", WINDOW,
                          "--time", FOREVER, "--interval", "0"), stdout=subprocess.DEVNULL):
        yield


def busy_cpus(arguments):
    """stress-ng, told what to do to the CPUs; without arguments, nothing."""
    return running(*STRESS_NG, *shlex.split(arguments)) if arguments else contextlib.nullcontext()
