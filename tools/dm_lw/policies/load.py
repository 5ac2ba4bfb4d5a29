"""A policy onto a map: constants set, checked by the kernel, attached."""
import os

from ..errors import LwError
from ..maps import listed, read_paths
from . import attached, libbpf, objects

PIN = "dm-lw-%s"
MINOR_BITS = 20                         # minor bits of a device number in lw_policy.h


def read(file):
    policy = objects.load(file)
    policy.program()
    return policy


def parse(words):
    """{name: word}"""
    settings = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name or not value:
            raise LwError("\"%s\" is not NAME=VALUE" % word, status=2)
        if name in settings:
            raise LwError("%s is given twice" % name, status=2)
        settings[name] = value
    return settings


def require_constants(policy, settings):
    """Missing names are found before anything is done."""
    policy.set(dict.fromkeys(settings, 0))


def attach(host, found, policy, settings):
    """All or nothing: after an error the map keeps its policy."""
    attached.require_file(host.sysfs, found)
    found.paths = found.paths or read_paths(host.sysfs, found, classes=False)
    policy.set(numbers(found, settings))
    pin = os.path.join(attached.PINS, PIN % found.dm)
    with libbpf.pinned(policy, pin):
        attached.write(host.sysfs, found, pin)


def numbers(found, settings):
    return {name: number(found, name, word) for name, word in settings.items()}


def number(found, name, word):
    """The value of a user's word."""
    try:
        return int(word, 0)
    except ValueError:
        pass
    for path in found.paths:
        if path.is_called(word):
            return device_number(path.device)
    if word.startswith("/") and os.path.isdir(word):
        return os.stat(word).st_ino     # which is a cgroup's id
    raise LwError("%s=%s: wanted is a number, a path of %s (%s), or a directory of a cgroup"
                  % (name, word, found.name, listed(path.name for path in found.paths)))


def device_number(text):
    major, minor = text.split(":")
    return int(major) << MINOR_BITS | int(minor)


def described(policy, settings):
    words = " ".join("%s=%s" % item for item in settings.items())
    return "policy %s attached%s" % (policy.program(), ", with " + words if words else "")
