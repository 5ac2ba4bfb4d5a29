"""Maps that take policies, and a stand-in for libbpf that pins them."""

import contextlib
import os
import shutil
import subprocess

import pytest
from dm_lw import apply, unset
from dm_lw.policies import attached, command, compiler, libbpf, objects

from .conftest import TOOLS
from .fake_host import FakeHost

EXAMPLES = TOOLS.parent / "contrib/policies"
STAND_IN = TOOLS.parent / "tests/tools/fake_libbpf.c"
SHOWN = "name=%s id=20 version=1 chose=%d own=%d bad_index=%d bad_state=%d nested=0 too_many_paths=%d mean_ns=320\n"
UUID = "mpath-36001405aaaa"
KEPT, OBJECT = "etc/dm-latency-weighted/%s.conf" % UUID, "etc/dm-latency-weighted/%s.o" % UUID
IN_FORCE = "run/dm-lw-policy-" + UUID
SDA, SDC = "pci-0000:00:03.0-fc-0x50-lun-0", "pci-0000:00:04.0-fc-0x51-lun-0"
SDC_NUMBER = 8 << 20 | 32


def compiled(file, text=None):
    """clang's object of a source file, or of a text."""
    if text is not None:
        file.write_text(text)
    made = file.with_suffix(".o")
    subprocess.run(["clang", *compiler.OPTIONS, *("-I" + place for place in compiler.directories()), "-c", str(file),
                    "-o", str(made)], check=True)
    return made


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    """The object with constants."""
    directory = tmp_path_factory.mktemp("policy")
    return compiled(shutil.copy(EXAMPLES / "large-ios.c", directory) and directory / "large-ios.c")


@pytest.fixture(scope="module", params=["libbpf.so.1", "libbpf.so.0"])
def stand_in(request, tmp_path_factory):
    library = tmp_path_factory.mktemp("libbpf") / request.param
    subprocess.run(["gcc", "-shared", "-fPIC", "-D_GNU_SOURCE", "-Wall", "-Werror", *["-DOLD"] * request.param.endswith("0"),
                    "-o", str(library), str(STAND_IN)], check=True)
    return str(library)


@pytest.fixture
def host(in_memory, sys_tree, tool, monkeypatch, stand_in):
    """The machine to which the tree belongs; its maps take policies, and libbpf pins them."""
    host = FakeHost(in_memory)
    host.make("run")
    host.pins = in_memory / "bpf"
    host.pins.mkdir()
    for name, number in (("dm-0", "254:0"), ("dm-10", "254:10")):
        host.write("sys/block/%s/dev" % name, number + "\n")
    attached_at(host, SDA, SDC)
    for dm in ("dm-0", "dm-10"):
        tool.file(dm, "policy").write_text("none\n")
    for module in (command, apply, unset):
        monkeypatch.setattr(module, "Host", lambda sysfs: host)
    monkeypatch.setattr(attached, "PINS", str(host.pins))
    monkeypatch.setattr(attached, "log_from_now_on", kernel_says())
    monkeypatch.setattr(libbpf, "NAMES", (stand_in,))
    host.written = takes_policies(host, monkeypatch)
    return host


def kernel_says(*lines):
    """In place of the kernel log."""
    @contextlib.contextmanager
    def log():
        yield lines or None
    return log


def takes_policies(host, monkeypatch):
    """What is written to the file `policy`: the pin is there then."""
    written, write = [], type(host.sysfs).write

    def take(sysfs, text, *names):
        if names[-1] != "policy":
            return write(sysfs, text, *names)
        assert not text or os.path.exists(text)
        written.append((names[-2].rpartition("/")[2], os.path.basename(text)))
        with open(sysfs.path(*names), "w") as file:
            file.write(SHOWN % ("large_ios", 0, 0, 0, 0, 0) if text else "none\n")
    monkeypatch.setattr(type(host.sysfs), "write", take)
    return written


@pytest.fixture
def loaded(monkeypatch):
    """The content of each object that libbpf was given."""
    found, as_file = [], libbpf.as_file

    def keep(policy):
        found.append(objects.PolicyObject(policy.name, policy.content))
        return as_file(policy)
    monkeypatch.setattr(libbpf, "as_file", keep)
    return found


def attached_at(host, *places):
    for number, where in zip(("8:0", "8:32"), places):
        host.answer("udevadm info --query=property --path=" + host.path("sys/dev/block/" + number), "ID_PATH=%s\n" % where)


def constant(policy, name):
    symbol = policy.constants()[name]
    return int.from_bytes(policy.content[symbol.offset:symbol.offset + symbol.size], "little")


def show(tool, dm, name="by_size", chose=0, own=0, bad_index=0, bad_state=0, too_many=0):
    tool.file(dm, "policy").write_text(SHOWN % (name, chose, own, bad_index, bad_state, too_many))
