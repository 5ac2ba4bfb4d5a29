"""A map's policy, and the results of its choices: the file `policy` of the map."""
import contextlib
import errno
import os
import re
from dataclasses import dataclass
from typing import Optional

from .. import kernel_log
from ..errors import LwError, reason
from ..sysfs import GONE, printable

FILE = "policy"
PINS = "/sys/fs/bpf"
NONE, UNSUPPORTED = "none", "unsupported:"
CHOSE, OWN = "chose", "own"
REFUSED = ("bad_index", "bad_state")
NOT_ASKED = ("nested", "too_many_paths")
COUNTS = (CHOSE, OWN, *REFUSED, *NOT_ASKED)
# For sentences; each is a part of the I/Os for which the policy was to choose.
WORDS = {CHOSE: "placed", OWN: "left to the module", "bad_index": "refused as no path of the group",
         "bad_state": "refused as a path that is less usable", "nested": "not asked as an interrupt found it running",
         "too_many_paths": "not asked as there are too many paths"}
# How the module says in the kernel log why it refuses one.
REFUSAL = re.compile(r'policy "(?P<pin>[^"]*)" (?P<why>.*) \(error -?\d+\)$')


@dataclass(frozen=True)
class Policy:
    """`counts` is of all choices since it was attached."""
    name: str
    id: int
    version: int                        # interface that it was compiled for
    counts: dict
    mean_ns: int                        # mean time of a choice; 0 for unknown

    @property
    def total(self):
        return sum(self.counts.values())

    @property
    def refused(self):
        return sum(self.counts[name] for name in REFUSED)

    def document(self):
        return dict(name=self.name, id=self.id, version=self.version, **self.counts, mean_ns=self.mean_ns or None)


def read(sysfs, found):
    """The policy of a map; None if it has none, or if this module, kernel or user cannot tell."""
    text = content(sysfs, found)
    return parse(sysfs.path(found.directory, FILE), text) if text else None


def content(sysfs, found):
    """The file's values; empty if there is none, or none for this user."""
    file = sysfs.path(found.directory, FILE)
    try:
        with open(file, encoding="ascii", errors="backslashreplace") as opened:
            return opened.read().strip()
    except OSError as error:
        if error.errno in (*GONE, errno.EACCES, errno.EPERM):
            return ""
        raise LwError("%s: %s" % (file, reason(error)))


def parse(file, text) -> Optional[Policy]:
    if text == NONE or text.startswith(UNSUPPORTED):
        return None
    values = dict(word.partition("=")[::2] for word in text.split())
    try:
        return Policy(printable(values["name"]), int(values["id"]), int(values["version"]),
                      {name: int(values[name]) for name in COUNTS}, int(values["mean_ns"]))
    except (KeyError, ValueError):
        raise LwError("%s: \"%.80s\" is not what this tool knows of policies" % (file, text))


def require_file(sysfs, found):
    if not sysfs.exists(found.directory, FILE):
        raise LwError("the loaded module takes no policies: it is older than this tool")
    if content(sysfs, found).startswith(UNSUPPORTED):
        raise LwError("this kernel takes no policies: it has no CONFIG_BPF_SYSCALL")


def write(sysfs, found, pin):
    """Attach the program pinned there, or none."""
    with log_from_now_on() as log:
        try:
            sysfs.write(pin, found.directory, FILE)
        except OSError as error:
            told = why(log, pin)
            raise LwError("%s does not take the policy: it %s" % (found.name, told) if told else "%s: %s" % (
                sysfs.path(found.directory, FILE), reason(error)))


@contextlib.contextmanager
def log_from_now_on():
    """The kernel log, where the module says why it refuses; None if it cannot be read."""
    log = None
    with contextlib.suppress(LwError, OSError):
        log = kernel_log.from_now_on()
    try:
        yield log
    finally:
        if log is not None:
            os.close(log)


def why(log, pin):
    told = [REFUSAL.search(text) for _, text in kernel_log.waiting(log)] if log is not None else []
    return next((match["why"] for match in told if match and match["pin"] == pin), None)


def sentence(policy):
    """Like "by_size (program 20): 81 % of I/Os placed, 19 % left to the module; 320 ns each"."""
    parts = ["%.3g %% %s" % (100 * policy.counts[name] / policy.total, WORDS[name])
             for name in COUNTS if policy.counts[name]]
    told = ", ".join(parts).replace(" % ", " % of I/Os ", 1) or "no I/O yet"
    return "%s (program %d): %s%s" % (policy.name, policy.id, told,
                                      "; %d ns each" % policy.mean_ns if policy.mean_ns else "")


def can_read(sysfs, found):
    return os.access(sysfs.path(found.directory, FILE), os.R_OK)
