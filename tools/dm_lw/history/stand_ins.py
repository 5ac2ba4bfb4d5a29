"""Stand-ins for serial numbers, names and addresses, which identify a machine.

The same thing gets the same stand-in, in every archive of one machine. Who does not know the
machine's key cannot find its meaning by trying all addresses.
"""
import hashlib
import hmac
import ipaddress
import os
import re

MACHINE_ID = "etc/machine-id"
DOTTED = r"(?:[0-9]{1,3}\.){3}[0-9]{1,3}"
PATTERNS = (
    ("iqn", r"\biqn\.[0-9]{4}-[0-9]{2}\.[^\s,\"'<>()]+"),
    ("nqn", r"\bnqn\.[0-9]{4}-[0-9]{2}\.[^\s,\"'<>()]+"),
    ("id", r"\b(?:eui|naa|t10|uuid|nvme)\.[0-9A-Za-z._-]{8,}"),
    ("uuid", r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b"),
    ("wwn", r"\b0x[0-9a-fA-F]{16}\b"),
    ("wwid", r"\b[0-9a-f]{16,}\b"),
    # A module's srcversion, which the report is about, has 23 digits in upper case.
    ("wwid", r"\b(?![0-9A-F]{23}\b)[0-9a-fA-F]{16,}\b"),
    ("mac", r"(?<![\w:])(?:[0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}(?![\w:])"),
    ("address", r"(?<![\w:.])[0-9a-fA-F]{0,4}(?::[0-9a-fA-F]{0,4}){1,6}:%s(?!\w)" % DOTTED),
    ("address", r"(?<![\w.])%s(?!\.?\w)" % DOTTED),
    ("address", r"(?<![\w:.])[0-9a-fA-F]{0,4}(?::[0-9a-fA-F]{0,4}){2,7}(?![\w:])"),
)


class StandIns:
    """`names` are (kind, name) of this machine, without names that the patterns find."""

    def __init__(self, host, names=()):
        self.key = host.read_bytes(MACHINE_ID) or os.urandom(32)
        kinds = {name: kind for kind, name in names if name}
        found = [(kinds[name], r"(?<!\w)%s(?!\w)" % re.escape(name))
                 for name in sorted(kinds, key=len, reverse=True)]
        self.kinds, patterns = zip(*found, *PATTERNS)
        self.pattern = re.compile("|".join("(%s)" % pattern for pattern in patterns))

    def replace(self, text):
        return self.pattern.sub(self.stand_in, text)

    def stand_in(self, match):
        kind, text = self.kinds[match.lastindex - 1], match.group()
        if kind == "address" and not is_address(text):
            return text
        # Programs write WWNs and host names in either case; two aliases may differ in case alone.
        told = text if kind == "map" else text.lower()
        digest = hmac.new(self.key, told.encode(errors="backslashreplace"), hashlib.sha256)
        return "%s-%s" % (kind, digest.hexdigest()[:8])


def is_address(text):
    """Of IP; and no time of day, and no 2:0:0:0 of a SCSI device."""
    try:
        return not ipaddress.ip_address(text).is_unspecified
    except ValueError:
        return False
