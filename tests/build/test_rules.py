"""Rules of this project that no general tool knows."""
# promise lifecycle/one-version: No package is built from parts of different versions

import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted(path for path in (ROOT / "src").rglob("*.[ch]"))
CODE = SOURCES + sorted(path for pattern in ("*.c", "*.h", "*.py", "*.sh")
                        for top in ("tests", "tools", "upstream")
                        for path in (ROOT / top).rglob(pattern))
MAX_FILE, MAX_FUNCTION, MAX_COMPAT = 400, 70, 150


def name(path):
    return str(path.relative_to(ROOT))


def lines(path):
    return path.read_text().splitlines()


def test_files_are_short():
    long = {name(path): len(lines(path)) for path in CODE if len(lines(path)) > MAX_FILE}
    assert not long


def test_functions_are_short():
    long = []
    for path in SOURCES:
        start = None
        for number, line in enumerate(lines(path), 1):
            if line == "{":
                start = number
            elif line == "}" and start:
                if number - start - 1 > MAX_FUNCTION:
                    long.append(f"{name(path)}:{start}")
                start = None
    assert not long


def test_compat_declares_no_more_than_it_must():
    total = sum(len(lines(path)) for path in (ROOT / "src/compat").glob("*.h"))
    assert total <= MAX_COMPAT


def test_python_files_of_tests_have_names_of_their_own():
    """Whoever reads of a file knows which one is meant, and pytest never mixes up two of them."""
    names = [path.name for path in CODE if path.suffix == ".py" and path.relative_to(ROOT).parts[0] == "tests"]
    often = {one for one, count in Counter(names).items() if count > 1}
    assert often <= {"__init__.py", "__main__.py", "conftest.py"}


def test_guest_tests_are_in_the_folder_of_a_subject():
    """tests/guest/README.md has a row for each; a test elsewhere would have none."""
    folders = {path.parent.name for path in (ROOT / "tests/guest").rglob("test_*.py")}
    rows = set(re.findall(r"^\| `(\w+)` \|", (ROOT / "tests/guest/README.md").read_text(), re.M))
    assert folders == rows - {"lib"}


def included(path):
    return re.findall(r'^#include "(.*)"$', path.read_text(), re.M)


def test_model_knows_nothing_else():
    """It is compiled in user space as it is; shim.h is what it has there in place of the kernel's headers."""
    bad = [f"{name(path)}: {header}" for path in SOURCES if path.parent.name == "model"
           for header in included(path) if not header.startswith("model/") and header != "shim.h"]
    assert not bad


def test_only_one_header_leads_to_admin():
    bad = [f"{name(path)}: {header}" for path in SOURCES if path.parent.name != "admin"
           for header in included(path) if header.startswith("admin/") and header != "admin/admin.h"]
    assert not bad


def test_no_version_tests():
    """Distributions backport: a version number says nothing about an interface."""
    bad = [name(path) for path in SOURCES + [ROOT / "Kbuild", ROOT / "src/compat/probe"]
           if re.search(r"LINUX_VERSION_CODE|KERNEL_VERSION\(|RHEL_RELEASE", path.read_text())]
    assert not bad


def test_differences_live_in_compat():
    """Outside compat, nothing is conditional on the kernel."""
    found = [f"{name(path)}: {line}" for path in SOURCES if "compat" not in path.parts
             for line in lines(path)
             if re.match(r"#\s*if", line) and "LW_" in line and not line.endswith("_H")]
    assert found == []


def test_arithmetic_knows_no_kernel_object():
    headers = [path for path in SOURCES if path.parent.name == "model"]
    assert len(headers) > 10
    for header in headers:
        assert not re.search(r"ktime|spin_lock|mutex_lock|kmalloc|atomic_|per_cpu", header.read_text()), header


def test_sources_have_a_licence():
    bad = [name(path) for path in SOURCES
           if "SPDX-License-Identifier: GPL-2.0" not in lines(path)[0]]
    assert not bad


def same_version(directory):
    return subprocess.run(["make", "-s", "same-version"], cwd=directory, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)


@pytest.fixture
def versioned(tmp_path):
    """A copy of all that has the version."""
    for file in ("Makefile", "dkms.conf", "tools/dm_lw/version.py", "rpm/dm-latency-weighted.spec",
                 "rpm/dm-latency-weighted-kmod.spec", "debian/changelog", "NEWS.md"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, tmp_path / file)
    (version,) = re.findall('PACKAGE_VERSION="(.*)"', (ROOT / "dkms.conf").read_text())
    assert same_version(tmp_path).returncode == 0
    return tmp_path, version


@pytest.mark.parametrize("file", ["tools/dm_lw/version.py", "rpm/dm-latency-weighted.spec", "rpm/dm-latency-weighted-kmod.spec",
                                  "debian/changelog"])
def test_nothing_is_built_of_two_versions(versioned, file):
    directory, version = versioned
    path = directory / file
    path.write_text(path.read_text().replace(version, version + "1"))
    done = same_version(directory)
    assert done.returncode and f"{file}: not the version of dkms.conf, {version}\n" in done.stdout


@pytest.mark.parametrize("revision", ["-1~bpo13+1", "-1+nmu1", "-2", "-2ubuntu1~22.04"])
def test_packages_may_have_a_revision(versioned, revision):
    directory, version = versioned
    path = directory / "debian/changelog"
    path.write_text(path.read_text().replace(f"({version}-1)", f"({version}{revision})", 1))
    assert same_version(directory).returncode == 0


@pytest.mark.parametrize("name", ["DESTDIR", "INSTALL_MOD_PATH", "KDIR"])
def test_directory_with_a_space_is_refused(name):
    """make would remove what is at its first word."""
    done = dry_run("dkms-source", f"{name}=/a b")
    assert done.returncode and f'{name} is "/a b": wanted a directory without a space in its name' in done.stdout


@pytest.mark.parametrize("character", "%,")
def test_checkout_with_a_name_that_programs_misread_is_refused(tmp_path, character):
    directory = tmp_path / f"a{character}b"
    directory.mkdir()
    done = dry_run("--directory", str(directory), "--file", str(ROOT / "Makefile"), "clean")
    assert done.returncode and f'CURDIR is "{directory}": wanted a directory without {character} in its name' in done.stdout


def test_make_clean_needs_no_headers():
    done = dry_run("clean", "KDIR=/nonexistent")
    assert (done.returncode, done.stdout) == (0, "rm -rf build\n")


def dry_run(*arguments):
    return subprocess.run(["make", "-s", "-n", *arguments], cwd=ROOT, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
