"""The packages, made on the host and installed with each distribution's own tools."""
import re
import subprocess

import pytest

from tests.vm.places import CHECKOUT

MODULE = "dm-latency-weighted"
MADE = CHECKOUT / "build" / "packages"
UNPACKED = CHECKOUT / "build" / "rpm" / "unpacked"
HERE = "/lw/src/build"          # the same in the chroot


def run(*command):
    done = subprocess.run(list(map(str, command)), cwd=CHECKOUT, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture(scope="session")
def packages():
    """Made anew, by name."""
    run("rm", "-rf", MADE)
    run("make", "deb", "rpm")
    return {path.name: path for path in MADE.iterdir()}


def is_there(workshop, path):
    return workshop.run(f"test -e {path}")[0] == 0


def test_packages_have_the_version(workshop, packages):
    number = workshop.version()
    assert set(packages) == {
        f"{MODULE}-dkms_{number}_all.deb", f"{MODULE}-tools_{number}_all.deb",
        f"{MODULE}-dkms-{number}-1.noarch.rpm", f"{MODULE}-tools-{number}-1.noarch.rpm",
        f"{MODULE}-{number}-1.src.rpm"}


def test_apt_finds_what_they_depend_on(packages):
    """The trees have no apt; the host's says what it would do."""
    debs = sorted(MADE / name for name in packages if name.endswith(".deb"))
    would = run("apt-get", "--simulate", "install", *debs)
    for name in (f"{MODULE}-dkms", f"{MODULE}-tools"):
        assert f"\nInst {name} (" in would, would


def test_packages_have_the_documents(packages):
    """At the places to which README.md has its links."""
    dkms = {name.rpartition(".")[2]: MADE / name for name in packages if f"{MODULE}-dkms" in name}
    for contents in (run("dpkg-deb", "--contents", dkms["deb"]), run("rpm", "-qlp", dkms["rpm"])):
        for document in re.findall(r"\]\((docs/\S+?)[)#]", (CHECKOUT / "README.md").read_text()):
            assert re.search(rf"/usr/share/doc/(packages/)?{MODULE}-dkms(-[0-9.]+)?/{document}/?$", contents, re.M), document


def test_deb_life(workshop, packages):
    """Installed, the module is compiled, and in the initramfs of who boots from multipath, as
    multipath-tools-boot's hook tells, which a tree has not; purged, all is gone."""
    status, output = workshop.run(f"""
        set -e
        has_module() {{
            mkinitramfs -o /root/initramfs {workshop.release} 2>&1
            echo "$1: $(lsinitramfs /root/initramfs | grep -c '/updates/dkms/{MODULE}[.]ko')"
        }}
        dpkg --install {HERE}/packages/*.deb 2>&1
        dm-lw --help
        hook=/usr/share/initramfs-tools/hooks/multipath
        rm -f $hook
        has_module "without multipath"
        printf '#!/bin/sh\n' >$hook
        chmod +x $hook
        has_module "with multipath"
        """)
    assert status == 0, output
    assert "without multipath: 0\n" in output and "with multipath: 1\n" in output, output
    assert workshop.installed_at().startswith(f"/lib/modules/{workshop.release}/updates/dkms/")
    status, output = workshop.run(f"""
        mkdir -p /etc/multipath/conf.d
        echo 'defaults {{ path_selector "latency-weighted 0" }}' >/etc/multipath/conf.d/x.conf
        dpkg --remove {MODULE}-dkms 2>&1""")
    assert status != 0 and "uses latency-weighted: /etc/multipath/conf.d/x.conf" in output, output
    assert 'first "dm-lw disable"' in output and workshop.installed_at()
    status, output = workshop.run(f"""
        mkdir -p /lib/modules/6.99-lw/kernel
        dpkg --install {HERE}/packages/{MODULE}-dkms_*.deb 2>&1
        code=$?
        rmdir /lib/modules/6.99-lw/kernel /lib/modules/6.99-lw
        exit $code""")
    assert status == 0, output
    assert re.findall(r"dkms: (\S+) has no module", output) == ["6.99-lw"], output
    status, output = workshop.run(f"""
        rm /etc/multipath/conf.d/x.conf
        dpkg --purge {MODULE}-tools {MODULE}-dkms 2>&1""")
    assert status == 0, output
    assert not workshop.installed_at()
    assert not is_there(workshop, f"/usr/src/{MODULE}-{workshop.version()}")
    assert not is_there(workshop, "/usr/sbin/dm-lw")


def test_rpm_life(workshop, packages):
    """What rpm does, without it: Debian's dkms takes the place of Fedora's or SUSE's."""
    run("rm", "-rf", UNPACKED)
    UNPACKED.mkdir(parents=True)
    for name in packages:
        if name.endswith(".noarch.rpm"):
            run("sh", "-c", f"rpm2cpio {packages[name]} | (cd {UNPACKED} && cpio -idm --quiet)")
    dkms = next(packages[name] for name in packages if re.search(r"-dkms-.*noarch\.rpm$", name))
    after, before = (run("rpm", "-qp", "--qf", f"%{{{tag}}}", dkms) for tag in ("POSTIN", "PREUN"))
    status, output = workshop.run(f"""
        set -e
        cp -r {HERE}/rpm/unpacked/* /
        dm-lw --help >/dev/null
        {after}
        dkms status {MODULE} 2>&1""")
    assert status == 0, output
    assert f"{workshop.release}, x86_64: installed" in output, output
    assert workshop.installed_at()
    assert is_there(workshop, f"/usr/lib/dracut/dracut.conf.d/{MODULE}.conf")
    # another release of the same version: its %post, then this %preun
    status, output = workshop.run(f"set -- 1; {before}")
    assert status == 0 and workshop.installed_at(), output
    status, output = workshop.run(f"""
        mkdir -p /etc/multipath
        echo 'defaults {{ path_selector "latency-weighted 0" }}' >/etc/multipath.conf
        set -- 0; {before}""")
    assert status == 1 and 'first "dm-lw disable"' in output and workshop.installed_at(), output
    status, output = workshop.run(f"rm /etc/multipath.conf; set -- 0; {before}")
    assert status == 0, output
    assert not workshop.installed_at()
