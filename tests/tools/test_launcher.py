"""Where python3 is 3.6, as on RHEL 8 and SLES 15: dm-lw runs by a newer one beside it, or says what to install."""
import ast
import subprocess
import sys

import pytest

from .conftest import TOOLS

LAUNCHER = TOOLS / "dm-lw"
# As that Python would read the launcher.
AS_3_6 = "import runpy, sys; sys.version_info = (3, 6, 8); sys.argv[:] = sys.argv[1:]; runpy.run_path(sys.argv[0], run_name='__main__')"


def run_by_3_6(directory, *words):
    return subprocess.run([sys.executable, "-c", AS_3_6, str(LAUNCHER), *words], text=True, timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={"PATH": str(directory)})


def add_python(directory, version):
    program = directory / f"python{version}"
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" {version} "$@"\n')
    program.chmod(0o755)


def test_it_is_python_3_6():
    ast.parse(LAUNCHER.read_text(), feature_version=(3, 6))


@pytest.mark.parametrize("versions, newest", [(["3.9"], "3.9"), (["3.11", "3.9", "3.6"], "3.11"), (["3.13", "3.12"], "3.13")])
def test_newer_python_is_found(tmp_path, versions, newest):
    for version in versions:
        add_python(tmp_path, version)
    done = run_by_3_6(tmp_path, "show", "a map")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [newest, str(LAUNCHER), "show", "a map"]


def test_none_is_found(tmp_path):
    for version in ("3", "3.6", "3.8"):
        add_python(tmp_path, version)
    done = run_by_3_6(tmp_path, "stat")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == ("dm-lw needs Python 3.9 or later, and python3 is 3.6: install python3.11 (RHEL 8) or python311"
                           " (SLES 15) beside it\n")
