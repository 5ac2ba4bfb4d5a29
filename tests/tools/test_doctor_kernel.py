"""Each check of dm-lw doctor that looks at module and kernel."""
# promise output/doctor

import os

import pytest
from dm_lw import initramfs
from dm_lw.doctor import checks_kernel as checks
from dm_lw.doctor import perform
from dm_lw.errors import LwError

from .fake_host import OTHER, RUNNING, FakeHost, only

LOADED = "sys/module/dm_latency_weighted/"
OUR_FILE = "usr/lib/modules/%s/updates/dkms/dm-latency-weighted.ko.xz\n" % RUNNING


@pytest.fixture
def host(tmp_path):
    host = FakeHost(tmp_path)
    host.add_kernel(RUNNING)
    return host


def test_module_loaded(host):
    host.write(LOADED + "srcversion", "ABCDEF\n")
    assert only(checks.module(host)) == ("ok", "dm-latency-weighted 0.1.0 is loaded")


def test_module_not_loaded_yet(host):
    result, text = only(checks.module(host))
    assert result == "ok" and "will be loaded" in text


def test_module_of_another_build(host):
    host.write(LOADED + "srcversion", "012345\n")
    result, text = only(checks.module(host))
    assert result == "warn" and "another build" in text


def test_module_missing(host):
    host.add_kernel(RUNNING, module=False)
    result, text = only(checks.module(host))
    assert result == "fail"
    assert text == "the running kernel %s has no module dm-latency-weighted" % RUNNING


def test_module_loaded_but_not_installed(host):
    host.add_kernel(RUNNING, module=False)
    host.write(LOADED + "version", "0.1.0\n")
    (finding,) = checks.module(host)
    assert finding.result == "fail" and "gone after a boot" in finding.text


def test_module_missing_though_dkms_has_its_source(host):
    host.add_kernel(RUNNING, module=False)
    for version in ("0.9.0", "0.10.0"):
        host.make("usr/src/dm-latency-weighted-" + version)
    (finding,) = checks.module(host)
    assert finding.advice.endswith("dkms install dm-latency-weighted/0.10.0 -k " + RUNNING)


def test_module_missing_and_its_source(host):
    host.add_kernel(RUNNING, module=False)
    (finding,) = checks.module(host)
    assert "make dkms-install" in finding.advice and "/usr/src" not in finding.advice


def test_module_for_another_kernel(host):
    host.add_kernel(RUNNING, vermagic="6.11.0-other")
    result, text = only(checks.module(host))
    assert result == "fail" and text.endswith("was built for 6.11.0-other")


def test_modinfo_prints_garbage(host):
    host.answer("modinfo -k %s" % RUNNING, "\x00\xff:::\n\n:\n")
    result, text = only(checks.module(host))
    assert result == "fail" and "built for no kernel" in text


def test_modinfo_missing(host):
    host.answers.clear()
    (finding,) = perform(checks.module, host)
    assert (finding.result, finding.text) == ("warn", "cannot tell: modinfo is not installed")


def test_all_kernels_have_it(host):
    host.add_kernel(OTHER)
    result, text = only(checks.other_kernels(host))
    assert result == "ok" and OTHER in text and RUNNING in text


@pytest.mark.parametrize("configured, expected", [(True, "fail"), (False, "warn")])
def test_kernel_without_it(host, configured, expected):
    host.add_kernel(OTHER, module=False)
    if configured:
        host.set_drop_in("latency-weighted 0")
    result, text = only(checks.other_kernels(host))
    assert (result, text) == (expected, "%s has no module dm-latency-weighted" % OTHER)


def test_what_is_no_kernel_does_not_count(host):
    host.write("lib/modules/5.10.0-headers-only/build")
    host.write("lib/modules/5.10.0-removed/modules.dep", "kernel/drivers/md/dm-multipath.ko:\n")
    host.write("lib/modules/6.1.0-cloud/kernel/keep")
    host.write("lib/modules/6.1.0-cloud/modules.dep", "kernel/fs/ext4/ext4.ko:\n")
    assert only(checks.other_kernels(host))[0] == "ok"


def test_kernel_with_multipath_built_in(host):
    host.write("boot/vmlinuz-6.9.0-own")
    host.write("lib/modules/6.9.0-own/modules.builtin", "kernel/drivers/md/dm-multipath.ko\n")
    host.answer("modinfo -k 6.9.0-own", status=1)
    assert only(checks.other_kernels(host))[1].startswith("6.9.0-own has no module")


def lock_down(host):
    host.write("sys/kernel/security/lockdown", "none [integrity] confidentiality\n")


def test_unsigned_where_nobody_asks(host):
    host.write("sys/kernel/security/lockdown", "[none] integrity confidentiality\n")
    host.write("sys/module/module/parameters/sig_enforce", "N\n")
    assert only(checks.signature(host)) == ("ok", "this kernel takes unsigned modules")


@pytest.mark.parametrize("file, content", [
    ("sys/kernel/security/lockdown", "none [integrity] confidentiality\n"),
    ("sys/kernel/security/lockdown", "none integrity [confidentiality]\n"),
    ("sys/module/module/parameters/sig_enforce", "Y\n"),
])
def test_unsigned_under_secure_boot(host, file, content):
    host.write(file, content)
    host.make("usr/src/dm-latency-weighted-0.1.0")
    (finding,) = checks.signature(host)
    assert finding.result == "fail" and "not signed for " + RUNNING in finding.text
    ours = "dm-latency-weighted/0.1.0 -k " + RUNNING
    assert "dkms build --force %s; dkms install --force %s;" % (ours, ours) in finding.advice
    assert finding.advice.startswith("dkms signs it: install openssl, then install the kernel's headers, ")
    host.answer("openssl")
    (finding,) = checks.signature(host)
    assert "openssl" not in finding.advice


@pytest.mark.parametrize("system, key", [("ID=debian\n", "var/lib/dkms/mok.pub"),
                                         ("ID=ubuntu\n", "var/lib/shim-signed/mok/MOK.der")])
def test_key_that_dkms_will_make(host, system, key):
    host.write("sys/module/module/parameters/sig_enforce", "Y\n")
    host.write("etc/os-release", system)
    (finding,) = checks.signature(host)
    assert "mokutil --import /%s, which asks for a password" % key in finding.advice


def test_signed_and_loaded(host):
    lock_down(host)
    host.add_kernel(RUNNING, signer="DKMS module signing key")
    host.write(LOADED + "version", "0.1.0\n")
    assert only(checks.signature(host))[0] == "ok"


@pytest.mark.parametrize("said, expected", [
    ("/var/lib/dkms/mok.pub is already enrolled\n", "ok"),
    ("/var/lib/dkms/mok.pub is not enrolled\n", "fail"),
    ("", "fail"),
])
def test_key_asked_of_mokutil(host, said, expected):
    lock_down(host)
    host.add_kernel(RUNNING, sig_id="PKCS#7")
    host.write("var/lib/dkms/mok.pub", b"\x30\x82")
    host.answer("mokutil --test-key", said, status=1)
    assert only(checks.signature(host))[0] == expected


def test_signed_with_who_knows_what(host):
    lock_down(host)
    host.add_kernel(RUNNING, sig_id="PKCS#7")
    assert only(checks.signature(host))[0] == "warn"


def put_root_on_multipath(host):
    """LVM on a partition of a map, as installers make it."""
    host.write("proc/self/mountinfo",
               "22 1 0:21 / /proc rw - proc proc rw\n"
               "27 1 253:5 / / rw,relatime shared:1 - ext4 /dev/mapper/vg-root rw\n")
    devices = "sys/devices/virtual/block"
    for dm, uuid, below in (("dm-5", "LVM-abc", "dm-2"), ("dm-2", "part1-mpath-3600", "dm-0"),
                            ("dm-0", "mpath-3600", "sda")):
        host.write("%s/%s/dm/uuid" % (devices, dm), uuid + "\n")
        host.make("%s/%s/slaves" % (devices, dm))
        link(host, "%s/%s" % (devices, below), "%s/%s/slaves/%s" % (devices, dm, below))
    host.make(devices + "/sda/slaves")
    link(host, devices + "/dm-5", "sys/dev/block/253:5")


def link(host, target, name):
    host.make(os.path.dirname(name))
    os.symlink(host.path(target), host.path(name))


def test_root_elsewhere(host):
    host.write("proc/self/mountinfo", "27 1 8:1 / / rw shared:1 - ext4 /dev/sda1 rw\n")
    assert only(checks.initramfs(host)) == ("ok", "the root is not on multipath")


@pytest.mark.parametrize("text", ["", "garbage\n\x00 \n- - -\n", "1 2 3:4 / / rw\n" * 3])
def test_mountinfo_is_garbage(host, text):
    host.write("proc/self/mountinfo", text)
    assert only(checks.initramfs(host))[0] == "ok"


def put_image_of_dracut(host, listing):
    """Of a system whose root is on multipath."""
    put_root_on_multipath(host)
    host.write("boot/initramfs-%s.img" % RUNNING)
    host.answer("lsinitrd", listing)
    host.answer("dracut")


def test_root_on_multipath_and_no_configuration_in_the_initramfs(host):
    """Debian: the map begins with the default selector."""
    put_root_on_multipath(host)
    host.set_drop_in("latency-weighted 0")
    host.write("boot/initrd.img-" + RUNNING)
    host.answer("lsinitramfs", "etc/multipath.conf\nusr/sbin/multipathd\n")
    assert only(checks.initramfs(host))[0] == "ok"


def test_initramfs_has_both(host):
    put_root_on_multipath(host)
    host.write("etc/multipath.conf", 'defaults {\n path_selector "latency-weighted 0"\n}\n')
    host.write("boot/initrd.img-" + RUNNING)
    host.answer("lsinitramfs", "etc/multipath.conf\n" + OUR_FILE)
    assert only(checks.initramfs(host))[0] == "ok"


def test_initramfs_has_the_configuration_alone(host):
    put_root_on_multipath(host)
    host.write("etc/multipath.conf", 'defaults {\n path_selector "latency-weighted 0"\n}\n')
    host.write("boot/initrd.img-" + RUNNING)
    host.answer("lsinitramfs", "etc/multipath.conf\nusr/sbin/multipathd\n")
    (finding,) = checks.initramfs(host)
    assert finding.result == "fail" and "would not find its root" in finding.text
    assert "update-initramfs -u" in finding.advice


def test_dracut_will_take_over_the_drop_in(host):
    put_image_of_dracut(host, "etc/multipath.conf\n")
    (finding,) = checks.initramfs(host)
    assert finding.result == "warn" and "takes over drop-ins" in finding.text
    assert "add_drivers" in finding.advice


def test_image_is_where_nobody_looks(host):
    """A unified kernel image, or systemd-boot's."""
    put_root_on_multipath(host)
    host.answer("dracut")
    (finding,) = checks.initramfs(host)
    assert finding.result == "warn" and "is not known" in finding.text and RUNNING in finding.text


def test_dracut_took_over_the_drop_in(host):
    put_image_of_dracut(host, "etc/multipath.conf\netc/multipath/conf.d/zz-latency-weighted.conf\n")
    host.set_drop_in("latency-weighted 0")
    assert only(checks.initramfs(host))[0] == "fail"


def test_initramfs_has_what_the_host_has_no_more(host):
    """As after "dm-lw disable": not the module is to be added, but the drop-in to be left out."""
    put_image_of_dracut(host, "-rw-r--r-- 1 root root 9 etc/multipath/conf.d/zz-latency-weighted.conf\n")
    (finding,) = checks.initramfs(host)
    assert finding.result == "fail" and finding.advice == "dracut --force --regenerate-all"


def test_initramfs_has_what_dm_lw_put_aside(host):
    put_image_of_dracut(host, "etc/multipath/conf.d/zz-latency-weighted.conf.before-dm-lw\n")
    assert only(checks.initramfs(host))[0] == "warn"


def test_what_is_to_be_done_once_the_drop_in_is_gone(host):
    assert initramfs.risk_of_rest(host) is None
    put_root_on_multipath(host)
    assert initramfs.risk_of_rest(host) is None         # Debian's copies no drop-ins
    host.answer("dracut")
    assert initramfs.risk_of_rest(host).endswith("dracut --force --regenerate-all")


def test_initramfs_that_cannot_be_read(host):
    put_root_on_multipath(host)
    host.write("boot/initrd.img-" + RUNNING)
    host.answer("lsinitramfs", status=1, err="cpio: premature end of archive\n")
    (finding,) = perform(checks.initramfs, host)
    assert finding.result == "warn" and "premature end" in finding.text


@pytest.mark.parametrize("name, expected", [
    ("tsc", "ok"), ("kvm-clock", "ok"), ("arch_sys_counter", "ok"),
    ("hpet", "warn"), ("acpi_pm", "warn"), ("jiffies", "warn"), ("garbage \x07", "warn"),
])
def test_clock(host, name, expected):
    host.write("sys/devices/system/clocksource/clocksource0/current_clocksource", name + "\n")
    assert only(checks.clock(host))[0] == expected


def test_clock_unknown(host):
    with pytest.raises(LwError):
        checks.clock(host)


def add_nvme(host, native, controllers):
    host.write("sys/module/nvme_core/parameters/%s" % ("multipath" if native else "iopolicy"), native + "\n")
    for name in controllers:
        host.make("sys/class/nvme-subsystem/nvme-subsys0/" + name)
    host.make("sys/class/nvme-subsystem/nvme-subsys0/nvme0n1")


@pytest.mark.parametrize("native, controllers, expected", [
    ("Y", ["nvme0", "nvme1"], "warn"), ("Y", ["nvme0"], "ok"), ("N", ["nvme0", "nvme1"], "ok"),
])
def test_nvme(host, native, controllers, expected):
    add_nvme(host, native, controllers)
    assert only(checks.nvme(host))[0] == expected


def test_nvme_driver_without_a_choice(host):
    """As RHEL 10's."""
    add_nvme(host, "", ["nvme0", "nvme1"])
    (finding,) = checks.nvme(host)
    assert finding.result == "warn" and "no parameter 'multipath'" in finding.advice


def test_no_nvme(host):
    assert only(checks.nvme(host))[0] == "ok"
