"""A disk over NVMe/TCP on several ports of the loopback interface, by configfs."""

import contextlib
import glob
import os

from .command import (load_module, read_text, settle, sh, wait_until,
                      write_text)
from .disks import Device
from .lio import kernel_name

NVMET = "/sys/kernel/config/nvmet"
NQN = "nqn.2026-11.example.lw:disk"
HOST_NQN = "nqn.2014-08.org.nvmexpress:uuid:6c770002-0000-4000-8000-000000000001"
UUID = "6c770001-0000-4000-8000-000000000002"
ADDRESS = "127.0.0.1"


@contextlib.contextmanager
def nvme_target(device, ports):
    """The block device as the namespace of a subsystem, on these TCP ports."""
    load_module("nvmet_tcp")
    subsystem = NVMET + "/subsystems/" + NQN
    namespace = subsystem + "/namespaces/1"
    os.mkdir(subsystem)
    write_text(subsystem + "/attr_allow_any_host", 1)
    os.mkdir(namespace)
    write_text(namespace + "/device_path", device)
    write_text(namespace + "/device_uuid", UUID)
    write_text(namespace + "/enable", 1)
    made = [open_port(port, subsystem) for port in ports]
    try:
        yield
    finally:
        for port in made:
            os.unlink("%s/subsystems/%s" % (port, NQN))
            os.rmdir(port)
        write_text(namespace + "/enable", 0)
        os.rmdir(namespace)
        os.rmdir(subsystem)


def open_port(number, subsystem):
    port = "%s/ports/%d" % (NVMET, number)
    os.mkdir(port)
    for name, value in (("addr_trtype", "tcp"), ("addr_adrfam", "ipv4"),
                        ("addr_traddr", ADDRESS), ("addr_trsvcid", number)):
        write_text("%s/%s" % (port, name), value)
    os.symlink(subsystem, "%s/subsystems/%s" % (port, NQN))
    return port


@contextlib.contextmanager
def nvme_paths(device, ports):
    """The block device as one NVMe disk for each port, with one WWID."""
    load_module("nvme_tcp")
    with nvme_target(device, ports):
        try:
            for port in ports:
                sh("nvme", "connect", "-t", "tcp", "-a", ADDRESS, "-s", port,
                   "-n", NQN, "--hostnqn", HOST_NQN)
            disks = [Device(wait_until(lambda: disk_behind(port),
                                       "the disk behind port %d" % port,
                                       timeout=30))
                     for port in ports]
            settle()
            yield disks
        finally:
            settle()
            sh("nvme", "disconnect", "-n", NQN)


def disk_behind(port):
    """Kernel name of the disk whose controller is connected to this port."""
    for controller in glob.glob("/sys/class/nvme/nvme*"):
        if "trsvcid=%d" % port in read_text(controller + "/address"):
            return kernel_name(glob.glob(controller + "/nvme*n*"))
    return None
