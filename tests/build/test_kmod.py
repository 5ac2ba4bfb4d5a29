"""The module compiled, as a kmod for RHEL and a KMP for SUSE: rpmbuild makes them of their source package, as mock and OBS
do, with a kernel's headers where those distributions have them; rpm installs and removes them. The headers are Debian's
under other names, and of SUSE's macros kmp.macros has what the spec uses."""
# promise lifecycle/kmod: A kmod is for one kernel, a KMP for a flavor, each with these files and no others; its
#   module is signed by the key that was named; where no other kernel has the module and multipath is configured for
#   it by hand, it stays when rpm removes the package | check: 5.10 | full: `builds`: all five

import re
import shutil

import pytest

from tests.build.made import MODULE
from tests.build.test_packages import BY_HAND, DROP_IN, ENABLE, HERE, SELECTED, is_there, succeeds
from tests.vm import extra_packages

GUARD = f"/usr/lib/{MODULE}"
DRACUT = f"/usr/lib/dracut/modules.d/90{MODULE}"
KEPT = f"/var/lib/{MODULE}"
COMMON = f"{MODULE}-kmod-common"
KEY, CERTIFICATE = "/root/key.pem", "/root/certificate.pem"
BUILD = f"rpmbuild --nodeps --define '_buildhost localhost' " \
        f"--define 'module_key {KEY}' --define 'module_certificate {CERTIFICATE}'"

# RHEL: one directory with all of it, by the kernel's name.
LAY_OUT_RHEL = """
set -e
name={name} headers=$(readlink -f /lib/modules/{release}/build)
tree=/usr/src/kernels/$name
mkdir -p $tree
cp -rL $(sed -n 's|^include \\(/usr/src/.*\\)/Makefile|\\1|p' $headers/Makefile)/. $tree
mv $tree/Makefile $tree/Makefile.whole
cp -rL $headers/. $tree
mv $tree/Makefile.whole $tree/Makefile
"""
# SUSE: what was configured apart from the source, by architecture and flavor.
LAY_OUT_SUSE = """
set -e
name={name} headers=$(readlink -f /lib/modules/{release}/build)
tree=/usr/src/linux-obj/$(uname -m)/default
mkdir -p $(dirname $tree)
cp -r $headers $tree
for link in scripts tools; do ln -sfn $(readlink -f $headers/$link) $tree/$link; done
"""
# Of the modules only dm's, so that depmod is quick.
NAMED = """
echo $name >$tree/include/config/kernel.release
printf '#define UTS_RELEASE "%s"\\n' $name >$tree/include/generated/utsrelease.h
cd /lib/modules
mkdir -p $name/kernel/drivers
cp {release}/modules.* $name
ln -s ../../../{release}/kernel/drivers/md $name/kernel/drivers/md
ln -s $tree $name/build
"""


class Made:
    """Packages that rpmbuild made in the workshop, by name."""

    def __init__(self, workshop, kernel, told):
        self.workshop = workshop
        self.kernel = kernel
        self.told = told
        wrote = re.findall(r"^Wrote: (.*\.rpm)$", told, re.M)
        self.files = {self.ask(path, "%{name}"): path for path in wrote}
        (self.module,) = (name for name in self.files if name != COMMON)
        self.ko = f"/lib/modules/{kernel}/updates/{MODULE}.ko"

    def rpm(self, arguments):
        """rpm on Debian wants to be told that it is meant. It does not know who provides a kernel."""
        return succeeds(self.workshop, f"""
            exec 2>&1
            ! rpm --help | grep -q force-debian || meant=--force-debian
            rpm --nodeps $meant {arguments}""")

    def ask(self, path, tags):
        return succeeds(self.workshop, f"rpm -qp --qf '{tags}' {path} 2>&1")

    def lines(self, what, name=None):
        return set(succeeds(self.workshop, f"rpm -qp {what} {self.files[name or self.module]} 2>&1").splitlines())

    def install(self):
        return self.rpm(f"-U {' '.join(self.files.values())}")

    def is_found(self):
        """By modprobe."""
        status, output = self.workshop.run(f"modinfo -k {self.kernel} -F filename {MODULE}")
        return status == 0 and output.strip() == self.ko


def source_package(packages):
    (path,) = (path for name, path in packages.items() if re.fullmatch(rf"{MODULE}-kmod-.*\.src\.rpm", name))
    return f"{HERE}/packages/{path.name}"


@pytest.fixture(scope="module")
def equipped(workshop, packages):
    """With rpm, and a key of its own."""
    shutil.copytree(extra_packages.debs(workshop.kernel.suite, ["rpm", "openssl"]), workshop.upper / "root/debs")
    succeeds(workshop, f"""
        set -e
        dpkg --install /root/debs/*.deb >/dev/null 2>&1
        rm -r /root/debs
        cp /lw/src/tests/build/kmp.macros /root/kmp.macros
        make -s -C /lw/src tools-install
        openssl req -new -x509 -newkey rsa:2048 -nodes -days 2 -subj '/CN=Key of a test/' \
            -keyout {KEY} -out {CERTIFICATE} 2>/dev/null""")
    return workshop


def build(workshop, packages, lay_out, name, options):
    succeeds(workshop, (lay_out + NAMED).format(name=name, release=workshop.release))
    told = succeeds(workshop, f"{BUILD} {options} --rebuild {source_package(packages)} 2>&1")
    return Made(workshop, name, told)


@pytest.fixture(scope="module")
def kmod(equipped, packages):
    number = equipped.release.split("-")[0].split("+")[0]
    name = f"{number}-570.12.1.el9_6.x86_64"
    return build(equipped, packages, LAY_OUT_RHEL, name, f"--define 'kernel_release {name}'")


@pytest.fixture(scope="module")
def kmp(equipped, packages):
    number = equipped.release.split("-")[0].split("+")[0]
    return build(equipped, packages, LAY_OUT_SUSE, f"{number}-150600.23.7-default", "--load /root/kmp.macros")


@pytest.fixture(params=["kmod", "kmp"])
def made(request, kmod, kmp):
    return {"kmod": kmod, "kmp": kmp}[request.param]


def test_build_warns_of_nothing(made):
    assert not [line for line in made.workshop.complaints(made.told) if "BTF" not in line], made.told


def test_kmod_is_for_one_kernel(kmod):
    kernel = kmod.kernel
    assert kmod.module == f"kmod-{MODULE}-{kernel[:-len('.x86_64')]}"
    number = kmod.workshop.version()
    assert {f"kernel-uname-r = {kernel}", f"{COMMON} >= {number}"} <= kmod.lines("--requires")
    assert f"{MODULE}-kmod = {number}-1" in kmod.lines("--provides")
    assert kmod.lines("--supplements") == {f"(kernel-uname-r = {kernel} and {COMMON})"}
    assert kmod.lines("--conflicts", COMMON) == {f"{MODULE}-dkms"}
    assert "weak-modules" not in "".join(kmod.lines("--scripts"))


def test_kmp_is_what_suse_calls_one(kmp):
    number = kmp.workshop.version()
    assert kmp.module == f"{MODULE}-kmp-default"
    kernel = kmp.kernel[:-len("-default")].replace("-", "_")
    assert kmp.ask(kmp.files[kmp.module], "%{version}") == f"{number}_k{kernel}"
    assert f"{COMMON} >= {number}" in kmp.lines("--requires")
    assert f"{MODULE}-kmod = {number}" in kmp.lines("--provides")
    assert kmp.lines("--supplements") == {f"(kernel-default and {COMMON})"}


def test_files(made):
    """Each by name, owner and mode; the module is one that the kernel takes, and has no debugging information."""
    def content(name):
        return {line for line in made.lines("-l --qf ''", name) if not re.search("/share/(doc|licenses)/", line)}

    directories = {f"/lib/modules/{made.kernel}", f"/lib/modules/{made.kernel}/updates"}
    assert content(made.module) - directories == {made.ko}
    assert content(COMMON) == {
        GUARD, f"{GUARD}/still-used", f"{GUARD}/before-removal", f"{GUARD}/before-module-goes",
        "/usr/lib/dracut", "/usr/lib/dracut/modules.d", DRACUT, f"{DRACUT}/module-setup.sh"}
    tags = r"[%{filemodes:octal} %{fileusername}:%{filegroupname} %{filenames}\n]"
    everything = {line for path in made.files.values() for line in made.ask(path, tags).splitlines()}
    wrong = [line for line in everything if not re.match(r"(100644|100755|40755|120777) root:root /", line)]
    assert not wrong
    assert f"100644 root:root {made.ko}" in everything
    found = succeeds(made.workshop, f"""
        set -e
        rm -rf /root/unpacked && mkdir /root/unpacked && cd /root/unpacked
        rpm2cpio {made.files[made.module]} | cpio -idm --quiet 2>&1
        modinfo -F vermagic .{made.ko} && modinfo -F version .{made.ko} && readelf -SW .{made.ko}""")
    vermagic, version, *sections = found.splitlines()
    assert vermagic.split()[0] == made.kernel and version == made.workshop.version()
    assert not [line for line in sections if ".debug_" in line]


SPLIT = """
import struct, sys
content = open(sys.argv[1], "rb").read()
magic = b"~Module signature appended~\\n"
assert content.endswith(magic), "not signed"
content = content[:-len(magic)]
kind, length = content[-10], struct.unpack(">I", content[-4:])[0]
assert kind == 2, kind      # PKCS#7
content = content[:-12]
open("signature", "wb").write(content[-length:])
open("module", "wb").write(content[:-length])
open("changed", "wb").write(content[:-length - 1] + bytes([content[-length - 1] ^ 1]))
"""


def signed(workshop, unpack):
    """Who signed the module that `unpack` prints, and what becomes of it and of a changed one, as the kernel would see it:
    the signature is over all that comes before it, by the key of the certificate."""
    return succeeds(workshop, f"""
        set -e
        rm -rf /root/signed && mkdir /root/signed && cd /root/signed
        {unpack} >signed.ko
        python3 - signed.ko <<'END'{SPLIT}END
        for file in module changed; do
            openssl cms -verify -binary -noverify -nointern -certfile {CERTIFICATE} -inform DER -in signature \
                -content $file -out /dev/null >/dev/null 2>&1 && echo $file: verified || echo $file: refused
        done
        modinfo -F signer $PWD/signed.ko""").splitlines()


def test_packages_module_is_signed(made):
    unpacked = f"rpm2cpio {made.files[made.module]} | cpio --quiet -i --to-stdout .{made.ko}"
    assert signed(made.workshop, unpacked) == ["module: verified", "changed: refused", "Key of a test"]


# promise lifecycle/dkms-key: dkms signs by the key that its configuration names | check: no | full: `builds`: all
#   but 5.10, whose dkms signs nothing
def test_dkms_signs(equipped, packages):
    """By a key that its configuration names, as docs/install.md says."""
    version = succeeds(equipped, "dkms --version").strip()
    if version.startswith("dkms:"):
        pytest.skip(f"{version} signs nothing: it is older than 3")
    succeeds(equipped, f"""
        printf 'mok_signing_key=%s\nmok_certificate=%s\n' {KEY} {CERTIFICATE} >>/etc/dkms/framework.conf
        cd /lw/src && make -s dkms-install KVER={equipped.release} DESTDIR= 2>&1""")
    module = equipped.installed_at()
    unpack = {".ko": "cat", ".xz": "xz -dc", ".zst": "zstd -qdc"}[module[module.rindex("."):]]
    assert signed(equipped, f"{unpack} {module}") == ["module: verified", "changed: refused", "Key of a test"]
    succeeds(equipped, "cd /lw/src && make -s dkms-remove 2>&1")


def test_life(made):
    """Installed, again, and removed where nobody but "dm-lw enable" has multipath use it."""
    made.install()
    assert made.is_found()
    made.rpm(f"-U --replacepkgs {' '.join(made.files.values())}")
    assert made.is_found()
    succeeds(made.workshop, ENABLE)
    told = made.rpm(f"-e {made.module} {COMMON}")
    assert f"{DROP_IN}: removed" in told and not is_there(made.workshop, DROP_IN), told
    for path in (made.ko, GUARD, DRACUT, KEPT):
        assert not is_there(made.workshop, path)
    assert made.workshop.run(f"modinfo -k {made.kernel} {MODULE}")[0] != 0


def test_module_stays_where_it_is_configured_by_hand(made):
    """With what later kernels need; removed once more when nothing names it, all goes."""
    made.install()
    succeeds(made.workshop, f"mkdir -p $(dirname {BY_HAND}); echo '{SELECTED}' >{BY_HAND}")
    told = made.rpm(f"-e {made.module}")
    assert f"uses latency-weighted: {BY_HAND}" in told and "stays" in told, told
    assert made.is_found() and not is_there(made.workshop, KEPT)
    made.rpm(f"-e {COMMON}")
    assert is_there(made.workshop, f"{GUARD}/before-module-goes") and is_there(made.workshop, f"{DRACUT}/module-setup.sh")
    made.install()
    succeeds(made.workshop, f"rm {BY_HAND}")
    made.rpm(f"-e {made.module} {COMMON}")
    assert not is_there(made.workshop, made.ko) and not is_there(made.workshop, GUARD)


def test_module_of_one_of_several_kernels_goes(made):
    """The configuration stays as it is, since the other kernel has the module; the one without it is named."""
    made.install()
    other = "/lib/modules/6.99-other/updates"
    succeeds(made.workshop, f"mkdir -p {other} && cp {made.ko} {other}\n{ENABLE}")
    told = made.rpm(f"-e {made.module}")
    assert "has no module from now on" in told and not is_there(made.workshop, made.ko), told
    assert is_there(made.workshop, DROP_IN)
    succeeds(made.workshop, f"rm -r /lib/modules/6.99-other {DROP_IN}")
    made.rpm(f"-e {COMMON}")


def test_upgrade_leaves_the_module(kmod, packages):
    """Another release for the same kernel, made by make, with multipath configured by hand."""
    kmod.install()
    succeeds(kmod.workshop, f"mkdir -p $(dirname {BY_HAND}); echo '{SELECTED}' >{BY_HAND}")
    told = succeeds(kmod.workshop, f"""
        set -e
        mkdir /root/newer && tar -C /root/newer --strip-components=1 -xzf {HERE}/packages/{MODULE}-*.tar.gz
        cd /root/newer
        sed -i 's/^Release:.*/Release: 2%{{?dist}}/' rpm/*.spec
        make kmod-rpm KVER={kmod.kernel} KEY={KEY} CERTIFICATE={CERTIFICATE} 2>&1""")
    newer = Made(kmod.workshop, kmod.kernel, re.sub("/build/rpm/RPMS/[^/]*/", "/build/packages/", told))
    assert newer.module == kmod.module
    assert newer.install() == ""
    assert newer.is_found() and not is_there(kmod.workshop, KEPT)
    told = succeeds(kmod.workshop, f"rpm -q --qf '%{{release}}\\n' {kmod.module} {COMMON}")
    assert told.split() == ["2"] * 2
    succeeds(kmod.workshop, f"rm {BY_HAND}")
    newer.rpm(f"-e {newer.module} {COMMON}")
    assert not is_there(kmod.workshop, kmod.ko)


def test_no_headers_are_told(kmod, packages):
    status, told = kmod.workshop.run(f"{BUILD} --define 'kernel_release 9.9-none' --rebuild {source_package(packages)} 2>&1")
    assert status and "no kernel's headers in /usr/src/kernels/9.9-none: install kernel-devel" in told, told
