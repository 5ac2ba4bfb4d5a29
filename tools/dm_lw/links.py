"""Where a path leads: from which port of this host to which port of the storage."""
import os
import re
from dataclasses import dataclass
from typing import Optional

from .transport import below_root, transport


@dataclass(frozen=True)
class Link:
    """Unknown values are None."""
    protocol: str                       # in multipath's words, such as scsi:fcp
    host_port: Optional[str] = None     # WWPN, address, or the name of the SCSI host
    target_port: Optional[str] = None   # WWPN, SAS address, or address:port
    target: Optional[str] = None        # the storage's name: WWNN, IQN or NQN
    state: Optional[str] = None         # in the words of the transport's driver


def link(sysfs, number):
    """The link of the path with this device number."""
    where = os.path.realpath(sysfs.path("dev/block", number))
    protocol = transport(sysfs, number)
    device = os.path.realpath(os.path.join(where, "device"))
    if protocol.startswith("nvme:"):
        return nvme(sysfs, device, protocol)
    device = below_root(sysfs, device)
    reader = READERS.get(protocol)
    if reader:
        return reader(sysfs, device)
    return Link(protocol, host_port=named("host[0-9]+", device),
                state=sysfs.text(device, "state"))


def place(sysfs, number):
    """What a row tells of it."""
    way = link(sysfs, number)
    return {"hctl": hctl(sysfs, number), "target_port": way.target_port, "host_port": way.host_port}


def hctl(sysfs, number):
    """Host, channel, target and LUN of a SCSI device; None of others."""
    name = os.path.basename(os.path.realpath(sysfs.path("dev/block", number, "device")))
    return name if re.fullmatch("[0-9]+(:[0-9]+){3}", name) else None


def named(form, path):
    """The directory of that form on the way to a device."""
    found = re.search("/(%s)(/|$)" % form, path)
    return found.group(1) if found else None


def iscsi(sysfs, device):
    """A session has one connection, or the first of several tells where it leads."""
    session = named("session[0-9]+", device)
    connection = "connection%s:0" % session[len("session"):]
    address = known(sysfs, "class/iscsi_connection", connection, "persistent_address", "address")
    port = known(sysfs, "class/iscsi_connection", connection, "persistent_port", "port")
    host = named("host[0-9]+", device)
    return Link("scsi:iscsi", known(sysfs, "class/iscsi_host", host, "ipaddress", "netdev") or host,
                address and joined(address, port),
                known(sysfs, "class/iscsi_session", session, "targetname"),
                known(sysfs, "class/iscsi_session", session, "state"))


def fibre_channel(sysfs, device):
    host, remote = named("host[0-9]+", device), named("rport-[0-9:-]+", device)
    return Link("scsi:fcp", known(sysfs, "class/fc_host", host, "port_name") or host,
                known(sysfs, "class/fc_remote_ports", remote, "port_name") or remote,
                known(sysfs, "class/fc_remote_ports", remote, "node_name"),
                known(sysfs, "class/fc_remote_ports", remote, "port_state"))


def sas(sysfs, device):
    end_device = named("end_device-[0-9:]+", device)
    return Link("scsi:sas", named("host[0-9]+", device),
                known(sysfs, "class/sas_device", end_device, "sas_address") or end_device,
                state=sysfs.text(device, "state"))


READERS = {"scsi:iscsi": iscsi, "scsi:fcp": fibre_channel, "scsi:sas": sas}


def nvme(sysfs, controller, protocol):
    """Its address is like "traddr=192.0.2.1,trsvcid=4420,src_addr=192.0.2.9"; over PCIe, just a slot."""
    text = sysfs.text(controller, "address") or ""
    words = dict(word.partition("=")[::2] for word in text.split(",") if "=" in word)
    target = port_name(words.get("traddr")) or (text or None)
    host = port_name(words.get("host_traddr")) or words.get("src_addr") or words.get("host_iface")
    return Link(protocol, host, joined(target, words.get("trsvcid")),
                sysfs.text(controller, "subsysnqn"), sysfs.text(controller, "state"))


def port_name(address):
    """Over Fibre Channel, "nn-0x...:pn-0x..." holds the names of a node and of its port."""
    found = re.search("pn-(0x[0-9a-f]+)", address or "")
    return found.group(1) if found else address


def joined(address, port):
    if not address or not port or not re.fullmatch("[0-9]+", port):
        return address
    return ("[%s]:%s" if ":" in address else "%s:%s") % (address, port)


def known(sysfs, directory, name, *files):
    """The first of the files that says something."""
    texts = (sysfs.text(directory, name, file) for file in files if name)
    return next((text for text in texts if text not in (None, "", "<NULL>", "(null)")), None)
