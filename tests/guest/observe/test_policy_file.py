"""The file "policy" of a map: what it takes, and that anything else changes nothing."""
# promise output/no-policy: A file without a policy, or with one for another interface, is refused by one line that
#   says why, and the policy before stays | full: `guests-*`

import contextlib
import errno
import os

import pytest

from tests.guest.lib.policies import NONE, PARAMETER, Policy, wait_until_gone
from tests.lib import bpf
from tests.lib.command import load_module, write_text
from tests.lib.disks import path_disks
from tests.lib.multipath import Multipath
from tests.lib.scenario import SELECTOR, SELECTOR_MODULE

pytestmark = [pytest.mark.facts, pytest.mark.observe]

LOG = 'policy "[^"]*" '


@pytest.fixture
def attached():
    """A Policy with a program."""
    with path_disks(1) as disks, Multipath(disks, SELECTOR) as mapped, bpf.pinned(bpf.own(), "old") as pin:
        policy = Policy(mapped)
        policy.attach(pin)
        yield policy


def refused(policy, pin):
    """Writing fails and changes nothing; the error's number. Counts go on: udev still reads the new map."""
    before = policy.shown()
    with pytest.raises(OSError) as error:
        policy.attach(pin)
    after = policy.shown()
    assert after["name"] == "old" and after["id"] == before["id"] and after["version"] == before["version"]
    assert after["own"] >= before["own"]
    return error.value.errno


@pytest.mark.expect_dm_error(LOG + r"is no name of a pin below /sys/fs/bpf/ \(error -22\)")
@pytest.mark.parametrize("name", ["/etc/passwd", "old", "/sys/fs/bpf/../../../etc/passwd",
                                  pytest.param("x" * 3000, id="long")])
def test_other_names_are_refused(attached, name):
    assert refused(attached, name) == errno.EINVAL


@pytest.mark.expect_dm_error(LOG + r"does not exist \(error -2\)")
def test_missing_pin_is_refused(attached):
    assert refused(attached, bpf.PINS + "/missing") == errno.ENOENT


@pytest.mark.expect_dm_error(LOG + r"is no pin of a program \(error -13\)")
@pytest.mark.parametrize("name", ["", "/directory"])
def test_directory_is_refused(attached, name):
    os.mkdir(bpf.PINS + "/directory")
    try:
        assert refused(attached, bpf.PINS + (name or "/")) == errno.EACCES
    finally:
        os.rmdir(bpf.PINS + "/directory")


@pytest.mark.expect_dm_error(LOG + r"is no pin of a program \(error -13\)")
def test_link_to_another_file_system_is_refused(attached):
    link = bpf.PINS + "/link"
    os.symlink("/etc/passwd", link)
    try:
        assert refused(attached, link) == errno.EACCES
    finally:
        os.unlink(link)


@pytest.mark.expect_dm_error(LOG + r"is no program of type raw_tracepoint_writable \(error -22\)")
def test_map_is_refused(attached):
    with bpf.bpf_map(bpf.ARRAY, 4, 4, 1) as descriptor:
        pin = bpf.pin(descriptor, "map")
        try:
            assert refused(attached, pin) == errno.EINVAL
        finally:
            os.unlink(pin)


@pytest.mark.expect_dm_error(LOG + r"is no program of type raw_tracepoint_writable \(error -22\)")
def test_other_type_is_refused(attached):
    with bpf.pinned(bpf.END, "filter", kind=bpf.SOCKET_FILTER) as pin:
        assert refused(attached, pin) == errno.EINVAL


@pytest.mark.expect_dm_error(LOG + "accesses byte 896 of struct lw_policy, which has 896")
def test_larger_struct_is_refused(attached):
    with bpf.pinned(bpf.policy(bpf.store(bpf.SIZE, 1, byte=True)), "large") as pin:
        assert refused(attached, pin) == errno.E2BIG


@pytest.mark.expect_dm_error(LOG + r"was compiled for interface version \d+, this module has %d" % bpf.VERSION)
@pytest.mark.parametrize("version", [bpf.VERSION + 1, 32])
@pytest.mark.parametrize("reads_cost", [False, True])
def test_newer_interface_is_refused(attached, version, reads_cost):
    with bpf.pinned(bpf.policy(version=version, reads_cost=reads_cost), "newer") as pin:
        assert refused(attached, pin) == errno.EPROTONOSUPPORT


def test_program_without_a_mark_is_taken(attached):
    """It may be older than any mark; the module then computes costs for it."""
    with bpf.pinned(bpf.BEGIN + bpf.END, "older") as pin:
        attached.attach(pin)
        assert attached.shown()["name"] == "older" and attached.shown()["version"] == 0


@pytest.mark.expect_dm_error(LOG + "makes tail calls")
def test_tail_calls_are_refused(attached):
    """What is called may access more than the struct has, and nobody would check it."""
    with bpf.bpf_map(bpf.PROG_ARRAY, 4, 4, 1) as descriptor, bpf.pinned(bpf.tail_calls(descriptor), "calls") as pin:
        assert refused(attached, pin) == errno.EINVAL


@pytest.mark.expect_dm_error(LOG + "reads more than its one argument")
def test_second_argument_is_refused(attached):
    second = bpf.instruction(0x79, 2, 1, 8)
    with bpf.pinned(second + bpf.own(), "second") as pin:
        assert refused(attached, pin) == errno.EINVAL


@pytest.mark.expect_dm_error(LOG + "may sleep")
def test_sleepable_program_is_refused(attached):
    with contextlib.ExitStack() as stack:
        try:
            pin = stack.enter_context(bpf.pinned(bpf.own(), "sleeps", flags=bpf.SLEEPABLE))
        except OSError as error:
            pytest.skip("this kernel has no such program of the type that may sleep: %s" % error)
        assert refused(attached, pin) == errno.EINVAL


def test_program_stays_until_it_is_replaced_or_detached(attached):
    first = attached.identity()
    with bpf.pinned(bpf.fixed(0), "new") as pin:
        attached.attach(pin)
    second = attached.identity()
    assert second != first and attached.shown()["name"] == "new"
    assert bpf.exists(second)           # without a pin
    attached.detach()
    assert attached.files["policy"] == NONE
    attached.detach()                   # nothing to do is no error
    wait_until_gone(second)


@pytest.mark.expect_dm_error(r'policy_max_us: "\S*" is not a number from 0 to 1000000')
@pytest.mark.parametrize("value", ["-1", "1000001", "soon"])
def test_wrong_limit_is_refused(value):
    load_module(SELECTOR_MODULE)
    with open(PARAMETER) as file:
        before = file.read()
    with pytest.raises(OSError):
        write_text(PARAMETER, value)
    with open(PARAMETER) as file:
        assert file.read() == before
