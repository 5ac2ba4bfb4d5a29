"""In the guest: a TCP flow from the array that takes what it gets of a path's network.

`python3 -m tests.acceptance.flood ADDRESS` sends until it is stopped.
"""
import contextlib
import socket
import subprocess
import sys
import threading

from tests.dm.lib.command import limit
from tests.dm.lib.network import in_namespace

PORT = 5201
CHUNK = 1 << 16
# What may be under way: at 100 Mbit/s some 40 ms of queue, which the path's I/O waits for.
SEND_BUFFER = 1 << 18


def send(address):
    with socket.socket() as flow:
        flow.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        flow.connect((address, PORT))
        while True:
            flow.sendall(bytes(CHUNK))


def drain(listener):
    """All of the one flow that comes, until it ends."""
    with contextlib.suppress(socket.timeout):
        flow, _ = listener.accept()
        with flow:
            while flow.recv(CHUNK):
                pass


@contextlib.contextmanager
def flood(link):
    """The array sends to us over this link."""
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((link.own_address, PORT))
        listener.listen(1)
        listener.settimeout(limit(30))
        receiver = threading.Thread(target=drain, args=(listener,), daemon=True)
        receiver.start()
        sender = subprocess.Popen(in_namespace(link.namespace, sys.executable, "-m", "tests.acceptance.flood",
                                               link.own_address))
        try:
            yield
            if sender.poll() is not None:
                raise RuntimeError("the flow to %s ended early" % link.own_address)
        finally:
            sender.kill()
            sender.wait()
            receiver.join(limit(30))


if __name__ == "__main__":
    send(sys.argv[1])
