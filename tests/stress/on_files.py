"""Who looks at the maps meanwhile, and tunes them. A file goes with its map at any time."""
import errno
import os

from tests.lib import debugfs, sysfs
from tests.lib.command import sh

from . import tables
from .sequence import CHANGE, LOOK, NotDone, action

# The last one is debugfs' answer.
GONE = {errno.ENOENT, errno.ENODEV, errno.EIO}


class WrongText(Exception):
    """A file does not say what it should."""


def unless_gone(function, file):
    """Its result; None if the file is not there any more."""
    try:
        return function(file)
    except OSError as error:
        if error.errno not in GONE:
            raise
        return None


def text_of(file):
    with open(file) as opened:
        return opened.read()


def write(file, text):
    """Not to be created, which open(file, "w") would try if it has just gone."""
    with open(os.open(file, os.O_WRONLY), "w") as opened:
        opened.write(text)


def chosen(files, chance):
    if not files:
        raise NotDone("no map has such a file now")
    return chance.choice(sorted(files))


@action(LOOK, weight=3)
def read_sysfs(_files, chance):
    files = sysfs.files_below(os.path.join(sysfs.ROOT, chosen(sysfs.maps(), chance)))
    for file in files:
        if file.endswith("/policy"):
            continue            # several words: on_policies.py
        text = unless_gone(text_of, file)
        if text is not None and (len(text.split()) != 1 or not text.endswith("\n")):
            raise WrongText("%s: %r" % (file, text))
    return "%d files" % len(files)


@action(LOOK, weight=3)
def read_debugfs(_files, _chance):
    files = [file for file in sysfs.files_below(debugfs.ROOT) if not file.endswith("/reset")]
    for file in files:
        for part in (unless_gone(text_of, file) or "").split("\n\n"):
            if part.strip():
                debugfs.rows(part)
    return "%d files" % len(files)


@action(CHANGE, weight=2)
def reset_histograms(_files, chance):
    files = sysfs.files_below(debugfs.ROOT)
    file = chosen([each for each in files if each.endswith("/reset")], chance)
    unless_gone(lambda name: write(name, "1"), file)
    return file.split("/")[-2]


@action(CHANGE, weight=4)
def tune(_files, chance):
    directory = chosen(sysfs.maps(), chance)
    key = chance.choice(sorted(tables.DEFAULTS))
    value = tables.value(key, chance)
    unless_gone(lambda name: write(name, str(value)), os.path.join(sysfs.ROOT, directory, key))
    return "%s: %s=%s" % (directory, key, value)


@action(CHANGE)
def prefer(_files, chance):
    file = chosen([each for each in sysfs.every_file() if each.endswith("/prefer")], chance)
    value = chance.randint(0, 1)
    unless_gone(lambda name: write(name, str(value)), file)
    return "%s=%d" % ("/".join(file.split("/")[-4:]), value)


@action(LOOK)
def read_status(_files, _chance):
    lines = sh("dmsetup", "status", "--noflush", "--target", "multipath", timeout=150)
    lines += sh("dmsetup", "table", "--target", "multipath", timeout=150)
    return "%d characters" % len(lines)
