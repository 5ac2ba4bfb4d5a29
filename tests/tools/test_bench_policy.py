"""dm-lw bench --policy: compared in turn, found out before anything if wrong, and gone with the next selector."""
import contextlib
import copy
import shutil

import pytest

from dm_lw import bench
from dm_lw.bench import runner, selectors
from dm_lw.bench.borrowed import AS_BEFORE, Borrowed
from dm_lw.errors import LwError
from dm_lw.policies import attached, libbpf

from . import trees
from .fake_map import DM, FOUND, NAME, device, host  # noqa: F401 (the last is a fixture)

SHORT = ("--runtime", "1", "--repeat", "2", "--job", "randread-1", "--job", "seqread")


@pytest.fixture
def run(host, tool, monkeypatch):  # noqa: F811
    """The command on the fake host; (status, stdout, stderr)."""
    monkeypatch.setattr(bench, "Host", lambda sysfs: host)
    return lambda *words: tool.run("bench", *words)


def refused(run, host, *words):  # noqa: F811
    """Its complaint; nothing was done."""
    status, out, err = run(*words)
    assert status and (out, host.trace) == ("", []) and err.startswith("dm-lw: ") and err.count("\n") == 1
    return err


@pytest.fixture
def borrowed(host):  # noqa: F811
    return Borrowed(device(host), DM, ["service-time", "latency-weighted"])


def test_policy_is_compared(run, host, tmp_path, monkeypatch):  # noqa: F811
    """With the arguments that are told, and its constants."""
    found = []
    monkeypatch.setattr(selectors.load, "read", lambda file: FakePolicy(file))
    monkeypatch.setattr(runner.Borrowed, "attach", lambda borrowed, *what: found.append(what) or host.trace.append("attach"))
    status, out, err = run(NAME, *SHORT, "--selectors", "round-robin", "--policy", "a.o size=7")
    assert status == 0
    own, second = (["load", name, "fio", "fio"] for name in ("service-time", "round-robin"))
    third = ["load", "latency-weighted", "attach", "fio", "fio"]
    assert host.trace == own + second + third + second + third + own
    assert [constants for _, constants in found] == [{"size": "7"}] * 2
    assert "policy a.o size=7" in out


class FakePolicy:
    def __init__(self, file):
        self.file = file

    def program(self):
        return self.file

    def set(self, values):
        if set(values) != {"size"}:
            raise LwError("it has no constant %s" % ", ".join(values))


@pytest.mark.parametrize("words, told", [
    ("a.o depth=7", "it has no constant depth"), ("a.o size", '"size" is not NAME=VALUE')])
def test_wrong_constants_are_found_before_anything(run, host, monkeypatch, words, told):  # noqa: F811
    monkeypatch.setattr(selectors.load, "read", lambda file: FakePolicy(file))
    assert told in refused(run, host, NAME, "--policy", words)


def test_map_with_a_policy_keeps_it(run, host):  # noqa: F811
    host.write("sys/kernel/dm-latency-weighted/%s/name" % DM, NAME)
    host.write("sys/kernel/dm-latency-weighted/%s/policy" % DM, "name=mine id=1 version=1 chose=0 own=0 bad_index=0"
               " bad_state=0 nested=0 too_many_paths=0 mean_ns=0\n")
    assert "has the policy mine, which bench could not give back: dm-lw policy none mpatha" in refused(run, host, NAME)


@pytest.fixture
def with_policies(host, tmp_path, monkeypatch):  # noqa: F811
    """The map takes policies while it has latency-weighted; what was attached, "" for nothing."""
    written, file = [], "kernel/dm-latency-weighted/%s/policy" % DM

    def resumed():
        trees.write("kernel/dm-latency-weighted/%s/name %s\n%s none" % (DM, NAME, file)
                    if "latency-weighted" in host.inactive else "", host.sysfs.root)
        if "latency-weighted" not in host.inactive:
            shutil.rmtree(host.sysfs.path("kernel/dm-latency-weighted"), ignore_errors=True)

    def write(sysfs, found, pin):
        written.append(pin)
        trees.write("%s %s" % (file, SHOWN if pin else "none"), sysfs.root)

    monkeypatch.setattr(host, "on_resume", resumed)
    monkeypatch.setattr(attached, "write", write)
    monkeypatch.setattr(libbpf, "pinned", lambda policy, pin: contextlib.nullcontext())
    monkeypatch.setattr(attached, "PINS", "")
    return written


SHOWN = "name=x id=1 version=1 chose=0 own=0 bad_index=0 bad_state=0 nested=0 too_many_paths=0 mean_ns=0"


class NoConstants:
    def set(self, values):
        assert values == {}


def test_policy_is_gone_with_the_next_selector(borrowed, host, with_policies):  # noqa: F811
    borrowed.use("latency-weighted")
    borrowed.attach(NoConstants(), {})
    assert with_policies == ["dm-lw-" + DM]
    borrowed.use("latency-weighted")
    assert with_policies == ["dm-lw-" + DM, ""]
    borrowed.use_its_own()
    assert with_policies == ["dm-lw-" + DM, ""]


def test_policy_is_taken_away_by_who_puts_back(borrowed, host, with_policies):  # noqa: F811
    guardians = copy.deepcopy(borrowed)
    guardians.device.host = host
    borrowed.use("latency-weighted")
    borrowed.attach(NoConstants(), {})
    assert guardians.give_back() == AS_BEFORE
    assert with_policies == ["dm-lw-" + DM, ""] and host.live == FOUND
