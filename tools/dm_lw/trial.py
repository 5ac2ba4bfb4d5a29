"""A table with the selector, tried on maps that never live.

A map's table is parsed and checked in full, its selector loaded and created, when
the table is loaded. Only a resume makes it work. So a trial needs no storage: two
maps that are never resumed, the one an "error" target to serve as a path, the
other a multipath table over it. They stay without a size, so no program can send them
I/O; udev does not look at maps before their first resume.
"""
from .errors import LwError
from .live_tables import SELECTOR
from .signals import undivided

PATH_MAP = "dm-lw-trial-path"
TRIAL_MAP = "dm-lw-trial"
SECTORS = 8
# dm-lw alone makes nodes for them, and does not wait for udev.
WITHOUT_UDEV = ("--noudevsync", "--noudevrules")


def load_trial_table(host):
    """Have the running kernel take a table with the selector; LwError if it does not."""
    remove_trial_maps(host)
    try:
        make(host, PATH_MAP, "0 %d error" % SECTORS)
        number = dmsetup(host, "info", "--columns", "--noheadings", "--separator", ":",
                         "-o", "major,minor", PATH_MAP).out.strip()
        # An error target has no requests to take, so "bio".
        make(host, TRIAL_MAP, "0 %d multipath 2 queue_mode bio 0 1 1 %s 0 1 1 %s 1"
             % (SECTORS, SELECTOR, number))
        taken = dmsetup(host, "table", "--inactive", TRIAL_MAP).out
        if " %s 0 " % SELECTOR not in taken:
            raise LwError("the kernel made something else of a test table: %s" % taken.strip())
    finally:
        with undivided():
            remove_trial_maps(host)


def make(host, name, table):
    dmsetup(host, "create", *WITHOUT_UDEV, "--notable", name)
    done = host.run("dmsetup", "load", name, "--table", table)
    if not done.ok:
        raise LwError("the kernel refuses a test table with %s (%s); the kernel log tells why:"
                      " dmesg | grep device-mapper" % (SELECTOR, done.complaint()))


def dmsetup(host, *argv):
    done = host.run("dmsetup", *argv)
    if not done.ok:
        raise LwError("dmsetup %s: %s" % (argv[0], done.complaint()))
    return done


def remove_trial_maps(host):
    """Maps of this trial, or of a trial that was killed."""
    for name in (TRIAL_MAP, PATH_MAP):
        if host.run("dmsetup", "info", name).ok:
            dmsetup(host, "remove", *WITHOUT_UDEV, "--retry", name)
