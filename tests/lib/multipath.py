"""A dm-multipath map made with dmsetup, without multipathd."""

import collections
import contextlib
import glob
import os

from .command import CommandError, read_text, settle, sh, wait_until, write_text

PathStatus = collections.namedtuple("PathStatus",
                                    "number usable failures words")

# The words latency-weighted prints for each path.
Learned = collections.namedtuple("Learned",
                                 "weight latency_us inflight state source")
NEW, ACTIVE, PROBING, RAMPING, FAILED = range(5)
UNMEASURED, STAMPS, LITTLE = range(3)


def table(paths, selector, queue_mode, selector_args=(), features=(),
          repeat_count=1, sectors=None, groups=None, path_words=None):
    """The table line of a map with one priority group, or those given as lists of paths.

    `path_words` has what the selector wants of each path, if it is not a repeat count.
    """
    features = ["queue_mode", queue_mode] + list(features)
    words = [0, sectors or paths[0].sectors(), "multipath",
             len(features)] + features
    groups = groups or [paths]
    path_words = iter(path_words or [repeat_count] * sum(map(len, groups)))
    words += [0, len(groups), 1]
    for group in groups:
        words += [selector, len(selector_args)] + list(selector_args)
        words += [len(group), 1]
        for path in group:
            words += [path.number, next(path_words)]
    return " ".join(str(word) for word in words)


def parse_status(line):
    """The PathStatus of each path, all priority groups in order."""
    words = collections.deque(line.split()[3:])

    def skip_counted():
        for _ in range(int(words.popleft())):
            words.popleft()

    skip_counted()                  # features
    skip_counted()                  # hardware handler
    groups = int(words.popleft())
    words.popleft()                 # group in use
    paths = []
    for _ in range(groups):
        words.popleft()             # group's state
        skip_counted()              # selector's words for the group
        count, per_path = int(words.popleft()), int(words.popleft())
        for _ in range(count):
            number, state, failures = (words.popleft() for _ in range(3))
            paths.append(PathStatus(number, state == "A", int(failures),
                                    [words.popleft() for _ in range(per_path)]))
    if words:
        raise ValueError("status has words left over: %s" % line)
    return paths


# The maps are made without udev, which would open them at any time and so put
# I/O of its own into what is measured; the kernel makes /dev/dm-N by itself.
WITHOUT_UDEV = ("--noudevsync", "--noudevrules")


def kernel_name(name):
    """The dm-N of a map."""
    for file in glob.glob("/sys/block/dm-*/dm/name"):
        if read_text(file) == name:
            return file.split("/")[3]
    raise LookupError("no map is called " + name)


@contextlib.contextmanager
def map_without_table(name):
    """As long as it is needed; its name."""
    sh("dmsetup", "create", *WITHOUT_UDEV, name, "--notable")
    try:
        yield name
    finally:
        sh("dmsetup", "remove", "--retry", *WITHOUT_UDEV, name)


class Multipath:
    """A map over `paths`; also a context manager that removes it."""

    def __init__(self, paths, selector, queue_mode="rq", name="lwtest",
                 **table_args):
        self.paths = paths
        self.selector = selector
        self.queue_mode = queue_mode
        self.name = name
        self.table_args = table_args
        sh("dmsetup", "create", *WITHOUT_UDEV, name, "--table", self.table())
        self.path = "/dev/" + kernel_name(name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.remove()

    def table(self):
        return table(self.paths, self.selector, self.queue_mode,
                     **self.table_args)

    def remove(self):
        """Reloads make udev look at the map, and so keep it open for a while."""
        wait_until(self.try_remove, "%s is closed" % self.name, timeout=20)

    def try_remove(self):
        settle()
        try:
            sh("dmsetup", "remove", "--retry", *WITHOUT_UDEV, self.name)
        except CommandError as error:
            if "Device or resource busy" not in str(error):
                raise
            return False
        return True

    def live_table(self):
        return sh("dmsetup", "table", self.name).strip()

    def reload(self, selector=None, noflush=False):
        """Swap in a new table under whatever load there is; what waits for a path fails, unless `noflush`."""
        self.selector = selector or self.selector
        sh("dmsetup", "load", self.name, "--table", self.table())
        sh("dmsetup", "resume", *WITHOUT_UDEV, *(["--noflush"] if noflush else []), self.name)

    def keep_ios_apart(self):
        """From here on the block layer joins no two I/Os, so one of fio's is one of a path's."""
        for disk in [path.name for path in self.paths] + [os.path.basename(self.path)]:
            write_text("/sys/block/%s/queue/nomerges" % disk, 2)

    def message(self, *words):
        sh("dmsetup", "message", self.name, 0, *words)

    def fail_path(self, path):
        self.message("fail_path", path.number)

    def reinstate_path(self, path):
        self.message("reinstate_path", path.number)

    def status(self, path):
        for status in parse_status(sh("dmsetup", "status", self.name)):
            if status.number == path.number:
                return status
        raise LookupError("%s is not a path of %s" % (path, self.name))

    def usable(self, path):
        return self.status(path).usable

    def learned(self, path):
        """What latency-weighted tells about the path."""
        return Learned(*(int(word) for word in self.status(path).words))


class TwoGroups(Multipath):
    """A map of two priority groups, half of the paths each."""

    def table(self):
        half = len(self.paths) // 2
        return table(self.paths, self.selector, self.queue_mode,
                     groups=[self.paths[:half], self.paths[half:]])
