"""dm-lw report --bundle: all that a bug report needs, in one archive."""
import io
import json
import os
import platform
import re
import tarfile
import time

from .. import doctor, kept, kernel_log, kernels, multipath_conf, output, page, topology
from ..errors import LwError
from ..events import LINE
from ..host import Host
from ..live_tables import DEVICE_MAPPER, TARGET, known_maps
from ..maps import MODULE, ROOT, own_spelling
from ..survey import survey
from ..sysfs import printable
from ..version import VERSION
from .recorder import OLDER, both, require_recording
from .stand_ins import StandIns

DEBUG = "kernel/debug/dm-latency-weighted"
LARGEST = 256 << 20             # bytes of a file that is taken along
# multipath makes these by itself.
NO_IDENTITY = re.compile("mpath[a-z]+|localhost")
NAMED = re.compile(r'"(name|map|wwid)":("(?:[^"\\]|\\.)+")')     # as JSON has it, in a recording
LOGGED = re.compile("device-mapper|dm[-_]latency|dm_multipath")
ABOUT = """\
Made by dm-lw %s, %s.

versions.txt      kernel, module, programs
doctor.txt        what dm-lw doctor finds
topology.json     what dm-lw topology -j tells
table.txt         dmsetup table --target multipath
status.txt        dmsetup status --target multipath
kernel.txt        lines of the kernel log about device-mapper
sysfs/            the module's files: dm-lw --sysfs sysfs stat
recording*        as dm-lw record wrote it, if it was named: dm-lw report recording

%s
"""
STOOD_IN = "Serial numbers, host names, aliases and addresses are replaced by stand-ins."
AS_THEY_ARE = "Serial numbers, host names, aliases and addresses are as they are."


def run(args):
    """Pack it."""
    if len(args.words) > 1:
        raise LwError("--bundle takes one recording at most, not %s" % " ".join(args.words),
                      status=2)
    output.require_replaceable(args.bundle, hint="")
    host = Host(sysfs=args.sysfs)
    files = gather(host, *args.words)
    if not args.with_identities:
        replace = StandIns(host, names(host) + names_in(files)).replace
        files = {name: replace(text) for name, text in files.items()}
    files["README.txt"] = ABOUT % (VERSION, now("%Y-%m-%d %H:%M:%S %z"), AS_THEY_ARE
                                   if args.with_identities else STOOD_IN)
    output.replace(args.bundle, archive(files), private=True)
    print(printable("%s: %d files. Look through them before you send it." % (args.bundle, len(files))))


def now(form):
    return time.strftime(form, time.localtime(time.time()))


def gather(host, recording=None):
    """The text of each file."""
    files = {name: told(source, host) for name, source in SOURCES.items()}
    for name in [*walk(host.sysfs, ROOT), *walk(host.sysfs, MODULE, "parameters"),
                 *(os.path.join(MODULE, name) for name in ("version", "srcversion")),
                 *maps_files(host), *disks_files(host), *walk(host.sysfs, DEBUG)]:
        text = raw(host.sysfs.path(name))
        if text is not None:
            files["sysfs/" + name] = text
    if recording is not None:
        files.update(recordings(recording))
    return files


def told(source, host):
    """A missing part does not keep the rest back."""
    try:
        return source(host)
    except LwError as error:
        return "not known: %s\n" % error


def versions(host):
    release = re.search('^PRETTY_NAME="?(.*?)"?$', host.read("etc/os-release") or "", re.M)
    facts = {
        "dm-lw": VERSION,
        "Python": platform.python_version(),
        "kernel": host.release(),
        "machine": platform.machine(),
        "system": release and release.group(1),
        "possible CPUs": host.sysfs.text("devices/system/cpu/possible"),
        "tainted": (host.read("proc/sys/kernel/tainted") or "").strip(),
        "module loaded": host.sysfs.text(MODULE, "version"),
        "its source": host.sysfs.text(MODULE, "srcversion"),
        "source for dkms": kernels.source_version(host),
        "multipath-tools": told(multipath_version, host),
    }
    return "".join("%-16s %s\n" % (name, value or "not known") for name, value in facts.items())


def multipath_version(host):
    return ".".join(map(str, multipath_conf.version(host)))


def findings(host):
    return doctor.as_text(doctor.diagnose(host), False, False) + "\n"


def topology_document(host):
    found = survey(host)
    return topology.as_json(found, found.maps) + "\n"


def require_own_sysfs(host):
    """Output of this host's programs and kernel belongs to no copy of another host's /sys."""
    if not host.has_own_sysfs():
        raise LwError("this is about a copy of another host's /sys")


def dmsetup(verb):
    def run(host):
        require_own_sysfs(host)
        if not host.sysfs.exists(DEVICE_MAPPER):
            raise LwError("device-mapper is not loaded")
        done = host.run("dmsetup", verb, "--target", TARGET)
        return done.out if done.ok else "not known: %s\n" % done.complaint()
    return run


def logged(host):
    """The kernel's lines about device-mapper."""
    require_own_sysfs(host)
    return "".join("%s %s\n" % (page.moment(when), text) for when, text in kernel_log.records()
                   if LOGGED.search(text))


SOURCES = {"versions.txt": versions, "doctor.txt": findings, "topology.json": topology_document,
           "table.txt": dmsetup("table"), "status.txt": dmsetup("status"),
           "kernel.txt": logged}


def walk(sysfs, *names):
    """The files below a directory, relative to /sys."""
    for directory, _, files in sorted(os.walk(sysfs.path(*names))):
        for name in sorted(files):
            yield os.path.relpath(os.path.join(directory, name), sysfs.root)


def maps_files(host):
    for found in known_maps(host):
        if found.is_multipathds or host.sysfs.exists(ROOT, found.dm):
            for name in ("name", "uuid"):
                yield "block/%s/dm/%s" % (found.dm, name)


def disks_files(host):
    """Counters of the paths' disks."""
    for name in walk(host.sysfs, ROOT):
        if name.endswith("/device"):
            yield "dev/block/%s/stat" % host.sysfs.text(name)


def raw(path):
    """A file's text, lines and all; None if it cannot be read, as files that can only be written."""
    try:
        with open(path, encoding="utf-8", errors="backslashreplace") as file:
            return file.read(LARGEST)
    except OSError:
        return None


def recordings(file):
    """FILE, and FILE.1 if there is one."""
    found = {}
    for ending, path in zip(("", OLDER), both(file)):
        require_recording(path)
        require_size(path)
        text = raw(path)
        if text is not None:
            found["recording" + ending] = text
    if not found:
        raise LwError("%s: there is no such file" % file)
    return found


def require_size(path):
    """The newest samples, which are the last ones, must not be missing without a word."""
    found = output.require_regular(path)
    if found and found.st_size > LARGEST:
        raise LwError("%s has %d bytes; %d is the most that a bundle takes: name no recording, or one"
                      " made with a smaller --max-size" % (path, found.st_size, LARGEST))


def names(host):
    """Names that identify the machine, and that no pattern finds."""
    hostname = (host.read("proc/sys/kernel/hostname") or platform.node()).strip()
    found = [("host", hostname), ("host", hostname.split(".")[0])]
    for known in known_maps(host):
        found += [("map", known.name), ("wwid", identity_in(known.uuid))]
    found += [("wwid", identity_in(uuid)) for uuid in kept.uuids(host)]
    for each in survey(host).maps:
        for group in each.groups:
            for path in group.paths:
                found += [("port", path.link.host_port), ("port", path.link.target_port),
                          ("target", path.link.target)]
    return telling(found)


def identity_in(uuid):
    """The part behind the first dash, as the WWID in mpath-WWID; maps of other kinds have one, too."""
    return uuid.partition("-")[2]


def names_in(files):
    """Names of maps that may be gone by now, from recordings and the module's log."""
    text = "".join(text for name, text in files.items() if name.startswith("recording"))
    found = [("wwid" if key == "wwid" else "map", unquoted(word))
             for key, word in set(NAMED.findall(text))]
    return telling(found + [("map", match["map"]) for match in LINE.finditer(files["kernel.txt"])])


def unquoted(word):
    """The value of a string of JSON."""
    try:
        return json.loads(word)
    except ValueError:                  # the line was cut short
        return word[1:-1]


def telling(names):
    """Those that tell whose machine it is, however they are spelled, also as JSON writes them."""
    found = dict.fromkeys((kind, form) for kind, name in names if name and not NO_IDENTITY.fullmatch(name)
                          for spelling in (name, own_spelling(name))
                          for form in (spelling, json.dumps(spelling)[1:-1]))
    return list(found)


def archive(files):
    """A .tar.gz of them, below a directory of its own."""
    top = now("dm-lw-%Y%m%d-%H%M%S/")
    result = io.BytesIO()
    with tarfile.open(fileobj=result, mode="w:gz") as tar:
        for name in sorted(files):
            content = files[name].encode(errors="surrogateescape")
            member = tarfile.TarInfo(top + name)
            member.size, member.mtime, member.mode = len(content), int(time.time()), 0o644
            tar.addfile(member, io.BytesIO(content))
    return result.getvalue()
