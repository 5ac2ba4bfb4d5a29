"""Debian's promtool, without the server that its package starts."""
import shutil
import subprocess

import pytest

from tests.vm.places import cache_dir


def fetched(directory):
    """Out of the package, which is not installed."""
    partly = directory.with_name("promtool.part")
    shutil.rmtree(partly, ignore_errors=True)
    partly.mkdir()
    for command in (["apt-get", "--quiet", "download", "prometheus"],
                    ["sh", "-c", "dpkg-deb --extract prometheus_*.deb tree"]):
        done = subprocess.run(command, cwd=partly, text=True, timeout=600, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode:
            pytest.skip("no promtool: %s said %s" % (" ".join(command), done.stdout.strip()[-300:]))
    directory.mkdir(exist_ok=True)
    (partly / "tree/usr/bin/promtool").replace(directory / "promtool")
    shutil.rmtree(partly)


def run_tests(file):
    installed, directory = shutil.which("promtool"), cache_dir() / "promtool"
    if not installed and not (directory / "promtool").exists():
        fetched(directory)
    return subprocess.run([installed or directory / "promtool", "test", "rules", str(file)], text=True,
                          timeout=60, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
