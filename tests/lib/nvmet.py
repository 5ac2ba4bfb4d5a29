"""A disk over NVMe/TCP on several ports, by configfs: on the loopback interface or in a namespace."""

import collections
import contextlib
import glob
import os

from .command import (is_loaded, load_module, read_text, settle, sh, wait_until,
                      write_text)
from .disks import Counted, Device
from .lio import kernel_name
from .network import in_namespace

NVMET = "/sys/kernel/config/nvmet"
NQN = "nqn.2026-11.example.lw:disk"
HOST_NQN = "nqn.2014-08.org.nvmexpress:uuid:6c770002-0000-4000-8000-000000000001"
UUID = "6c770001-0000-4000-8000-000000000002"
LOOPBACK = "127.0.0.1"
PORT = 4420

Portal = collections.namedtuple("Portal", "address port")


def leaves_paths_to_dm():
    """Is the initiator's driver loaded without its own multipathing? It is loaded so, if it was not."""
    if not is_loaded("nvme_core"):
        load_module("nvme_core", "multipath=N")
    native = "/sys/module/nvme_core/parameters/multipath"
    if os.path.exists(native):
        return read_text(native) == "N"
    # RHEL 10's driver has multipathing of its own, and no parameter to do without.
    return " nvme_mpath_alloc_disk\t" not in read_text("/proc/kallsyms")


@contextlib.contextmanager
def target(device, portals, namespace=None):
    """The block device as the namespace of a subsystem, on these portals."""
    load_module("nvmet_tcp")
    subsystem = NVMET + "/subsystems/" + NQN
    directory = subsystem + "/namespaces/1"
    os.mkdir(subsystem)
    write_text(subsystem + "/attr_allow_any_host", 1)
    os.mkdir(directory)
    write_text(directory + "/device_path", device)
    write_text(directory + "/device_uuid", UUID)
    write_text(directory + "/enable", 1)
    made = [open_port(number, portal, subsystem, namespace)
            for number, portal in enumerate(portals, 1)]
    try:
        yield
    finally:
        for port in made:
            os.unlink("%s/subsystems/%s" % (port, NQN))
            os.rmdir(port)
        write_text(directory + "/enable", 0)
        os.rmdir(directory)
        os.rmdir(subsystem)


def open_port(number, portal, subsystem, namespace):
    port = "%s/ports/%d" % (NVMET, number)
    os.mkdir(port)
    for name, value in (("addr_trtype", "tcp"), ("addr_adrfam", "ipv4"),
                        ("addr_traddr", portal.address), ("addr_trsvcid", portal.port)):
        write_text("%s/%s" % (port, name), value)
    # The socket belongs to the network of whoever makes the link.
    sh(*in_namespace(namespace, "ln", "-s", subsystem, "%s/subsystems/%s" % (port, NQN)))
    return port


@contextlib.contextmanager
def connected(portals):
    """The initiator, with a controller for each portal."""
    load_module("nvme_tcp")
    try:
        for portal in portals:
            sh("nvme", "connect", "-t", "tcp", "-a", portal.address, "-s", portal.port,
               "-n", NQN, "--hostnqn", HOST_NQN)
        yield
    finally:
        settle()
        sh("nvme", "disconnect", "-n", NQN)


@contextlib.contextmanager
def host_modules(multipath):
    """The initiator's driver, with its own multipathing ("Y") or without ("N"); unloaded at the end."""
    if is_loaded("nvme_core"):
        raise RuntimeError("nvme_core is loaded already")
    load_module("nvme_core", "multipath=" + multipath)
    try:
        yield
    finally:
        for name in ("nvme_tcp", "nvmet_tcp", "nvme_fabrics", "nvme_core"):
            if is_loaded(name):
                sh("modprobe", "-r", name)


@contextlib.contextmanager
def nvme_paths(device, ports):
    """The block device as one NVMe disk for each port of the loopback interface, with one WWID."""
    portals = [Portal(LOOPBACK, port) for port in ports]
    with target(device, portals), connected(portals):
        disks = [disk_at(portal) for portal in portals]
        settle()
        yield disks


def controller(portal):
    """The sysfs directory of the one that is connected there."""
    for found in glob.glob("/sys/class/nvme/nvme*"):
        address = read_text(found + "/address").split(",")
        if "traddr=" + portal.address in address and "trsvcid=%d" % portal.port in address:
            return found
    raise LookupError("no controller at %s:%d" % portal)


def disk_at(portal):
    """The disk whose controller is connected there."""
    return Device(wait_until(lambda: kernel_name(glob.glob(controller(portal) + "/nvme*n*")),
                             "the disk at %s:%d" % portal, timeout=30))


def hidden_path_at(portal):
    """The path of the driver's own multipathing through the controller that is connected there."""
    number = os.path.basename(controller(portal))[len("nvme"):]

    def name():
        found = glob.glob("/sys/block/nvme*c%sn*" % number)
        return os.path.basename(found[0]) if found else None
    return Counted(wait_until(name, "the path at %s:%d" % portal, timeout=30))


def head_device():
    """The disk that the driver's own multipathing makes of all paths."""
    def name():
        found = [os.path.basename(path) for path in glob.glob("/sys/block/nvme*n*")]
        return next((each for each in found if "c" not in each), None)
    return "/dev/" + wait_until(name, "the disk over all paths", timeout=30)


def set_policy(policy):
    """Of the driver's own multipathing."""
    subsystem, = glob.glob("/sys/class/nvme-subsystem/nvme-subsys*")
    write_text(subsystem + "/iopolicy", policy)
