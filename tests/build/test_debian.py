"""The packages as Debian would take them today: built and judged by the programs of its newest suite."""
# promise lifecycle/debian-policy: The packages follow Debian's newest policy, debhelper and lintian | check:
#   no | full: `builds`

import shutil

import pytest

from tests.build.made import MODULE, warnings
from tests.build.test_packages import HERE, succeeds
from tests.vm import extra_packages

# The same source is built on Debian 11, 12 and 13 and on Ubuntu 22.04 and 24.04. There debhelper is 13, dpkg misses the two
# fields, and uscan of Debian 12 does not read the newer form of debian/watch.
FOR_OLDER = ",".join([
    "package-uses-old-debhelper-compat-version", "redundant-priority-optional-field",
    "redundant-rules-requires-root-no-field", "older-debian-watch-file-standard"])


@pytest.fixture(scope="module")
def built(workshop, packages):
    """Of the source package; what that printed."""
    wanted = ["build-essential", "debhelper", "dh-dkms", "lintian", "debian-policy", "python3-docutils"]
    shutil.copytree(extra_packages.debs(workshop.kernel.suite, wanted), workshop.upper / "root/debs")
    return succeeds(workshop, f"""
        set -e
        dpkg --install /root/debs/*.deb >/dev/null 2>&1
        rm -r /root/debs
        cd /root
        dpkg-source --no-check --extract {HERE}/packages/{MODULE}_{workshop.version()}-1.dsc source 2>&1
        cd source && dpkg-buildpackage --no-sign 2>&1""")


def test_build_warns_of_nothing(built):
    assert not warnings(built), built


def test_lintian_finds_nothing(workshop, built):
    """Unlike the host's it is of today, so it knows the policy that the packages name."""
    status, found = workshop.run(f"""
        cd /root
        lintian --no-cfg --allow-root --display-info --pedantic --suppress-tags {FOR_OLDER} \
            {MODULE}_{workshop.version()}-1_amd64.changes {MODULE}_{workshop.version()}-1.dsc 2>&1""")
    assert (status, found) == (0, ""), found


def test_policy_is_the_newest(workshop, built):
    newest = succeeds(workshop, "dpkg-query -W -f '${Version}' debian-policy").split(".")[:3]
    assert succeeds(workshop, "sed -n 's/^Standards-Version: //p' /root/source/debian/control").strip() == ".".join(newest)
