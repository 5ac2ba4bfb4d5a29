"""Policies that are kept over boots: the object in a file beside the tunables of the map, where its constants are."""
import contextlib
import json
import os

from .. import kept, output, settings
from ..errors import LwError, reason
from ..maps import read_paths
from ..signals import undivided
from ..trust import require_trusted
from . import attached, load, objects

ENDING = ".o"
# Until the next boot: the kept program that is attached, and its constants as numbers.
IN_FORCE = "run/dm-lw-policy-%s"


def object_file(host, uuid):
    return os.path.join(host.path(kept.DIRECTORY), uuid + ENDING)


def attach_and_keep(host, found, policy, words):
    """Both or neither."""
    uuid = kept.uuid_of(host.sysfs, found)
    found.paths = read_paths(host.sysfs, found, classes=False)
    lasting = {name: lasting_word(host, found, word) for name, word in words.items()}
    content = bytes(policy.content)
    with kept.changing(host), kept.putting_in_force(host, uuid), undivided():
        known = kept.load(host, uuid)
        known.policy = lasting
        with kept_object(host, uuid, content), known.saved(found.name):
            attach(host, found, uuid, policy, words)


def attach(host, found, uuid, policy, words):
    load.attach(host, found, policy, words)
    with contextlib.suppress(OSError, LwError):     # the policy then stays as it is while the map has one
        output.rename_over(host.path(IN_FORCE % uuid), json.dumps(in_force(host, found, words)))


def program(host, found):
    policy = attached.read(host.sysfs, found)
    return policy and policy.id


def in_force(host, found, words):
    """The attached program, and the present numbers of the constants."""
    return [program(host, found), load.numbers(found, words)]


def lasting_word(host, found, word):
    """sda may be another disk after a boot."""
    path = next((path for path in found.paths if path.is_called(word)), None)
    if path is None and any(char.isspace() or not char.isprintable() for char in word):
        raise LwError("\"%s\" cannot be kept: it has a blank" % word)
    return settings.lasting_name(host, settings.Target(found, path)) if path else word


@contextlib.contextmanager
def kept_object(host, uuid, content):
    """The object's file; if the block fails, it is as it was."""
    file = object_file(host, uuid)
    before = host.read_bytes("%s/%s%s" % (kept.DIRECTORY, uuid, ENDING))
    try:
        output.rename_over(file, content, durable=True)
        yield
    except BaseException as error:
        with contextlib.suppress(OSError):
            if before is None:
                os.unlink(file)
            else:
                output.rename_over(file, before, durable=True)
        if isinstance(error, OSError):
            raise LwError("%s: %s" % (file, reason(error)))
        raise


def is_kept(host, found):
    return known_of(host, found) is not None


def known_of(host, found):
    """The kept values of a map, with its policy if there is one."""
    uuid = host.sysfs.text("block", found.dm, "dm", "uuid")
    known = kept.load(host, uuid) if uuid in kept.uuids(host) else None
    return known if known and known.policy is not None else None


def forget(host, found):
    """Was one kept?"""
    with kept.changing(host):
        known = known_of(host, found)
        if known:
            forget_of(known)
            known.save(found.name)
    return known is not None


def forget_of(known):
    known.policy = None
    for file in (object_file(known.host, known.uuid), known.host.path(IN_FORCE % known.uuid)):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(file)


def missing(host, found, known):
    """Is one kept, and none attached?"""
    return known.policy is not None and attached.read(host.sysfs, found) is None


def wanted(host, found, known):
    """Is one kept, and is it to be attached, for the first time or anew?"""
    return missing(host, found, known) or has_moved(host, found, known)


def has_moved(host, found, known):
    """Has the kept one the number that a path had before it came back as another disk? If one is away, not yet."""
    with contextlib.suppress(ValueError, OSError, LwError):
        was = json.loads(host.read(IN_FORCE % known.uuid) or "") if known.policy is not None else None
        return (isinstance(was, list) and was[:1] == [program(host, found)]
                and was != in_force(host, found, present_words(host, found, known)))
    return False


def present_words(host, found, known):
    """The words of the constants, with the present names of paths."""
    found.paths = read_paths(host.sysfs, found, classes=False)
    names = {where: name for name, where in kept.path_ids(host, found).items()}
    return {name: names.get(word, word) for name, word in known.policy.items()}


def restore(host, found, known):
    """Attach the kept policy; the words about it."""
    words = present_words(host, found, known)
    policy = objects.load(object_file(host, known.uuid), require_trusted)
    attach(host, found, known.uuid, policy, words)
    return load.described(policy, known.policy)
