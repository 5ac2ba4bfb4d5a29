"""Tunables that are kept over boots: a file for each map, which may be edited by hand.

It is named after the map's UUID. A line is KEY=VALUE, of the map, or ID_PATH KEY=VALUE, of a
path: sda may be another disk after a boot, but udev's ID_PATH says where it is attached.
A line "policy NAME=VALUE..." has the constants of a policy, whose object is beside the file.
"""
import contextlib
import os
import re
from dataclasses import dataclass
from typing import Optional

from . import output, tunables
from .errors import LwError, reason
from .switching import locked
from .sysfs import printable
from .trust import require_trusted, require_trusted_directory

DIRECTORY = "etc/dm-latency-weighted"
ENDING = ".conf"
LOCK = "run/dm-lw-kept.lock"
LOCK_OF_MAP = "run/dm-lw-kept-%s.lock"
PATIENCE = 10                   # seconds; to change a file takes much less
HEAD = "# For %s, kept by dm-lw set --persist: see dm-lw(8). To forget it: dm-lw unset\n"
# Others, udev would give to its rule changed.
UUID = r"[A-Za-z0-9#+.:=@_-]{1,128}"
OF_MAP = ""                     # in place of an ID_PATH
POLICY = "policy"               # how the line of one begins


@dataclass
class Kept:
    """`values` by (ID_PATH, key), and the words for a policy's constants. Nothing is written before save()."""
    host: object
    uuid: str
    values: dict
    policy: Optional[dict] = None

    @property
    def file(self):
        return file_of(self.host, self.uuid)

    def of(self, path_id):
        """The values of the map, or of a path."""
        return {key: value for (where, key), value in self.values.items() if where == path_id}

    def path_ids(self):
        return sorted({where for where, _ in self.values if where != OF_MAP})

    def lines(self):
        of_policy = [] if self.policy is None else [
            " ".join([POLICY] + ["%s=%s" % item for item in sorted(self.policy.items())])]
        return [told(where, key, value) for (where, key), value in sorted(self.values.items())] + of_policy

    def told(self):
        return ", ".join(self.lines())

    def save(self, name):
        """Replace the file at once; without values there is none. `name` is for who reads it."""
        output.require_regular(self.file)
        lines = [line + "\n" for line in self.lines()]
        try:
            if lines:
                output.rename_over(self.file, HEAD % printable(name) + "".join(lines), durable=True)
            elif os.path.lexists(self.file):
                os.unlink(self.file)
        except OSError as error:
            raise LwError("%s: %s" % (self.file, reason(error)))

    @contextlib.contextmanager
    def saved(self, name):
        """save(); if the block fails, the file is as it was, with a user's comments."""
        before = output.require_regular(self.file)
        content = self.content()
        try:
            self.save(name)
            yield
        except BaseException as error:
            try:
                self.put_back(content, before)
            except OSError as second:
                raise LwError("%s; and %s has the new values, since it could not be put back: %s"
                              % (error, self.file, reason(second)))
            raise

    def content(self):
        return self.host.read_bytes("%s/%s%s" % (DIRECTORY, self.uuid, ENDING))

    def put_back(self, content, before):
        if content is None:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self.file)
        elif self.content() != content:
            output.rename_over(self.file, content, before, durable=True)


def told(where, key, value):
    """As a line of the file."""
    return "%s%s=%s" % (where + " " if where else "", key, value)


def require_this_machine(host):
    if not host.has_own_sysfs():
        raise LwError("what is kept is of this machine: not with --sysfs", status=2)


def file_of(host, uuid):
    return os.path.join(host.path(DIRECTORY), uuid + ENDING)


def uuid_of(sysfs, found):
    """By which a map is known again after a boot."""
    uuid = sysfs.text("block", found.dm, "dm", "uuid") or ""
    if not re.fullmatch(UUID, uuid):
        raise LwError("%s has %s, so nothing can be kept for it" % (
            found.name, "the UUID \"%s\", which is no name for a file" % uuid if uuid else "no UUID"))
    return uuid


def uuids(host):
    """UUIDs of the maps for which something is kept."""
    return [name[:-len(ENDING)] for name in host.list(DIRECTORY)
            if name.endswith(ENDING) and re.fullmatch(UUID, name[:-len(ENDING)])]


def load(host, uuid):
    """The kept values of a map; LwError for a line without a meaning, or a file that others may have written."""
    file = file_of(host, uuid)
    require_trusted_directory(os.path.dirname(file))
    output.require_regular(file)
    values, policy = {}, None
    text = host.read("%s/%s%s" % (DIRECTORY, uuid, ENDING), require_trusted) or ""
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if words and not line.lstrip().startswith("#"):
            try:
                if words[0] == POLICY:
                    policy = constants(words[1:])
                    continue
                where, key, value = setting(words)
            except LwError as error:
                raise LwError("%s:%d: %s" % (file, number, error))
            values[where, key] = value
    return Kept(host, uuid, values, policy)


def constants(words):
    """{name: word} of a policy."""
    for word in words:
        if not all(word.partition("=")) or not word.isprintable():
            raise LwError("wanted is %s NAME=VALUE..., and not \"%.80s\"" % (POLICY, word))
    return dict(word.split("=", 1) for word in words)


def setting(words):
    *path_id, word = words
    key, equals, value = word.partition("=")
    if len(path_id) > 1 or not equals or not " ".join(words).isprintable():
        raise LwError("wanted is KEY=VALUE, or ID_PATH KEY=VALUE, and not \"%.80s\""
                      % " ".join(words))
    known = tunables.OF_PATH if path_id else tunables.OF_MAP
    if key not in known:
        raise LwError("there is no \"%.40s\" to keep of a %s, but: %s"
                      % (key, "path" if path_id else "map", ", ".join(known)))
    return path_id[0] if path_id else OF_MAP, key, known[key].check(value)


@contextlib.contextmanager
def changing(host):
    """One at a time reads, changes and saves; makes the directory."""
    directory = host.path(DIRECTORY)
    try:
        if not os.path.isdir(directory):
            os.makedirs(directory, mode=0o755, exist_ok=True)
            os.chmod(directory, 0o755)          # with any umask
    except OSError as error:
        raise LwError("%s: %s" % (directory, reason(error)))
    with locked(host, LOCK, "another dm-lw set --persist or unset is at work", PATIENCE):
        yield


def putting_in_force(host, uuid):
    """One at a time for each map: at a boot, hundreds of maps do not wait for each other."""
    return locked(host, LOCK_OF_MAP % uuid, "another dm-lw apply or policy load --persist is at work", PATIENCE)


def path_id(host, number):
    """Where a block device is attached, as udev calls it; None if it does not."""
    directory = os.path.realpath(host.sysfs.path("dev/block", number))
    done = host.run("udevadm", "info", "--query=property", "--path=" + directory)
    found = re.search(r"^ID_PATH=(\S+)$", done.out, re.MULTILINE)
    return found.group(1) if found else None


def path_ids(host, found):
    """The ID_PATH of each path of a map that has one, by the path's name."""
    known = {path.name: path_id(host, path.device) for path in found.paths if path.device}
    return {name: where for name, where in known.items() if where}
