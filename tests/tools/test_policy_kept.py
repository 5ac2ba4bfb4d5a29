"""dm-lw policy load --persist: what is kept, and attached again by dm-lw apply."""
# promise output/dm-lw-policy

import os
import shutil

import pytest
from dm_lw import kept
from dm_lw.doctor import checks_kept
from dm_lw.policies import keeping

from .fake_host import FakeHost, only
from .fake_policies import (IN_FORCE, KEPT, OBJECT, SDA, SDC, SDC_NUMBER, UUID, attached_at, constant,  # noqa: F401
                            example, host, loaded, show, stand_in)  # some are fixtures
from .test_kept import AS_ROOT, UNTRUSTED, refusal


def test_kept_and_attached_again(host, tool, example, loaded):
    """A path by where it is attached, though it has another name after the boot."""
    out = tool("policy", "load", "-p", str(example), "--map", "mpatha", "path=sdc", "large_kib=64")
    assert out == "mpatha: policy large_ios attached, with path=sdc large_kib=64, kept\n"
    assert host.read(KEPT).splitlines()[1:] == ["policy large_kib=64 path=" + SDC]
    assert host.read_bytes(OBJECT) == example.read_bytes()
    assert tool("apply", "mpatha") == ""
    tool.file("dm-0/policy").write_text("none\n")
    attached_at(host, SDC, SDA)
    assert tool("apply") == "mpatha: policy large_ios attached, with large_kib=64 path=%s\n" % SDC
    assert constant(loaded[-1], "path") == 8 << 20


def test_path_comes_back_with_another_number(host, tool, example, loaded):
    """While the map is there: with a new table, the constant is the number that its path has then."""
    tool("policy", "load", "-p", str(example), "--map", "mpatha", "path=sdc")
    attached_at(host, SDA, "")
    assert tool("apply", "mpatha") == "" and len(loaded) == 1       # it is away
    attached_at(host, SDC, SDA)
    host.write("usr/lib/udev/rules.d/" + checks_kept.RULE)
    assert only(checks_kept.tunables(host)) == (
        "warn", "the policy of mpatha knows a path by the disk that it was before")
    assert tool("apply", "mpatha") == "mpatha: policy large_ios attached, with path=%s\n" % SDC
    assert only(checks_kept.tunables(host))[0] == "ok"
    assert [constant(each, "path") for each in loaded] == [SDC_NUMBER, 8 << 20]
    assert tool("apply", "mpatha") == "" and len(loaded) == 2
    attached_at(host, SDA, SDC)
    was = host.read(IN_FORCE)
    for content in ("", "null", "{", "[20]x", was.replace("20", "19")):
        host.write(IN_FORCE, content)
        assert tool("apply", "mpatha") == "" and len(loaded) == 2
    host.write(IN_FORCE, was)
    show(tool, "dm-0")
    shown = tool.file("dm-0/policy")
    shown.write_text(shown.read_text().replace("id=20", "id=21"))   # another one, for a while
    assert tool("apply", "mpatha") == "" and len(loaded) == 2


def test_kept_one_that_is_not_attached_is_found(host, tool, example):
    tool("policy", "load", "-p", str(example), "--map", "mpatha", "large_kib=64")
    host.write("usr/lib/udev/rules.d/" + checks_kept.RULE)
    assert only(checks_kept.tunables(host)) == ("ok", "mpatha: policy large_kib=64")
    tool.file("dm-0/policy").write_text("none\n")
    assert only(checks_kept.tunables(host)) == ("warn", "mpatha has no policy, and one is kept")


def test_kept_beside_tunables(host, tool, example):
    host.set_tables("mpatha: 0 8 multipath 0 0 1 1 latency-weighted 0 2 1 8:0 1 8:32 1\n")
    tool("policy", "load", "-p", str(example), "--map", "mpatha")
    host.write(KEPT, host.read(KEPT) + "window_ms=100\n")
    assert tool("unset", "mpatha", "window_ms") == "mpatha: no longer kept: window_ms=100\n"
    assert host.read(KEPT).splitlines()[1:] == ["policy"]
    assert tool("unset", "mpatha") == "mpatha: no longer kept: policy\n"
    assert not host.exists(KEPT) and not host.exists(OBJECT)


def test_none_tells_of_what_is_kept(host, tool, example):
    tool("policy", "load", "-p", str(example), "--map", "mpatha")
    status, out, err = tool.run("policy", "none", "mpatha")
    assert (status, out) == (0, "mpatha: large_ios detached\n") and "dm-lw policy none -p mpatha" in err
    assert tool("policy", "none", "-p", "mpatha") == "mpatha: had no policy, no longer kept\n"
    assert not [name for name in (KEPT, OBJECT, IN_FORCE) if host.exists(name)]


def test_kept_or_attached_both_or_neither(host, tool, example, monkeypatch):
    tool("policy", "load", "-p", str(example), "--map", "mpatha", "large_kib=64")
    before = host.read(KEPT)

    def refuse(sysfs, text, *names):
        raise OSError(22, os.strerror(22))
    monkeypatch.setattr(type(host.sysfs), "write", refuse)
    other = example.parent / "other.o"
    other.write_bytes(example.read_bytes() + b"x")
    tool.fails("policy", "load", "-p", str(other), "--map", "mpatha", "large_kib=32")
    assert host.read(KEPT) == before and host.read_bytes(OBJECT) == example.read_bytes()
    tool.fails("policy", "load", "-p", str(other), "--map", "mpathb")
    assert sorted(host.list("etc/dm-latency-weighted")) == [UUID + ".conf", UUID + ".o"]


@pytest.mark.parametrize("line", ["policy large_kib", "policy =3", "policy x="])
def test_edited_line_that_says_nothing(host, tool, line):
    host.write(KEPT, line + "\n")
    assert "%s:1: wanted is policy NAME=VALUE" % host.path(KEPT) in tool.fails("apply", "mpatha")


def test_object_that_is_lost(host, tool, example):
    tool("policy", "load", "-p", str(example), "--map", "mpatha")
    os.unlink(host.path(OBJECT))
    tool.file("dm-0/policy").write_text("none\n")
    assert "%s: No such file or directory" % host.path(OBJECT) in tool.fails("apply")


def test_nobody_attaches_one_meanwhile(host, tool, example, loaded, clock):
    clock.later.clear()
    tool("policy", "load", "-p", str(example), "--map", "mpatha")
    tool.file("dm-0/policy").write_text("none\n")
    with kept.putting_in_force(host, UUID):
        for words in (["apply", "mpatha"], ["policy", "load", "-p", str(example), "--map", "mpatha"]):
            assert "another dm-lw apply or policy load --persist is at work" in tool.fails(*words)
    assert len(loaded) == 1


@AS_ROOT
@pytest.mark.parametrize("owner, mode", UNTRUSTED)
def test_object_that_others_may_have_written(host, tool, example, loaded, owner, mode):
    tool("policy", "load", "-p", str(example), "--map", "mpatha")
    tool.file("dm-0/policy").write_text("none\n")
    os.chown(host.path(OBJECT), owner, 0)
    os.chmod(host.path(OBJECT), mode)
    assert tool.fails("apply", "mpatha") == refusal(host.path(OBJECT), owner, mode)
    assert len(loaded) == 1


@AS_ROOT
def test_object_that_a_user_names_may_be_of_that_user(host, tool, example, tmp_path):
    """As with sudo."""
    file = shutil.copy(str(example), str(tmp_path / "x.o"))
    os.chown(file, 65534, 65534)
    tool("policy", "load", file, "--map", "mpatha")


def test_names_of_files():
    """Of the same map, the tunables and the object lie together."""
    host = FakeHost("/x")
    assert keeping.object_file(host, UUID) == "/x/" + OBJECT
