"""The installed kernels, and whether each has the module."""
from .errors import LwError
from .host import version_numbers

MODULES = "lib/modules"
SOURCES = "usr/src"
NAME = "dm-latency-weighted"
LOADED = "module/dm_latency_weighted"       # below /sys
MULTIPATH = "dm-multipath"


def installed(host):
    """Releases of the kernels that may be booted and can do multipath.

    A removed kernel, or one with headers alone, has some of the directory, but
    not the kernel's own modules.
    """
    return [release for release in host.list(MODULES)
            if (release == host.release() or is_bootable(host, release))
            and has_multipath(host, release)]


def is_bootable(host, release):
    return (host.exists("%s/%s/kernel" % (MODULES, release))
            or host.exists("boot/vmlinuz-" + release))


def has_multipath(host, release):
    """The kernel's own index of modules names dm-multipath, or has it built in."""
    for index in ("modules.dep", "modules.builtin"):
        text = host.read("%s/%s/%s" % (MODULES, release, index)) or ""
        if "/%s.ko" % MULTIPATH in text:
            return True
    return False


def source_version(host):
    """Version of the newest source of the module that dkms can build; None if there is none."""
    versions = [name[len(NAME) + 1:] for name in host.list(SOURCES) if name.startswith(NAME + "-")]
    return max(versions, key=version_numbers, default=None)


def module_info(host, release):
    """modinfo of the kernel's module, by field; None if there is no module."""
    done = host.run("modinfo", "-k", release, NAME)
    if not done.ok:
        return None
    fields = {}
    for line in done.out.splitlines():
        name, colon, value = line.partition(":")
        if colon:
            fields.setdefault(name.strip(), value.strip())
    return fields


def enforcement(host):
    """Why unsigned modules are refused; None if they are not."""
    if host.sysfs.text("module/module/parameters/sig_enforce") == "Y":
        return "the kernel takes signed modules only"
    lockdown = host.sysfs.text("kernel/security/lockdown") or ""
    if "[integrity]" in lockdown or "[confidentiality]" in lockdown:
        return "the kernel is locked down (Secure Boot)"
    return None


def is_signed(info):
    """A module that is not there is another check's business."""
    return info is None or "signer" in info or "sig_id" in info


def problem(host, release):
    """Why this kernel could not load the module, in a few words; None if nothing is known."""
    info = module_info(host, release)
    if info is None:
        return "has no module %s" % NAME
    built_for = info.get("vermagic", "").split(" ")[0]
    if built_for != release:
        return "has a module %s that was built for %s" % (NAME, built_for or "no kernel")
    return None


def problems(host):
    """By release, of those that have one."""
    found = {release: problem(host, release) for release in installed(host)}
    return {release: text for release, text in found.items() if text}


def is_loaded(host):
    return host.sysfs.exists(LOADED)


def load(host):
    done = host.run("modprobe", NAME, timeout=60)
    if not done.ok:
        raise LwError("the running kernel cannot load the module: %s" % done.complaint())
