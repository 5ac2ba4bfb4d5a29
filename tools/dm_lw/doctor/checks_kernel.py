"""Checks of dm-lw doctor: the module in the kernel."""
import re

from .. import initramfs as images
from .. import kernels
from ..errors import LwError
from ..multipath_conf import names_us, selector_settings
from .finding import fail, ok, warn

DKMS_KEY, UBUNTUS_KEY = "var/lib/dkms/mok.pub", "var/lib/shim-signed/mok/MOK.der"
# Counters that a CPU reads by itself, in nanoseconds. Others take a microsecond or lie.
QUICK_CLOCKS = ("tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page", "xen",
                "timebase", "tod", "riscv_clocksource", "Constant")


def is_configured(host):
    """The files of multipath name the selector."""
    return any(names_us(setting) for setting in selector_settings(host))


def how_to_install(host, *releases, anew=False):
    """Or anew: dkms installs a built module as it is, and signs only while it builds."""
    version = kernels.source_version(host)
    if version is None:
        return "install its package, or in its source tree: make dkms-install"
    commands = ["build --force", "install --force"] if anew else ["install"]
    return ("install the kernel's headers, then: %s"
            % "; ".join("dkms %s %s/%s -k %s" % (command, kernels.NAME, version, release)
                        for release in releases for command in commands))


def module(host):
    """The running kernel has the module, and the loaded module is the installed one."""
    release = host.release()
    problem = kernels.problem(host, release)
    if problem:
        state = ", and the loaded one is gone after a boot" if kernels.is_loaded(host) else ""
        return fail("the running kernel %s %s%s" % (release, problem, state),
                    how_to_install(host, release))
    info = kernels.module_info(host, release)
    name = "%s %s" % (kernels.NAME, info.get("version", "of no version"))
    if not kernels.is_loaded(host):
        return ok("%s is installed for %s; it will be loaded with the first map" % (name, release))
    loaded = host.sysfs.text(kernels.LOADED, "srcversion")
    if loaded and info.get("srcversion") not in (None, loaded):
        return warn("the loaded %s is another build than the installed one" % kernels.NAME,
                    "the installed one comes with the next boot; before that, all maps must leave"
                    " the selector (dm-lw disable), then: modprobe -r %s" % kernels.NAME)
    return ok("%s is loaded" % name)


def other_kernels(host):
    """Every kernel that may be booted has the module."""
    lacking = kernels.problems(host)
    lacking.pop(host.release(), None)
    report = fail if is_configured(host) else warn
    found = [finding for release, problem in lacking.items()
             for finding in report("%s %s" % (release, problem), how_to_install(host, release)
                                   + "; or remove this kernel: multipath will create no maps if you boot it")]
    installed = ", ".join(kernels.installed(host))
    return found or ok("every installed kernel has the module: " + installed if installed
                       else "no installed kernel can do multipath")


def signature(host):
    """Where the kernel takes signed modules only, ours is signed with a key that it knows."""
    reason = kernels.enforcement(host)
    if reason is None:
        return ok("this kernel takes unsigned modules")
    unsigned = [release for release in kernels.installed(host)
                if not kernels.is_signed(kernels.module_info(host, release))]
    if unsigned:
        return fail("%s, and the module is not signed for %s" % (reason, ", ".join(unsigned)),
                    "dkms signs it: %s%s; its key must be known: %s"
                    % ("" if host.has_program("openssl") else "install openssl, then ",
                       how_to_install(host, *unsigned, anew=True),
                       how_to_enrol(dkms_keys(host)[0])))
    if kernels.is_loaded(host):
        return ok("%s, and the module is loaded" % reason)
    return enrolment(host, reason)


def dkms_keys(host):
    """Those that are there, or else all; first the one that dkms makes on this system."""
    keys = [DKMS_KEY, UBUNTUS_KEY]
    if "ubuntu" in (host.read("etc/os-release") or "").lower():
        keys.reverse()
    return [key for key in keys if host.exists(key)] or keys


def how_to_enrol(key):
    return ("mokutil --import /%s, which asks for a password; reboot, choose Enroll MOK on the"
            " machine's console, and type it there" % key)


def enrolment(host, reason):
    keys = [key for key in dkms_keys(host) if host.exists(key)]
    if not keys or not host.has_program("mokutil"):
        return warn("%s; the module is signed, but whether with a known key is not" % reason,
                    "try it: modprobe %s" % kernels.NAME)
    for key in keys:
        if "already enrolled" in host.run("mokutil", "--test-key", host.path(key)).out:
            return ok("%s; the module is signed, and /%s is enrolled" % (reason, key))
    return fail("%s, and dkms' key /%s is not enrolled" % (reason, keys[0]),
                how_to_enrol(keys[0]))


def initramfs(host):
    """A root on multipath can be found by the initramfs of every kernel."""
    if not images.root_is_on_multipath(host):
        return ok("the root is not on multipath")
    risk = images.risk_of_drop_in(host)
    found = []
    for release in kernels.installed(host):
        name = images.image(host, release)
        if name is None:
            continue
        names = images.listing(host, name)
        if not images.has_module(names) and images.selects_us(host, names):
            found += fail("/%s selects %s and does not have it: %s would not find its root"
                          % (name, kernels.NAME, release), how_to_mend(host, names))
    if risk and not found:
        return warn(risk, how_to_add(host))
    return found or ok("no initramfs needs the module that does not have it")


def how_to_mend(host, names):
    return images.how_to_make(host) if images.has_taken_back(host, names) else how_to_add(host)


def how_to_add(host):
    if host.has_program("dracut"):
        # Its name is the last: where a kernel lacks a module, dracut leaves out those after it.
        return ("echo 'add_drivers+=\" %s \"' >/etc/dracut.conf.d/zz-latency-weighted.conf; %s"
                % (kernels.NAME, images.how_to_make(host)))
    return "echo %s >>/etc/initramfs-tools/modules; %s" % (kernels.NAME, images.how_to_make(host))


def clock(host):
    """The clock that I/O is measured with costs next to nothing."""
    name = host.sysfs.text("devices/system/clocksource/clocksource0/current_clocksource")
    if name is None:
        raise LwError("/sys does not tell the clock source")
    if name in QUICK_CLOCKS:
        return ok("the clock source is %s" % name)
    return warn("the clock source is %s: reading it costs more than choosing a path" % name,
                "dmesg | grep -i -e clocksource -e tsc tells why; usual causes are firmware, and"
                " clocksource= or notsc on the kernel's command line")


def nvme(host):
    """Namespaces with several paths are not taken by the kernel's own NVMe multipath."""
    setting = host.sysfs.text("module/nvme_core/parameters/multipath")
    several = [name for name in host.sysfs.directories("class/nvme-subsystem")
               if len(controllers(host, name)) > 1]
    taken = [name for name in several if setting == "Y" or (setting != "N" and has_disks(host, name))]
    if not several:
        return ok("no NVMe subsystem has several paths")
    if not taken:
        return ok("NVMe's own multipath is off or not there")
    return warn("the kernel's own NVMe multipath has %s: dm-multipath does not see its paths"
                % ", ".join(taken),
                "to use dm-multipath for NVMe, boot with nvme_core.multipath=N" if setting == "Y" else
                "this kernel's nvme_core has no parameter 'multipath', so dm-multipath gets no NVMe paths here")


def has_disks(host, subsystem):
    """The driver's own multipathing has its disks there; without, each controller has its own."""
    return any(re.fullmatch(r"nvme\d+n\d+", name)
               for name in host.sysfs.directories("class/nvme-subsystem", subsystem))


def controllers(host, subsystem):
    return [name for name in host.sysfs.directories("class/nvme-subsystem", subsystem)
            if name.startswith("nvme") and name[4:].isdigit()]
