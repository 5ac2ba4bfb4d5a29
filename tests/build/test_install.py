"""dkms, and make install without it, with each distribution's own tools."""
# promise lifecycle/configured-module

import re

import pytest

MODULE = "dm-latency-weighted"


def dkms(workshop, arguments):
    return workshop.run(f"dkms {arguments} 2>&1")


def test_dkms_life(workshop):
    """add, build, install, status, remove: what an administrator does by hand."""
    name = f"{MODULE}/{workshop.version()}"
    source = f"/usr/src/{MODULE}-{workshop.version()}"
    status, output = workshop.run(f"""
        set -e
        mkdir {source}
        cd /lw/src
        cp -r dkms.conf Kbuild src {source}
        dkms add {name} 2>&1
        dkms build {name} -k {workshop.release} 2>&1
        dkms install {name} -k {workshop.release} 2>&1
        dkms status {name} 2>&1""")
    assert status == 0, output
    assert "Deprecated" not in output and "deprecated" not in output, output
    assert "bad exit status" not in output, output          # dkms also cleans
    assert re.search(rf"{MODULE}[/, ]+{workshop.version()}, {re.escape(workshop.release)}, "
                     r"x86_64: installed", output), output
    assert workshop.installed_at().startswith(f"/lib/modules/{workshop.release}/updates/dkms/")

    status, output = dkms(workshop, f"remove {name} --all")
    assert status == 0, output
    assert not workshop.installed_at()


def test_dkms_rebuilds_for_a_new_kernel(workshop):
    """What the kernel package's hook does after an upgrade: every module marked AUTOINSTALL."""
    status, output = workshop.run(f"""
        set -e
        dkms add {MODULE}/{workshop.version()} 2>&1
        /etc/kernel/postinst.d/dkms {workshop.release} 2>&1""")
    assert status == 0, output
    assert workshop.installed_at()
    status, output = dkms(workshop, f"remove {MODULE}/{workshop.version()} --all")
    assert status == 0, output


@pytest.mark.parametrize("option, headers_alone", [("DM_MULTIPATH", False), ("MODVERSIONS", True)])
def test_dkms_excludes_a_kernel(workshop, option, headers_alone):
    """Skipped, not broken: a failing build would break the upgrade of the package of the kernel or of its headers."""
    name = f"{MODULE}/{workshop.version()}"
    release = "6.99-alone" if headers_alone else workshop.release
    config = f"/lib/modules/{workshop.release}/build/.config"
    _, output = workshop.run(f"""
        set -e
        cp -L {config} /root/config
        trap 'cp /root/config {config}; rm -r /lib/modules/6.99-alone; dkms remove {name} --all' EXIT
        mkdir /lib/modules/6.99-alone
        cp -P /lib/modules/{workshop.release}/build /lib/modules/6.99-alone
        sed -i '/^CONFIG_{option}=/d' {config}
        dkms add {name} 2>&1
        dkms build {name} -k {release} 2>&1 || echo "build: $?"
        /etc/kernel/header_postinst.d/dkms {release} 2>&1 || echo "hook: $?"
        dkms status 2>&1
        dkms --version""")
    assert "BUILD_EXCLUSIVE directive" in output, output
    assert re.search(r"^build: (9|77)$", output, re.M), output
    assert f"{release}, x86_64" not in output, output
    if not re.search(r"^dkms-3\.0\.", output, re.M):
        assert "hook:" not in output, output
    else:
        # dkms 3.0 counts every excluded module as a failure of the hook
        assert "hook: 11" in output, output


def test_make_install_without_dkms(workshop):
    status, output = workshop.make(prepare="")
    assert status == 0, output
    status, output = workshop.run(f"cd /root/module && make install KVER={workshop.release} 2>&1")
    assert status == 0, output
    assert workshop.installed_at().startswith(f"/lib/modules/{workshop.release}/updates/")
    status, output = workshop.run(f"""
        mkdir -p /etc/multipath
        echo 'overrides {{ path_selector "latency-weighted 0" }}' >/etc/multipath.conf
        cd /root/module && make uninstall KVER={workshop.release} 2>&1""")
    assert status != 0 and "uses latency-weighted: /etc/multipath.conf" in output, output
    status, output = workshop.run(f"""
        mkdir -p /root/drop-ins
        mv /etc/multipath.conf /root/drop-ins/x.conf
        echo 'defaults {{ config_dir "/root/drop-ins" }}' >/etc/multipath.conf
        cd /root/module && make uninstall KVER={workshop.release} 2>&1""")
    assert status != 0 and "uses latency-weighted: /root/drop-ins/x.conf" in output, output
    assert workshop.installed_at()
    status, output = workshop.run(f"""
        rm -r /etc/multipath.conf /root/drop-ins
        cd /root/module && make uninstall KVER={workshop.release} 2>&1""")
    assert status == 0, output
    assert not workshop.installed_at()


def test_make_dkms_install_installs_what_is_there_now(workshop):
    """Also if dkms has this version from another source, of which it would say that it is installed."""
    def described():
        status, output = workshop.run(f"modinfo -k {workshop.release} -F description {MODULE}")
        assert status == 0, output
        return output.strip()

    status, output = workshop.run("cd /root/module && make dkms-install 2>&1")
    assert status == 0, output
    before = described()
    status, output = workshop.run("""
        cd /root/module && cp src/main.c /root/main.c
        sed -i 's/^MODULE_DESCRIPTION(.*/MODULE_DESCRIPTION("another one");/' src/main.c
        mkdir -p /lib/modules/5.0-broken/build && echo CONFIG_DM_MULTIPATH=m >/lib/modules/5.0-broken/build/.config
        make dkms-install 2>&1; status=$?
        mv /root/main.c src/main.c
        rm -r /lib/modules/5.0-broken
        exit $status""")
    assert status != 0 and "not for 5.0-broken: see above" in output, output
    assert described() == "another one" != before
    assert workshop.installed_at().startswith(f"/lib/modules/{workshop.release}/updates/dkms/")
    status, output = workshop.run(f"""
        cd /usr/src && cp -r dm-latency-weighted-{workshop.version()} dm-latency-weighted-0.0.1
        sed -i 's/^PACKAGE_VERSION=.*/PACKAGE_VERSION="0.0.1"/' dm-latency-weighted-0.0.1/dkms.conf
        dkms add -m dm-latency-weighted -v 0.0.1 2>&1
        cd /root/module && make dkms-remove 2>&1 && ! ls -d /usr/src/dm-latency-weighted-*""")
    assert status == 0, output
    assert not workshop.installed_at()
    status, output = workshop.run("cd /root/module && make dkms-remove 2>&1")
    assert status != 0 and "dkms does not know dm-latency-weighted" in output, output
    status, output = workshop.run("cd /root/module && make dkms-install KVER=6.99-none 2>&1")
    assert status != 0 and "no headers of a kernel" in output and "6.99-none" in output, output


def test_dkms_gets_nothing_that_was_compiled_before(workshop):
    """Nor what an earlier version had: dkms would link it with what it compiles."""
    earlier = f"/root/there/usr/src/dm-latency-weighted-{workshop.version()}"
    status, output = workshop.run(f"""
        set -e
        cd /root/module
        find src -name '*.o' | grep -q .
        mkdir -p {earlier}/src
        touch {earlier}/src/gone.c
        make -s dkms-source DESTDIR=/root/there
        cd {earlier}
        diff -r -x '*.o' -x '.*' src /lw/src/src
        find . -name '*.o' -o -name '.*.cmd' -o -name gone.c""")
    assert (status, output) == (0, "")
