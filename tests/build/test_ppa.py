"""The source packages for Ubuntu, as a PPA takes them. Of Ubuntu's releases there is no tree; Debian's suites whose
debhelper and dkms are a little older than those take their place, and build what the host builds."""
# promise lifecycle/ppa: The source packages for Ubuntu build the content of the Debian packages, with older
#   debhelper and dkms than Ubuntu's | check: as on 22.04 | full: `builds`: as on 24.04, too

import re
import shutil

import pytest

from tests.build.made import MODULE, run, warnings
from tests.build.test_packages import succeeds
from tests.vm import extra_packages
from tests.vm.places import CHECKOUT

PPA = CHECKOUT / "build" / "ppa"
# By suite, its debhelper and dkms: Ubuntu's release, its name, and the debhelper and dkms there.
STANDS_FOR = {
    "bullseye": ("22.04", "jammy"),     # 13.3.4 and 2.8.4; 13.6 and 2.8.7
    "bookworm": ("24.04", "noble"),     # 13.11.4 and 3.0.10; 13.14.1 and 3.0.11
}


@pytest.fixture(scope="module")
def sources(packages):
    """Each file for the PPA, by its name."""
    told = run("make", "ppa")
    assert not warnings(told), told
    return {path.name: path for path in PPA.iterdir()}


@pytest.fixture
def version(workshop):
    return f"{workshop.version()}-1~ubuntu{STANDS_FOR[workshop.kernel.suite][0]}.1"


def contents(listing):
    """Of a package: mode, owner and name of each file, without the version in names."""
    return {re.sub(r"^(\S+)\s+(\S+)\s+\S+ \S+ \S+ ", r"\1 \2 ", line) for line in listing.splitlines()}


def test_source_is_for_the_release(workshop, sources, version):
    """Unsigned and without binaries; the upstream tarball is the same for all, which a PPA insists on."""
    (tarball,) = (name for name in sources if name.endswith(".orig.tar.gz"))
    changes = sources[f"{MODULE}_{version}_source.changes"].read_text()
    assert f"\nDistribution: {STANDS_FOR[workshop.kernel.suite][1]}\n" in changes
    assert "\nArchitecture: source\n" in changes and changes.startswith("Format: ")
    assert run("sha256sum", sources[tarball]).split()[0] in changes
    assert not [name for name in sources if name.endswith(".deb")]
    assert run("dpkg", "--compare-versions", version, "lt", f"{workshop.version()}-1") == ""


def test_release_builds_the_same(workshop, packages, sources, version):
    suite = workshop.kernel.suite
    wanted = ["build-essential", "debhelper", "python3-docutils"] + ([] if suite == "bullseye" else ["dh-dkms"])
    shutil.copytree(extra_packages.debs(suite, wanted), workshop.upper / "root/debs")
    told = succeeds(workshop, f"""
        set -e
        dpkg --install /root/debs/*.deb >/dev/null 2>&1
        rm -r /root/debs
        cd /root
        dpkg-source --no-check --extract /lw/src/build/ppa/{MODULE}_{version}.dsc source 2>&1
        cd source && dpkg-buildpackage --no-sign --build=binary 2>&1""")
    assert not warnings(told), told
    for name in (f"{MODULE}-dkms", f"{MODULE}-tools"):
        theirs = succeeds(workshop, f"dpkg-deb --contents /root/{name}_{version}_all.deb")
        ours = run("dpkg-deb", "--contents", packages[f"{name}_{workshop.version()}-1_all.deb"])
        assert contents(theirs) == contents(ours)
