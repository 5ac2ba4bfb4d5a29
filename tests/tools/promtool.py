"""Debian's promtool, without the server that its package starts."""
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from tests.vm.places import cache_dir


def fetched(directory):
    """Out of the package, which is not installed."""
    with tempfile.TemporaryDirectory(dir=directory.parent, prefix="promtool-") as partly:
        unpack(Path(partly))
        directory.mkdir(exist_ok=True)
        Path(partly, "tree/usr/bin/promtool").replace(directory / "promtool")


def unpack(partly):
    for command in (["apt-get", "--quiet", "download", "prometheus"],
                    ["sh", "-c", "dpkg-deb --extract prometheus_*.deb tree"]):
        done = subprocess.run(command, cwd=partly, text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode:
            pytest.skip("no promtool: %s said %s" % (" ".join(command), done.stdout.strip()[-300:]))


def run_tests(file):
    installed, directory = shutil.which("promtool"), cache_dir() / "promtool"
    if not installed and not (directory / "promtool").exists():
        fetched(directory)
    return subprocess.run([installed or directory / "promtool", "test", "rules", str(file)], text=True,
                          timeout=60, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
