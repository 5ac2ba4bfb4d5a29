"""Trees in place of /sys, as text: a line "file content" for each file, lines joined by "\\n"; "link@ target" for a link.

`python3 -m tests.tools.trees` prints the part of this host's /sys that dm-lw reads; the
files in captures/ were made so in a guest.
"""
import contextlib
import glob
import os
import sys
from pathlib import Path

from tests.lib.options import DEFAULTS

PLACES = ("kernel/dm-latency-weighted", "module/dm_latency_weighted/parameters")
COUNTED = "kernel/debug/dm-latency-weighted/*/paths/*/latency_stat"
CLASSES = ("zero", "32k", "64k", "128k", "256k", "512k", "1m", "more", "huge")
OPERATIONS = ("read", "write", "other")
NOON = 1763730000                       # 2025-11-21 13:00:00 UTC


def write(text, root):
    """Make the files below `root`; the links first, as files may be behind them."""
    lines = [line.partition(" ") for line in text.splitlines()]
    for name, _, target in lines:
        if name.endswith("@"):
            path = os.path.join(str(root), name.rstrip("@"))
            os.makedirs(os.path.dirname(path), exist_ok=True)
            os.makedirs(os.path.join(os.path.dirname(path), target), exist_ok=True)
            os.symlink(target, path)
    for name, _, content in lines:
        path = os.path.join(str(root), name)
        if not name.endswith("@"):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as file:
                file.write(content.replace("\\n", "\n") + "\n")


def capture(root="/sys"):
    """What dm-lw reads, of this host."""
    lines = []
    for place in PLACES:
        for directory, _, names in sorted(os.walk(os.path.join(root, place))):
            lines += [line(root, os.path.join(directory, name)) for name in sorted(names)]
    for dm in os.listdir(os.path.join(root, PLACES[0])):
        lines += [line(root, os.path.join(root, "block", dm, "dm", name))
                  for name in ("name", "uuid")]
    lines += [line(root, str(file)) for file in sorted(Path(root).glob(COUNTED))]
    devices = {text.split(" ")[1] for text in lines if text.split(" ")[0].endswith("/device")}
    lines += [line(root, os.path.join(root, "dev/block", device, "stat"))
              for device in sorted(devices)]
    return "\n".join(lines)


# What tells of the way to a disk: directories of class/, whose files are captured.
LINK_CLASSES = ("iscsi_session", "iscsi_connection", "iscsi_host", "fc_host", "fc_remote_ports", "sas_device", "nvme")


def capture_links(root="/sys"):
    """What dm-lw topology reads beyond capture(), of this host: maps' slaves, and where each leads."""
    lines, found = [], set()
    for directory in glob.glob(os.path.join(root, "block/dm-*/slaves/*")):
        lines.append(line(root, directory + "/dev"))
        found.add(lines[-1].split(" ")[1])
    for number in sorted(found):
        lines += capture_way(root, os.path.join(root, "dev/block", number))
    for name in LINK_CLASSES:
        for path in sorted(glob.glob(os.path.join(root, "class", name, "*", "*"))):
            with contextlib.suppress(OSError):          # what is only to be written
                lines += [line(root, path)] if is_value(path) else []
    return "\n".join(lines)


def is_value(path):
    return os.path.isfile(path) and os.path.basename(path) != "uevent"


def capture_way(root, link):
    """The links from a disk's number to its device, and the files that tell of that."""
    disk = os.path.realpath(link)
    device = os.path.realpath(disk + "/device")
    yield "%s@ %s" % (os.path.relpath(link, root), os.path.relpath(disk, os.path.dirname(link)))
    yield "%s@ %s" % (os.path.relpath(disk + "/device", root), os.path.relpath(device, disk))
    yield line(root, disk + "/dev")
    for name in ("state", "address", "transport", "subsysnqn"):
        if os.path.isfile(os.path.join(device, name)):
            yield line(root, os.path.join(device, name))
    for name in glob.glob(device + "/scsi_device/*/uevent"):
        yield line(root, name)


def line(root, path):
    with open(path) as file:
        content = "\\n".join(" ".join(text.split()) for text in file.read().strip().split("\n"))
    return "%s %s" % (os.path.relpath(path, root), content)


def path_files(device, state="active", latency_us=1200, done=1000, operations=None, **values):
    """The files of a path, of its size class 32k, and of operations: (base_latency_us, done) by name."""
    from dm_lw.maps import PATH_NUMBERS         # not where capture() runs
    numbers = dict(
        device=device, state=state, state_since="%d.250" % (NOON - 3600), latency_source="stamps",
        weight=64, share="50.00", latency_us=latency_us, base_latency_us=latency_us,
        noise_percent=2, inflight=2, knee=20, block_cost=250, starts=done + 2, ends=done, done=done,
        writes=0, unknown_ops=0, probes=0, full=0, ignored_failed=0, ignored_stale=0, ignored_unissued=0, failures=0,
        outliers=0, outlier_latency_us=0, prefer=0, known_since="%d.000" % (NOON - 7200))
    numbers = {**dict.fromkeys(PATH_NUMBERS, 0), **numbers, **values}   # a value that no test is about is 0
    files = {name: str(value) for name, value in numbers.items()}
    for name in CLASSES:
        used = name == "32k"
        for key, value in (("latency_us", latency_us), ("done", done),
                           ("inflight", numbers["inflight"])):
            files["%s/%s" % (name, key)] = str(value if used else 0)
    for name in OPERATIONS:
        base, count = (operations or {}).get(name, (0, 0))
        files.update({name + "/base_latency_us": str(base), name + "/done": str(count)})
    return files


SETTINGS = {**DEFAULTS, "ewma_shift": 2}


def latency_stat(counts, unstamped=0):
    """I/Os up to 32 KiB by the borders of their buckets, as debugfs shows them, in a line."""
    rows = [["from_us", "below_us", *CLASSES]]
    for borders, count in [*counts.items(), (("unstamped", "-"), unstamped)]:
        rows.append([*map(str, borders), *(str(count if name == "32k" else 0) for name in CLASSES)])
    before = "cpu node class starts ends done\\n0 0 32k %d %d %d\\n\\n" % ((sum(counts.values()),) * 3)
    return before + "\\n".join(" ".join(row) for row in rows)


def map_text(dm, name, wwid, paths, counted=(), **settings):
    """A map as text; `paths` is what path_files() returned, by name, `counted` latency_stat()."""
    top = "kernel/dm-latency-weighted/%s" % dm
    files = {"%s/name" % top: name}
    for key, value in dict(SETTINGS, **settings).items():
        files["%s/%s" % (top, key)] = value
    for path, content in paths.items():
        for key, value in content.items():
            files["%s/paths/%s/%s" % (top, path, key)] = value
    for path, text in dict(counted).items():
        files["kernel/debug/dm-latency-weighted/%s/paths/%s/latency_stat" % (dm, path)] = text
    files["block/%s/dm/name" % dm] = name
    files["block/%s/dm/uuid" % dm] = "mpath-" + wwid
    return "".join("%s %s\n" % item for item in files.items())


def disk_text(number, reads=0, read_us=0, writes=0, write_us=0, inflight=0):
    """What a disk counts, of I/Os of 4 KiB; the kernel's milliseconds begin again after 32 bits."""
    read_ms, write_ms = (count * us // 1000 % 2**32 for count, us in ((reads, read_us), (writes, write_us)))
    return "dev/block/%s/stat %d 0 %d %d %d 0 %d %d %d 500 900 0 0 0 0\n" % (
        number, reads, 8 * reads, read_ms, writes, 8 * writes, write_ms, inflight)


def other_map_text(dm, name, wwid, paths):
    """A map of another selector; `paths` are numbers by name."""
    return "block/%s/dm/name %s\nblock/%s/dm/uuid mpath-%s\n" % (dm, name, dm, wwid) + "".join(
        "block/%s/slaves/%s/dev %s\n" % (dm, path, number) for path, number in paths.items())


def module_text():
    return "".join("module/dm_latency_weighted/parameters/%s %s\n" % item
                   for item in SETTINGS.items())


if __name__ == "__main__":
    sys.exit(print(capture()))
