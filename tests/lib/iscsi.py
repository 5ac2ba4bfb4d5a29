"""One disk over iSCSI on several addresses: LIO's target and open-iscsi.

Works without systemd. The target may live in a network namespace of its own, so
that there is a network between it and the initiator, which netem can slow down.
"""

import contextlib
import glob
import os
import re

from .command import (CommandError, limit, load_module, read_text, settle, sh, wait_until,
                      write_text)
from .disks import Device
from .lio import SERIAL, TARGET, Backstore, kernel_name
from .network import in_namespace

IQN = "iqn.2026-11.example.lw:disk"
PORT = 3260
ANSWER = limit(30)      # seconds until the target answers a login
NO_RECORD = 21          # iscsiadm's status

# Seconds for which the target keeps a lost session; the less of what both sides say. When they are over, LIO's
# timer takes its locks in an order that may deadlock; lockdep reports that once, and is off from then on.
RETAIN = 3600

# Any initiator may log in and write: this target never leaves its guest.
OPEN_TO_ALL = {"authentication": 0, "generate_node_acls": 1,
               "demo_mode_write_protect": 0, "cache_dynamic_acls": 1}

TARGETCLI_SCRIPT = """\
set global auto_add_default_portal=false
set global auto_add_mapped_luns=false
set global auto_save_on_exit=false
/backstores/block create name=lw dev={device} wwn={serial}
/iscsi create {iqn}
/iscsi/{iqn}/tpg1 set attribute {attributes}
/iscsi/{iqn}/tpg1/luns create /backstores/block/lw
{portals}
"""


def export_by_targetcli(device, addresses, namespace=None):
    """Export the block device as an administrator does, until the guest ends."""
    load_module("iscsi_target_mod")
    portals = ["/iscsi/%s/tpg1/portals create %s %d" % (IQN, address, PORT)
               for address in addresses]
    script = TARGETCLI_SCRIPT.format(
        device=device, serial=SERIAL, iqn=IQN, portals="\n".join(portals),
        attributes=" ".join("%s=%d" % item for item in OPEN_TO_ALL.items()))
    said = sh(*in_namespace(namespace, "targetcli"), stdin=script, timeout=120)
    # targetcli ends with status 0 whatever it refused
    for address in addresses:
        if not os.path.isdir(portal_directory(address)):
            raise RuntimeError("no portal %s; targetcli said: %s"
                               % (address, said))


@contextlib.contextmanager
def target_by_configfs(device, addresses, namespace=None, more=()):
    """The same in a fraction of a second, and taken back at the end; `more` are further logical units."""
    load_module("iscsi_target_mod")
    tpg = target_portal_group()
    luns = {tpg + "/lun/lun_%d" % number: Backstore(each, serial=SERIAL[:-1] + str(number + 1), number=number)
            for number, each in enumerate([device, *more])}
    os.makedirs(tpg)
    for name, value in OPEN_TO_ALL.items():
        write_text("%s/attrib/%s" % (tpg, name), value)
    for lun, backstore in luns.items():
        backstore.link(lun)
    portals = [portal_directory(address) for address in addresses]
    write_text(tpg + "/param/DefaultTime2Retain", RETAIN)
    # The socket belongs to the namespace of whoever makes the directory.
    sh(*in_namespace(namespace, "mkdir", *portals))
    write_text(tpg + "/enable", 1)
    try:
        yield
    finally:
        write_text(tpg + "/enable", 0)
        for portal in portals:
            os.rmdir(portal)
        for lun, backstore in luns.items():
            backstore.unlink(lun)
        os.rmdir(tpg)
        os.rmdir(os.path.dirname(tpg))
        for backstore in luns.values():
            backstore.remove()


def target_portal_group():
    return "%s/iscsi/%s/tpgt_1" % (TARGET, IQN)


def portal_directory(address):
    return "%s/np/%s:%d" % (target_portal_group(), address, PORT)


def start_daemon():
    """iscsid, by hand."""
    load_module("iscsi_tcp")
    os.makedirs("/run/lock/iscsi", exist_ok=True)
    sh("iscsid")


def discovers(address):
    """Does the target tell what it has, in iscsiadm's half a minute, which no setting makes longer?"""
    try:
        sh("iscsiadm", "-m", "discovery", "-t", "sendtargets", "-p", "%s:%d" % (address, PORT), timeout=150)
    except CommandError as error:
        if "Login response timeout" not in str(error):
            raise
        return False
    return True


def login(addresses, queue_depth=128):
    """Log in on each address; the disks, in the addresses' order."""
    # In virtual time half a minute is nothing while the guest waits for its host's disk, for a module.
    wait_until(lambda: discovers(addresses[0]), "the target answers", timeout=150)
    settings = {"node.session.queue_depth": queue_depth,
                "node.session.cmds_max": queue_depth * 2,
                "node.session.iscsi.DefaultTime2Retain": RETAIN,
                "node.conn[0].timeo.login_timeout": ANSWER}
    for name, value in settings.items():
        sh("iscsiadm", "-m", "node", "-T", IQN, "-o", "update", "-n", name,
           "-v", value)
    sh("iscsiadm", "-m", "node", "-T", IQN, "--login")
    disks = [disk_at(address) for address in addresses]
    settle()
    return disks


def disk_at(address, lun=0):
    """The disk whose session goes to this address, once it is there."""
    return Device(wait_until(lambda: disk_behind(address, lun), "the disk behind " + address,
                             timeout=60))


def node(address=None):
    """Words for iscsiadm: of this address, or of all."""
    portal = ("-p", "%s:%d" % (address, PORT)) if address else ()
    return ("iscsiadm", "-m", "node", "-T", IQN) + portal


def login_again(address):
    """Where login() was before."""
    sh(*node(address), "--login", timeout=150)


def logout(address=None):
    sh(*node(address), "--logout", timeout=150)


def scan(address):
    """Look for disks through the session that is there."""
    sh(*node(address), "--rescan")


@contextlib.contextmanager
def sessions(addresses, queue_depth=128):
    """The disks while logged in on each address; with the daemon. Logged out, and no record of the
    addresses left, also if a test fails, which may then be tried again.
    """
    start_daemon()
    try:
        try:
            yield login(addresses, queue_depth)
        finally:
            settle()
            if glob.glob("/sys/class/iscsi_session/session*"):
                logout()
            forget_portals()
    finally:
        sh("iscsiadm", "-k", "0")


def forget_portals():
    """A later --login would try the recorded portals, too, and wait as long as nobody listens there."""
    try:
        sh(*node(), "-o", "delete")
    except CommandError as error:
        if error.status != NO_RECORD:
            raise


def disk_behind(address, lun=0):
    """Kernel name of the disk whose session goes to this address."""
    for connection in glob.glob("/sys/class/iscsi_connection/connection*"):
        if read_text(connection + "/persistent_address") != address:
            continue
        session = re.search(r"connection(\d+):", connection).group(1)
        found = glob.glob("/sys/class/iscsi_session/session%s/device/target*/"
                          "*:%d/block/*" % (session, lun))
        return kernel_name(found)
    return None
