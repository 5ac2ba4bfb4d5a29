"""Whether a system whose root is on multipath still boots from its initramfs.

Debian's initramfs-tools copies /etc/multipath.conf but no drop-in: the root's map
begins with multipath's default selector, and multipathd changes it later. dracut
copies drop-ins too, and then the module must be there.
"""
import os

from . import kernels
from .dropin import FILE, OLD
from .errors import LwError
from .maps import MADE_BY_MULTIPATH
from .multipath_conf import configured_directory, names_us, selector_settings

# As Debian, Fedora and SUSE name the image.
IMAGES = ("boot/initrd.img-%s", "boot/initramfs-%s.img", "boot/initrd-%s")
LISTERS = ("lsinitramfs", "lsinitrd")
LISTING = 120           # seconds: all of a large image is unpacked
# The script of initramfs-tools that copies multipath.
HOOK = "usr/share/initramfs-tools/hooks/multipath"


def root_is_on_multipath(host):
    """Somewhere below the root's file system there is a map of multipathd."""
    for line in (host.read("proc/self/mountinfo") or "").splitlines():
        fields = line.split()
        if len(fields) > 9 and fields[4] == "/":
            source = fields[fields.index("-") + 2] if "-" in fields[:-2] else ""
            return any(is_on_multipath(host, device)
                       for device in (fields[2], number_of(host, source)) if device)
    return False


def number_of(host, source):
    """8:1 of /dev/sda1: btrfs has numbers of its own in mountinfo."""
    try:
        number = os.stat(host.path(source)).st_rdev if source.startswith("/dev/") else 0
    except OSError:
        return ""
    return "%d:%d" % (os.major(number), os.minor(number)) if number else ""


def is_on_multipath(host, device):
    directory = os.path.realpath(host.sysfs.path("dev/block", device))
    return is_multipath_below(host, directory)


def is_multipath_below(host, directory):
    """True if this block device, its disk, or any device below it is a multipath map."""
    if (host.sysfs.text(directory, "dm/uuid") or "").startswith(MADE_BY_MULTIPATH):
        return True
    if host.sysfs.exists(directory, "partition"):
        return is_multipath_below(host, os.path.dirname(directory))
    return any(is_multipath_below(host, os.path.realpath(os.path.join(directory, "slaves", name)))
               for name in host.sysfs.directories(directory, "slaves"))


def image(host, release):
    for form in IMAGES:
        if host.exists(form % release):
            return form % release
    return None


def listing(host, name):
    """The names of the files in an image; LwError if they cannot be read."""
    for lister in LISTERS:
        if host.has_program(lister):
            done = host.run(lister, host.path(name), timeout=LISTING)
            if done.ok:
                return done.out
            raise LwError("%s /%s: %s" % (lister, name, done.complaint()))
    raise LwError("neither %s is installed" % " nor ".join(LISTERS))


def has_module(names):
    return "/%s.ko" % kernels.NAME in names


def selects_us(host, names):
    """A configuration file that the image has names the selector."""
    return has_taken_back(host, names) or any(
        setting.file.lstrip("/") in names for setting in selector_settings(host) if names_us(setting))


def has_taken_back(host, names):
    """The image has the drop-in, which the host has no more."""
    drop_ins = ["%s/%s" % (configured_directory(host), name) for name in (FILE, OLD)]
    return any(line.endswith(name) for name in drop_ins if not host.exists(name) for line in names.splitlines())


def takes_over_drop_ins(host):
    """The root needs multipath, and the next image that is made will have the drop-in."""
    return root_is_on_multipath(host) and (
        host.has_program("dracut") or "conf.d" in (host.read(HOOK) or ""))


def how_to_make(host):
    return "dracut --force --regenerate-all" if host.has_program("dracut") else "update-initramfs -u -k all"


def risk_of_rest(host):
    """The task now that the drop-in is gone; None if there is none."""
    if not takes_over_drop_ins(host):
        return None
    return ("the root is on multipath, and an initramfs may still have the drop-in: before you boot a"
            " kernel without the module, or remove the module: %s" % how_to_make(host))


def risk_of_drop_in(host):
    """Why a drop-in could keep this system from booting; None if it cannot."""
    if not takes_over_drop_ins(host):
        return None
    for release in kernels.installed(host):
        name = image(host, release)
        if name is None:
            return ("the root is on multipath, its initramfs takes over drop-ins, and that of %s is not"
                    " where it was looked for (/%s), so whether it has %s is not known"
                    % (release, ", /".join(IMAGES) % ((release,) * len(IMAGES)), kernels.NAME))
        if not has_module(listing(host, name)):
            return ("the root is on multipath, its initramfs takes over drop-ins, and /%s has no %s"
                    % (name, kernels.NAME))
    return None
