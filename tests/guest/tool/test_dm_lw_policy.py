"""dm-lw policy with real libbpf and a real verifier: each example is taken, chooses, and goes; and it chooses the same
in the kernel as in the simulator, for the same inputs.
"""
# promise output/dm-lw-policy, output/policy-examples

import json
import os
import platform
import struct

import pytest

from tests.guest.lib import noted
from tests.guest.lib.policies import limit_us
from tests.lib import bpf
from tests.lib.command import read_text
from tests.lib.disks import path_disks
from tests.lib.dm_lw import dm_lw
from tests.lib.multipath import Multipath
from tests.lib.scenario import SELECTOR, Load

pytestmark = [pytest.mark.time_limit(240), pytest.mark.virtual_time, pytest.mark.observe]

SIZES = "4k/60:64k/20:256k/20"
ENOUGH = 100        # choices


@pytest.fixture(scope="module")
def mounted():
    bpf.mount()


@pytest.fixture(scope="module")
def mapped(mounted):
    """A map of three paths, each another latency. It is bio-based, so that it knows who submits."""
    with path_disks(3) as disks:
        for number, disk in enumerate(disks):
            disk.set(delay_us=5000 * (number + 1))      # few I/Os, which leave the CPU to dm-lw
        with Multipath(disks, SELECTOR, "bio") as made, limit_us(0):    # a kernel with checkers is slow
            yield made


@pytest.fixture
def load(mapped):
    """Of several sizes; no policy stays behind."""
    with Load(mapped, 8, rw="randrw", bssplit=SIZES) as made:
        made.begin()
        yield made
        dm_lw("policy", "none", mapped.name).success()


def constants(mapped, name):
    """What the example needs."""
    path = mapped.paths[1].name
    return {"large-ios": ["path=" + path, "large_kib=64"], "nvme-latency": ["window_ms=20"],
            "cgroup": ["path=" + path, "cgroup=/sys/fs/cgroup"]}.get(name, [])


def attach(mapped, name, file):
    return dm_lw("policy", "load", file, "--map", mapped.name, *constants(mapped, name)).success()


def policy_of(mapped):
    (found,) = json.loads(dm_lw("stat", "-j", mapped.name).success())["maps"]
    return found["policy"]


def asked(policy):
    return policy["chose"] + policy["own"] + policy["bad_index"] + policy["bad_state"]


@pytest.mark.parametrize("name", noted.EXAMPLES)
def test_example_chooses_as_in_the_simulator(mapped, load, name, tmp_path):
    """It is taken; then so is the same that notes. One CPU chooses, so notes are in order."""
    assert "attached" in attach(mapped, name, noted.object_file(name))
    known = policy_of(mapped)
    assert known["name"] and known["version"] == 1
    attach(mapped, name, noted.object_file(name + ".noted"))
    notes = noted.Notes(bpf, name, policy_of(mapped)["id"])
    try:
        load.wait_until(lambda: len(notes.read()) >= ENOUGH, "%d choices" % ENOUGH, timeout=60)
        found = notes.read()
    finally:
        notes.close()
    policy = policy_of(mapped)
    assert not policy["bad_index"] + policy["nested"] + policy["too_many_paths"], policy
    assert policy["bad_state"] <= asked(policy) / 20, policy
    assert dm_lw("policy", "none", mapped.name).success() == "%s: %s detached\n" % (mapped.name, policy["name"])
    assert policy_of(mapped) is None and os.listdir(bpf.PINS) == []
    assert len({choice for _, choice, _ in found}) > 1 or name in ("cgroup", "flushes")
    if platform.machine() == "x86_64":      # the library is for the host that compiled it
        library = noted.Library(name, str(tmp_path), constants(mapped, name), ToolMap(mapped))
        assert [library.choice(now_ns, seen) for now_ns, _, seen in found] == [choice for _, choice, _ in found]


class ToolMap:
    """As dm-lw knows the map, for what words of constants mean."""

    def __init__(self, mapped):
        self.name = mapped.name
        self.paths = [ToolPath(path) for path in mapped.paths]


class ToolPath:
    def __init__(self, path):
        self.name = path.name
        self.device = read_text("/sys/block/%s/dev" % path.name)

    def is_called(self, word):
        return word == self.name


def patched(directory, change):
    """An example of which an instruction is another one: change() takes the bytes of each, and returns what stands there."""
    policy = noted.objects.load(noted.object_file("least-latency"))
    (code,) = [each for each in policy.symbols if each.kind == noted.objects.FUNCTION]
    for at in range(code.offset, code.offset + code.size, 8):
        policy.content[at:at + 8] = change(bytes(policy.content[at:at + 8]))
    file = directory / "x.o"
    file.write_bytes(policy.content)
    return file


def refused(mapped, file):
    told = dm_lw("policy", "load", file, "--map", mapped.name).complaint()
    assert policy_of(mapped) is None and os.listdir(bpf.PINS) == []
    return told


@pytest.mark.facts
def test_verifier_tells_why_it_refuses(mapped, tmp_path):
    """What is stored comes from a register to which nothing was written."""
    told = refused(mapped, patched(tmp_path, lambda code: bytes([0x73, code[1] & 15 | 9 << 4]) + code[2:]
                                   if code[0] == 0x73 else code))
    assert "the kernel's verifier refuses it: " in told and "R9 !read_ok" in told


@pytest.mark.facts
@pytest.mark.expect_dm_error(r'policy ".*" was compiled for interface version 2')
def test_module_tells_why_it_refuses(mapped, tmp_path):
    """A program for a later version of the interface: that is where it writes."""
    mark, later = (struct.pack("<h", bpf.OFFSET["mark"] + 2 * version) for version in (0, 1))
    told = refused(mapped, patched(tmp_path, lambda code: code.replace(mark, later) if code[0] == 0x73 else code))
    assert told.endswith("it was compiled for interface version 2, this module has 1\n")
