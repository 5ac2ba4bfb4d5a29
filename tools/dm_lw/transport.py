"""How a path reaches its disk, in multipath's words (multipath.conf(5), "protocol")."""
import os

# Parts of a SCSI device's path in sysfs; the first that fits.
SCSI = (("/session", "scsi:iscsi"), ("/rport-", "scsi:fcp"), ("/end_device-", "scsi:sas"),
        ("/ata", "scsi:ata"), ("/usb", "scsi:usb"))


def transport(sysfs, number):
    """Like "scsi:iscsi" or "nvme:tcp"; "undef" for others."""
    where = os.path.realpath(sysfs.path("dev/block", number))
    if os.path.basename(where).startswith("nvme"):
        return "nvme:%s" % (sysfs.text(where, "device/transport") or "unspec")
    if not os.path.exists(os.path.join(where, "device/scsi_device")):
        return "undef"
    device = "/" + below_root(sysfs, os.path.realpath(os.path.join(where, "device")))
    return next((name for mark, name in SCSI if mark in device), "scsi:unspec")


def below_root(sysfs, path):
    """A real path without the directory of the copy of /sys."""
    return os.path.relpath(path, os.path.realpath(sysfs.root))


def transports(sysfs, numbers):
    """Transports of all paths; each once."""
    return ", ".join(dict.fromkeys(transport(sysfs, number) for number in numbers))
