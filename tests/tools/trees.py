"""Trees in place of /sys, as text: a line "file content" for each file.

`python3 -m tests.tools.trees` prints the part of this host's /sys that dm-lw reads; the
files in captures/ were made so in a guest.
"""
import os
import sys

PLACES = ("kernel/dm-latency-weighted", "module/dm_latency_weighted/parameters")
CLASSES = ("zero", "32k", "64k", "128k", "256k", "512k", "1m", "more", "huge")
NOON = 1763730000                       # 2025-11-21 13:00:00 UTC


def write(text, root):
    """Make the files below `root`."""
    for line in text.splitlines():
        name, _, content = line.partition(" ")
        path = os.path.join(str(root), name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(content + "\n")


def capture(root="/sys"):
    """What dm-lw reads, of this host."""
    lines = []
    for place in PLACES:
        for directory, _, names in sorted(os.walk(os.path.join(root, place))):
            lines += [line(root, os.path.join(directory, name)) for name in sorted(names)]
    for dm in os.listdir(os.path.join(root, PLACES[0])):
        lines += [line(root, os.path.join(root, "block", dm, "dm", name))
                  for name in ("name", "uuid")]
    devices = {text.split(" ")[1] for text in lines if text.split(" ")[0].endswith("/device")}
    lines += [line(root, os.path.join(root, "dev/block", device, "stat"))
              for device in sorted(devices)]
    return "\n".join(lines)


def line(root, path):
    with open(path) as file:
        return "%s %s" % (os.path.relpath(path, root), file.read().strip())


def path_files(device, state="active", latency_us=1200, done=1000, **values):
    """The files of a path, and of its size class 32k."""
    numbers = dict(
        device=device, state=state, state_since="%d.250" % (NOON - 3600), mode="stamps",
        weight=64, share="50.00", latency_us=latency_us, base_latency_us=latency_us,
        noise_percent=2, inflight=2, knee=20, block_cost=250, starts=done + 2, ends=done, done=done,
        probes=0, busy=0, ignored_failed=0, ignored_stale=0, ignored_unissued=0, failures=0,
        prefer=0, known_since="%d.000" % (NOON - 7200))
    numbers.update(values)
    files = {name: str(value) for name, value in numbers.items()}
    for name in CLASSES:
        used = name == "32k"
        for key, value in (("latency_us", latency_us), ("samples", done),
                           ("inflight", numbers["inflight"])):
            files["%s/%s" % (name, key)] = str(value if used else 0)
    return files


SETTINGS = dict(ewma_shift=2, window_ms=20, tolerance=12, spill=20, probe_min_ms=100,
                probe_max_ms=5000, min_contiguous_kb=0, accounting=1, histogram=0, report_ms=5000)


def map_text(dm, name, wwid, paths, **settings):
    """A map as text; `paths` is what path_files() returned, by name."""
    top = "kernel/dm-latency-weighted/%s" % dm
    files = {"%s/name" % top: name}
    for key, value in dict(SETTINGS, **settings).items():
        files["%s/%s" % (top, key)] = value
    for path, content in paths.items():
        for key, value in content.items():
            files["%s/paths/%s/%s" % (top, path, key)] = value
    files["block/%s/dm/name" % dm] = name
    files["block/%s/dm/uuid" % dm] = "mpath-" + wwid
    return "".join("%s %s\n" % item for item in files.items())


def module_text():
    return "".join("module/dm_latency_weighted/parameters/%s %s\n" % item
                   for item in SETTINGS.items())


if __name__ == "__main__":
    sys.exit(print(capture()))
