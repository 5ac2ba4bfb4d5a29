"""The packages, made on the host and installed with each distribution's own tools."""
# promise lifecycle/configured-module: The package, `make dkms-remove` and `make uninstall` do not remove the module
#   while multipath is configured for it, at any revision of the package; upgrades, downgrades and reinstallation
#   leave the configuration alone | check: packages on 5.10, dkms on 7.2 | full: `builds`: all five
# promise lifecycle/removal: The removal of a package undoes `dm-lw enable`, and no configuration by hand; a map in
#   use stays, and no I/O fails | check: 5.10; 7.2 | full: `builds`, `guests-*`
# promise lifecycle/scriptlets: No scriptlet of the rpms fails, with dkms or without (run by Debian's shell, not by
#   rpm; see `README.md`) | check: 5.10 | full: `builds`: all five
# promise lifecycle/rpm-upgrade: An upgrade of the rpm leaves each kernel with headers a module: the new one, or the
#   old one where that does not compile | check: 5.10 | full: `builds`: all five

import re
import shutil

import pytest

from tests.build.made import MADE, MODULE, run
from tests.vm import extra_packages
from tests.vm.places import CHECKOUT

UNPACKED = CHECKOUT / "build" / "rpm" / "unpacked"
HERE = "/lw/src/build"          # the same in the chroot
# Than the packages without a revision of their own; it is not in dkms.conf.
OLDER = "~bpo13+1"
DROP_IN = "/etc/multipath/conf.d/zz-latency-weighted.conf"
KEPT = f"/etc/{MODULE}"
DRACUT = f"/usr/lib/dracut/modules.d/90{MODULE}"
BY_HAND = "/etc/multipath/conf.d/by-hand.conf"
SELECTED = 'defaults { path_selector "latency-weighted 0" }'
# As dm-lw enable does it, for which there would have to be a map.
ENABLE = f"""
    mkdir -p $(dirname {DROP_IN})
    PYTHONPATH=/usr/share/{MODULE} python3 -B -c '
from dm_lw import dropin, host, scope
dropin.DropIn(host.Host(), "{DROP_IN[1:].rpartition("/")[0]}").write(scope.AllMaps())'
"""


def is_there(workshop, path):
    return workshop.run(f"test -e {path}")[0] == 0


def succeeds(workshop, script):
    """What it printed."""
    status, output = workshop.run(script)
    assert status == 0, output
    return output


def debs(revision, number, *names):
    return " ".join(f"{HERE}/packages/{MODULE}-{name}_{number}-1{revision}_all.deb" for name in names)


def test_packages_have_the_version(workshop, packages):
    number = workshop.version()
    debian = f"{MODULE}_{number}-1"
    assert set(packages) == {
        f"{MODULE}-{number}.tar.gz",
        f"{MODULE}-dkms_{number}-1_all.deb", f"{MODULE}-tools_{number}-1_all.deb", f"{MODULE}_{number}.orig.tar.gz",
        f"{debian}.debian.tar.xz", f"{debian}.dsc", f"{debian}_amd64.buildinfo", f"{debian}_amd64.changes",
        f"{MODULE}-dkms-{number}-1.noarch.rpm", f"{MODULE}-tools-{number}-1.noarch.rpm",
        f"{MODULE}-{number}-1.src.rpm", f"{MODULE}-kmod-{number}-1.src.rpm"}


def test_apt_finds_what_they_depend_on(packages):
    """The trees have no apt; the host's says what it would do."""
    debs = sorted(MADE / name for name in packages if name.endswith(".deb"))
    would = run("apt-get", "--simulate", "install", *debs)
    for name in (f"{MODULE}-dkms", f"{MODULE}-tools"):
        assert f"\nInst {name} (" in would, would


def test_packages_have_the_documents(packages):
    """At the places to which README.md has its links."""
    dkms = {path.suffix: path for name, path in packages.items() if f"{MODULE}-dkms" in name}
    for contents in (run("dpkg-deb", "--contents", dkms[".deb"]), run("rpm", "-qlp", dkms[".rpm"])):
        for document in re.findall(r"\]\((docs/\S+?)[)#]", (CHECKOUT / "README.md").read_text()):
            assert re.search(rf"/usr/share/doc/(packages/)?{MODULE}-dkms(-[0-9.]+(~rc[0-9]+)?)?/{document}/?$", contents, re.M), document


def test_packages_have_what_others_look_for(packages):
    """udev, bash and zsh, each at its place, which for zsh Debian has its own."""
    tools = {name.rpartition(".")[2]: MADE / name for name in packages if f"{MODULE}-tools" in name}
    for contents, site in ((run("dpkg-deb", "--contents", tools["deb"]), "vendor-completions"),
                           (run("rpm", "-qlp", tools["rpm"]), "site-functions")):
        for file in (f"lib/udev/rules.d/65-{MODULE}.rules", "share/bash-completion/completions/dm-lw",
                     f"share/zsh/{site}/_dm-lw", f"share/{MODULE}/dm_lw/templates/bench.html.j2"):
            assert re.search(rf"/usr/{re.escape(file)}$", contents, re.M), file
        for page in ("man7/latency-weighted.7", "man8/dm-lw.8"):
            assert re.search(rf"/usr/share/man/{page}(\.gz)?$", contents, re.M), page


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
        sed -i 's/^MODULES=.*/MODULES=list/' /etc/initramfs-tools/initramfs.conf     # only what hooks add
        has_module "with multipath"
        """)
    assert status == 0, output
    assert "without multipath: 0\n" in output and "with multipath: 1\n" in output, output
    assert workshop.installed_at().startswith(f"/lib/modules/{workshop.release}/updates/dkms/")
    succeeds(workshop, f"mkdir {KEPT} && dpkg --remove {MODULE}-tools 2>&1")
    assert is_there(workshop, KEPT)
    succeeds(workshop, f"dpkg --purge {MODULE}-tools {MODULE}-dkms 2>&1")
    assert not workshop.installed_at()
    for path in (f"/usr/src/{MODULE}-{workshop.version()}", f"/usr/lib/{MODULE}", "/usr/sbin/dm-lw", KEPT):
        assert not is_there(workshop, path)


def test_deb_revisions(workshop, packages):
    """Upgrades, downgrades and reinstallation while multipath is configured for the selector: the module is there
    afterwards, and the configuration stays. A kernel that is left without it is named, also if nothing can be compiled."""
    number = workshop.version()
    run("make", "deb", f"REVISION={OLDER}")
    for revision in [OLDER, "", OLDER]:
        output = succeeds(workshop, f"""
            mkdir -p /lib/modules/6.99-lw/kernel
            dpkg --install {debs(revision, number, "dkms", "tools")} 2>&1
            code=$?
            rmdir /lib/modules/6.99-lw/kernel /lib/modules/6.99-lw
            exit $code""")
        assert "still-used: not found" not in output and workshop.installed_at(), output
        if is_there(workshop, DROP_IN):
            assert re.findall(r"dkms: (\S+) has no module", output) == ["6.99-lw"], output
        else:
            succeeds(workshop, ENABLE)
    status, output = workshop.run(f"""
        mv /usr/bin/make /usr/bin/make.away
        dpkg --install {debs(OLDER, number, "dkms")} 2>&1""")
    assert status and f"dkms: {workshop.release} has no module" in output, output
    succeeds(workshop, "mv /usr/bin/make.away /usr/bin/make; dpkg --configure --pending 2>&1")
    assert workshop.installed_at()
    assert "path_selector" in succeeds(workshop, f"cat {DROP_IN}")


def test_deb_upgrade_that_fails_brings_the_module_back(workshop, packages):
    """As of a full disk: dpkg has run the installed package's prerm when it finds that it cannot unpack the other one."""
    status, output = workshop.run(f"""
        head -c -1000 {debs("", workshop.version(), "dkms")} >/root/cut.deb
        dpkg --install /root/cut.deb 2>&1""")
    assert status and "error processing archive" in output, output
    assert workshop.installed_at(), output
    assert "ok installed" in succeeds(workshop, f"dpkg-query -W -f '${{Status}}' {MODULE}-dkms")


def test_deb_removal_undoes_enable(workshop, packages):
    """Both packages at a time, or the tool alone; then nothing keeps the module."""
    for names in ("dkms", "tools"):
        succeeds(workshop, ENABLE)
        output = succeeds(workshop, f"dpkg --remove {MODULE}-{names} 2>&1")
        assert f"{DROP_IN}: removed" in output and not is_there(workshop, DROP_IN), output
    assert not workshop.installed_at()


def test_deb_stays_where_it_is_configured_by_hand(workshop, packages):
    """Also by what enable wrote, without the line that says so."""
    succeeds(workshop, f"""
        dpkg --install {debs("", workshop.version(), "dkms", "tools")} 2>&1
        {ENABLE}
        sed -i 1d {DROP_IN}
        echo '{SELECTED}' >{BY_HAND}
        dpkg --remove {MODULE}-tools 2>&1
        /var/lib/dpkg/info/{MODULE}-dkms.prerm deconfigure in-favour another 1 2>&1""")
    assert workshop.installed_at()
    for path in (BY_HAND, DROP_IN):
        status, output = workshop.run(f"dpkg --purge {MODULE}-dkms 2>&1")
        assert status != 0 and "is not removed: change that by hand" in output, output
        assert re.search(rf"uses latency-weighted: .*{path}", output), output
        assert workshop.installed_at() and is_there(workshop, DROP_IN)
        assert "ok installed" in succeeds(workshop, f"dpkg-query -W -f '${{Status}}' {MODULE}-dkms")
        succeeds(workshop, f"rm -f {BY_HAND}")
    succeeds(workshop, f"rm {DROP_IN}; dpkg --purge {MODULE}-dkms {MODULE}-tools 2>&1")
    assert not workshop.installed_at()


class Rpm:
    """What rpm does with a package, without it: the trees have none, and their dkms takes the place of Fedora's."""

    def __init__(self, workshop, packages, name):
        self.workshop = workshop
        self.file = next(packages[each] for each in packages if re.search(rf"-{name}-.*noarch\.rpm$", each))
        self.files = f"{HERE}/rpm/unpacked/{name}"
        unpacked = UNPACKED / name
        run("rm", "-rf", unpacked)
        unpacked.mkdir(parents=True)
        run("sh", "-c", f"rpm2cpio {self.file} | (cd {unpacked} && cpio -idm --quiet)")

    def script(self, tag, left):
        """Run it; it must not fail. `left` are how many versions of the package there will be."""
        text = run("rpm", "-qp", "--qf", f"%{{{tag}}}", self.file)
        return succeeds(self.workshop, f"exec 2>&1; set -- {left}\n{'' if text == '(none)' else text}")

    def install(self):
        succeeds(self.workshop, f"cp -r {self.files}/* /")
        return self.script("POSTIN", 1)

    def remove(self):
        told = self.script("PREUN", 0)
        self.remove_files()
        return told + self.script("POSTUN", 0)

    def remove_files(self, but=""):
        succeeds(self.workshop, f"""
            cd {self.files} && find . ! -type d {but} | (cd / && xargs rm)
            find . -mindepth 3 -depth -type d | (cd / && xargs rmdir --ignore-fail-on-non-empty)""")


@pytest.fixture
def rpms(workshop, packages):
    return [Rpm(workshop, packages, name) for name in ("dkms", "tools")]


def modules_in_initramfs(workshop):
    """By dracut, of the selector and of what comes after it in add_drivers."""
    return succeeds(workshop, f"""
        dracut --force --quiet --modules {MODULE} --add-drivers zram /tmp/image {workshop.release} 2>&1
        lsinitrd /tmp/image | grep -o '[^/]*[.]ko'""").split()


# promise lifecycle/dracut: dracut takes the module, and the initramfs of a kernel without it misses no other driver
#   | check: 5.10 | full: `builds`: all five
def test_rpm_life(workshop, rpms):
    dkms, tools = rpms
    shutil.copytree(extra_packages.debs(workshop.kernel.suite, ["dracut-core"]), workshop.upper / "root/dracut")
    succeeds(workshop, "dpkg --install --force-depends /root/dracut/*.deb 2>&1")
    tools.install()
    dkms.install()
    output = succeeds(workshop, f"dm-lw --help >/dev/null && dkms status {MODULE} 2>&1")
    assert f"{workshop.release}, x86_64: installed" in output, output
    assert workshop.installed_at()
    assert {f"{MODULE}.ko", "zram.ko"} <= set(modules_in_initramfs(workshop))
    # an upgrade, and another release of the same version, of which this script runs after the other's %post
    succeeds(workshop, ENABLE)
    dkms.script("PREUN", 1)
    tools.script("PREUN", 1)
    assert workshop.installed_at() and is_there(workshop, DROP_IN)
    output = dkms.remove()
    assert f"{DROP_IN}: removed" in output and not is_there(workshop, DROP_IN), output
    assert not workshop.installed_at()
    # as of a kernel for which the module does not compile
    succeeds(workshop, f"cp -r {dkms.files}{DRACUT} {DRACUT}")
    found = modules_in_initramfs(workshop)
    assert f"{MODULE}.ko" not in found and "zram.ko" in found
    succeeds(workshop, f"rm -r {DRACUT}")
    for path in (f"/usr/src/{MODULE}-{workshop.version()}", f"/usr/lib/{MODULE}", f"/var/lib/{MODULE}"):
        assert not is_there(workshop, path)
    succeeds(workshop, ENABLE)
    assert f"{DROP_IN}: removed" in tools.remove() and not is_there(workshop, DROP_IN)


def newer_source(workshop, broken=False):
    """Another version for dkms, as a newer package has it, and without what an older one built."""
    source = f"/usr/src/{MODULE}-0.9.9"
    succeeds(workshop, f"""
        rm -rf {source}
        cp -r /usr/src/{MODULE}-{workshop.version()} {source}
        sed -i 's/^PACKAGE_VERSION=.*/PACKAGE_VERSION="0.9.9"/' {source}/dkms.conf
        {f"echo '#error broken' >>{source}/src/main.c" if broken else ":"}""")


def test_rpm_upgrade_has_the_module_for_all_kernels(workshop, rpms):
    """An older kernel too, and the old version where the new one does not compile. dkms is where SUSE has its script."""
    dkms, _ = rpms
    succeeds(workshop, "mkdir -p /usr/libexec && mv /usr/lib/dkms /usr/libexec")
    older = f"{workshop.release}-older"
    succeeds(workshop, f"cp -r /lib/modules/{workshop.release} /lib/modules/{older}")
    kernels = succeeds(workshop, "cd /lib/modules && ls -d */build | cut -d/ -f1").split()
    assert {workshop.release, older} <= set(kernels)
    dkms.install()
    known = succeeds(workshop, f"dkms status {MODULE} 2>&1")
    assert all(f", {kernel}, x86_64: installed" in known for kernel in kernels), known
    newer_source(workshop, broken=True)
    workshop.run(f"dkms add -m {MODULE} -v 0.9.9; dkms build -m {MODULE} -v 0.9.9 -k {workshop.release}")
    output = dkms.script("PREUN", 1)
    assert "could not be compiled, so the old one stays" in output and workshop.installed_at(), output
    # of the old package's files the new one has all but the source
    dkms.remove_files(but="-path './usr/src/*'")
    dkms.script("POSTUN", 1)
    output = succeeds(workshop, f"dkms status {MODULE} 2>&1; ls /usr/src/{MODULE}-{workshop.version()}/dkms.conf 2>&1")
    assert "Error" not in output and "broken" not in output, output
    newer_source(workshop)
    succeeds(workshop, f"""
        for kernel in {" ".join(kernels)}; do
            dkms install --force -m {MODULE} -v 0.9.9 -k $kernel 2>&1
        done""")
    assert "could not be compiled" not in dkms.script("PREUN", 1)
    known = succeeds(workshop, f"dkms status {MODULE} 2>&1")
    assert workshop.version() not in known and known.count(": installed") == len(kernels), known
    assert workshop.installed_at()
    # a version that stayed goes with the package
    dkms.remove()
    assert not workshop.installed_at() and not is_there(workshop, f"/usr/src/{MODULE}-0.9.9")
    succeeds(workshop, f"rm -r /lib/modules/{older} && mv /usr/libexec/dkms /usr/lib")


def test_rpm_leaves_the_module_where_it_is_configured_by_hand(workshop, rpms):
    """With all that dkms needs to compile it for another kernel, until it is removed once more."""
    dkms, _ = rpms
    dkms.install()
    succeeds(workshop, f"mkdir -p $(dirname {BY_HAND}); echo '{SELECTED}' >{BY_HAND}")
    output = dkms.remove()
    assert f"uses latency-weighted: {BY_HAND}" in output and "So the module stays" in output, output
    assert workshop.installed_at()
    succeeds(workshop, f"""
        dkms uninstall {MODULE}/{workshop.version()} -k {workshop.release} 2>&1
        ! modinfo -k {workshop.release} {MODULE} 2>&1
        /etc/kernel/postinst.d/dkms {workshop.release} 2>&1""")
    assert workshop.installed_at()
    assert is_there(workshop, f"{DRACUT}/module-setup.sh")
    assert not is_there(workshop, f"/var/lib/{MODULE}")
    dkms.install()
    succeeds(workshop, f"rm {BY_HAND}")
    dkms.remove()
    assert not workshop.installed_at() and not is_there(workshop, f"/usr/lib/{MODULE}")


def test_rpm_scripts_succeed_without_dkms(workshop, rpms):
    """Or rpm would leave a package half installed, or half removed."""
    succeeds(workshop, "mv /usr/sbin/dkms /usr/sbin/dkms.away && mv /usr/lib/dkms /usr/lib/dkms.away")
    for package in rpms:
        package.install()
        package.script("PREUN", 1)
        package.script("POSTUN", 1)
        package.remove()
    succeeds(workshop, "mv /usr/sbin/dkms.away /usr/sbin/dkms && mv /usr/lib/dkms.away /usr/lib/dkms")
