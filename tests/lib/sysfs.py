"""The module's files in sysfs, as docs/ABI/testing/sysfs-kernel-dm-latency-weighted tells."""

import os

from .command import read_text

ROOT = "/sys/kernel/dm-latency-weighted"
STATES = ["new", "active", "probing", "ramping", "failed"]      # by the status' word
SOURCES = ["none", "stamps", "little"]
CLASSES = ["zero", "32k", "64k", "128k", "256k", "512k", "1m", "more", "huge"]
OPERATIONS = ["read", "write", "other"]


class Directory:
    """Of a map or of a path: its files by name."""

    def __init__(self, *names):
        self.directory = os.path.join(ROOT, *names)

    def __getitem__(self, name):
        return read_text(self.file(name))

    def __setitem__(self, name, value):
        """ENOENT if it is not there: with O_CREAT, sysfs says EACCES."""
        with open(os.open(self.file(name), os.O_WRONLY), "w") as file:
            file.write("%s\n" % value)

    def number(self, name):
        return int(self[name])

    def file(self, name):
        return os.path.join(self.directory, name)

    def exists(self):
        return os.path.isdir(self.directory)

    def identity(self):
        """Changes if it is removed and made again."""
        return os.stat(self.directory).st_ino


class MapFiles(Directory):
    """A Multipath's."""

    def __init__(self, mapped):
        super().__init__(os.path.basename(mapped.path))

    def path(self, disk):
        """The directory of a Device, or of that name."""
        return Directory(self.directory, "paths", str(disk))

    def paths(self):
        return sorted(os.listdir(self.file("paths")))


def maps():
    return sorted(os.listdir(ROOT)) if os.path.isdir(ROOT) else []


def files_below(root):
    """All files, at any depth."""
    return [os.path.join(directory, name)
            for directory, _, names in os.walk(root) for name in names]


def every_file():
    """All files, of all maps."""
    return files_below(ROOT)
