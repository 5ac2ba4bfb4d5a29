"""dm-lw policy: built, loaded by a stand-in for libbpf, shown, taken away; and what is told of it elsewhere."""
# promise output/dm-lw-policy: `dm-lw policy` attaches the output of clang, sets its constants, keeps it over boots,
#   and says why the verifier or the module refuses one | by: a stand-in for libbpf, and the real one | full:
#   `guests-*`

import json
import os
import shutil
import tempfile

import pytest
from dm_lw import kernel_log
from dm_lw.doctor import checks_policy
from dm_lw.errors import LwError
from dm_lw.host import Done
from dm_lw.policies import attached, compiler, libbpf, load, objects

from .fake_host import only
from .fake_policies import (EXAMPLES, KEPT, OBJECT, SDC_NUMBER, compiled, constant, example, host,  # noqa: F401 (fixtures)
                            kernel_says, loaded, show, stand_in)


@pytest.mark.parametrize("name", sorted(path.stem for path in EXAMPLES.glob("*.c")))
def test_examples_are_built_without_a_word(tmp_path, name, capfd):
    source = tmp_path / (name + ".c")
    shutil.copy(EXAMPLES / source.name, source)
    policy = objects.load(compiled(source))
    assert policy.program() and capfd.readouterr() == ("", "")
    assert not [line for line in (EXAMPLES / source.name).read_text().splitlines() if len(line) > 100]


def test_build(host, tool, example, tmp_path):
    source = tmp_path / "x.c"
    host.answer("clang")
    with pytest.raises(LwError, match="no such file"):
        compiler.build(host, str(source))
    source.write_text("int x;")
    host.run = lambda *argv, timeout=None: shutil.copy(example, argv[-1]) and Done(argv, 0, "", "")
    assert tool("policy", "build", "-o", str(tmp_path / "y.o"), str(source)).startswith("%s/y.o: built" % tmp_path)
    assert (tmp_path / "y.o").read_bytes() == example.read_bytes()
    assert sorted(os.listdir(tmp_path)) == ["x.c", "y.o"]


def test_build_writes_where_nobody_leaves_a_link(host, tool, example, tmp_path):
    """clang would follow one."""
    source, victim = tmp_path / "x.c", tmp_path / "victim"
    source.write_text("int x;")
    victim.write_text("old")
    for name in ("x.o.new", "x.o"):
        (tmp_path / name).symlink_to(victim)
    host.answer("clang")

    def compile_there(*argv, timeout=None):
        assert os.stat(os.path.dirname(argv[-1])).st_mode & 0o777 == 0o700
        shutil.copy(example, argv[-1])
        return Done(argv, 0, "", "")
    host.run = compile_there
    tool("policy", "build", str(source))
    assert victim.read_text() == "old" and (tmp_path / "x.o").read_bytes() == example.read_bytes()
    assert sorted(os.listdir(tmp_path)) == ["victim", "x.c", "x.o", "x.o.new"]
    assert not (tmp_path / "x.o").is_symlink()


def test_build_that_cannot_be_written(host, tool, tmp_path):
    (tmp_path / "x.c").write_text("int x;")
    host.answer("clang")
    there = str(tmp_path / "none" / "x.o")
    assert "dm-lw: %s: No such file or directory\n" % there == tool.fails(
        "policy", "build", "-o", there, str(tmp_path / "x.c"))


def test_build_tells_warnings_without_control_characters(host, tool, example, tmp_path):
    """But in lines, with clang's marks below the code."""
    source = tmp_path / "x.c"
    source.write_text("int x;")
    host.answer("clang")
    told = "x.c:1: warning: \x1b[31mold\n\tint x;\n\t    ^\n"
    host.run = lambda *argv, timeout=None: shutil.copy(example, argv[-1]) and Done(argv, 0, "", told)
    assert tool.run("policy", "build", str(source))[2].splitlines() == [
        r"x.c:1: warning: \x1b[31mold", 8 * " " + "int x;", 12 * " " + "^"]


def test_name_of_a_policy_without_control_characters(host, tool):
    show(tool, "dm-0", name="\x1b[31mred")
    assert tool("policy", "show", "mpatha").startswith(r"mpatha: \x1b[31mred (program 20)")


def test_build_tells_the_error(host, tool, tmp_path):
    source = tmp_path / "x.c"
    source.write_text("int x")
    assert "clang is not installed" in tool.fails("policy", "build", str(source))
    host.answer("clang", status=1, err="x.c:1:1: warning: old\nx.c:1:6: error: expected ';'\n")
    assert "clang refuses %s: x.c:1:6: error: expected ';'" % source in tool.fails("policy", "build", str(source))
    assert "x.o: wanted is a C source file" in tool.fails("policy", "build", "x.o", status=2)
    assert os.listdir(tmp_path) == ["x.c"]


def test_load_sets_constants(host, tool, example, loaded, monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", "/nowhere")        # early in a boot, /run alone can be written
    monkeypatch.setattr(libbpf, "RUN", str(tmp_path))
    out = tool("policy", "load", str(example), "--map", "mpatha", "path=sdc", "large_kib=0x20")
    assert out == "mpatha: policy large_ios attached, with path=sdc large_kib=0x20\n"
    assert (constant(loaded[0], "path"), constant(loaded[0], "large_kib")) == (SDC_NUMBER, 32)
    assert host.written == [("dm-0", "dm-lw-dm-0")] and os.listdir(host.pins) == []


def test_words_and_options_in_any_order(host, tool, example, loaded):
    tool("policy", "load", "--map", "mpatha", str(example), "large_kib=7")
    tool("policy", "load", str(example), "large_kib=7", "--map", "mpatha")
    assert [constant(each, "large_kib") for each in loaded] == [7, 7]


def test_cgroup_is_the_number_of_its_directory(host, tool, loaded, tmp_path):
    source = shutil.copy(EXAMPLES / "cgroup.c", tmp_path)
    tool("policy", "load", str(compiled(tmp_path / os.path.basename(source))), "--map", "mpatha", "path=8:32",
         "cgroup=%s" % tmp_path)
    assert constant(loaded[0], "cgroup") == os.stat(tmp_path).st_ino
    assert constant(loaded[0], "path") == SDC_NUMBER


@pytest.mark.parametrize("words, told", [
    (["path=sdq"], "path=sdq: wanted is a number, a path of mpatha (sda, sdc), or a directory of a cgroup"),
    (["size=1"], "large-ios.o has no constant size to set; it has: large_kib, path"),
    (["large_kib=4294967296"], "large_kib=4294967296: wanted is a number of at most 32 bits"),
    (["--persist", "large_kib=x y"], "large_kib=x y: wanted is a number"),
])
def test_bad_constants_change_nothing(host, tool, example, words, told):
    assert told in tool.fails("policy", "load", str(example), "--map", "mpatha", *words).replace(
        '"x y" cannot be kept: it has a blank', "large_kib=x y: wanted is a number")
    assert host.written == [] and not host.exists(KEPT) and not host.exists(OBJECT)


@pytest.mark.parametrize("words, told", [
    (["load", "x.o"], "wanted is dm-lw policy load FILE.o --map MAP"),
    (["load", "--map", "mpatha"], "wanted is dm-lw policy load FILE.o --map MAP"),
    (["none"], "which map?"), (["build"], "wanted is dm-lw policy build FILE.c"),
    (["drop"], 'there is no "policy drop", but: load, show, none, build'),
    (["show", "-p"], "--persist is for policy load and policy none"),
    (["load", "-o", "x", "x.o"], "--object is for policy build"),
])
def test_wrong_usage(host, tool, words, told):
    assert told in tool.fails("policy", *words, status=2)


def test_load_wants_root_the_map_and_the_file(host, tool, example):
    assert "no map is called mpathz" in tool.fails("policy", "load", str(example), "--map", "mpathz")
    assert "/nowhere.o: No such file or directory" in tool.fails("policy", "load", "/nowhere.o", "--map", "mpatha")
    tool.file("dm-0/policy").unlink()
    assert "the loaded module takes no policies" in tool.fails("policy", "load", str(example), "--map", "mpatha")
    tool.file("dm-0/policy").write_text("unsupported: this kernel has no CONFIG_BPF_SYSCALL\n")
    assert "it has no CONFIG_BPF_SYSCALL" in tool.fails("policy", "load", str(example), "--map", "mpatha")
    host.root_user = False
    assert "only root may do this" in tool.fails("policy", "load", str(example), "--map", "mpatha")


@pytest.mark.parametrize("word, told", [
    ("unreadable", "libbpf does not read it: libbpf: elf: large-ios.o is not a valid eBPF object file"),
    ("forbidden", "it takes CAP_BPF and CAP_PERFMON, or root"),
    ("refused", "the kernel's verifier refuses it: 0: (bf) r6 = r1 / 7: (61) r1 = *(u32 *)(r2 + 4096) / invalid access"),
])
def test_what_libbpf_says(host, tool, example, tmp_path, word, told):
    (tmp_path / "large-ios.o").write_bytes(example.read_bytes() + word.encode())
    assert told in tool.fails("policy", "load", str(tmp_path / "large-ios.o"), "--map", "mpatha")
    assert host.written == [] and os.listdir(host.pins) == []


def test_without_libbpf_or_its_file_system(host, tool, example, monkeypatch):
    host.pins.rmdir()
    assert "wanted is a file system for BPF: mount -t bpf -o mode=700 bpf /sys/fs/bpf" in tool.fails("policy", "load", str(example), "--map", "mpatha")
    monkeypatch.setattr(libbpf, "NAMES", ("libnothing.so.9",))
    assert "libbpf is not installed" in tool.fails("policy", "load", str(example), "--map", "mpatha")


def test_pin_that_was_left_is_replaced(host, tool, example):
    (host.pins / "dm-lw-dm-0").write_text("")
    tool("policy", "load", str(example), "--map", "mpatha")
    assert os.listdir(host.pins) == []


def test_what_is_no_pin_stays(host, tool, example):
    (host.pins / "dm-lw-dm-0").mkdir()
    assert "dm-lw-dm-0: Is a directory; remove it" in tool.fails("policy", "load", str(example), "--map", "mpatha")
    assert os.listdir(host.pins) == ["dm-lw-dm-0"]


def test_reason_of_the_module_is_told(host, tool, example, monkeypatch):
    def refuse(sysfs, text, *names):
        raise OSError(93, os.strerror(93))
    monkeypatch.setattr(type(host.sysfs), "write", refuse)
    assert "policy: Protocol not supported" in tool.fails("policy", "load", str(example), "--map", "mpatha")
    line = 'dm-0: policy "%s/dm-lw-dm-0" was compiled for interface version 9, this module has 1 (error -93)' % host.pins
    monkeypatch.setattr(attached, "log_from_now_on", kernel_says((0, "another"), (0, line)))
    monkeypatch.setattr(kernel_log, "waiting", iter)
    assert tool.fails("policy", "load", str(example), "--map", "mpatha") == (
        "dm-lw: mpatha does not take the policy: it was compiled for interface version 9, this module has 1\n")


@pytest.mark.parametrize("content", [b"", b"\x7fELF", b"\x7fELF\x02\x01" + b"\xff" * 200, b"text\n" * 50],
                         ids=["empty", "short", "wild", "text"])
def test_no_object(tmp_path, content):
    (tmp_path / "x.o").write_bytes(content)
    with pytest.raises(LwError, match="x.o is no object file of 64 bits.* but %d bytes that begin" % len(content)):
        objects.load(tmp_path / "x.o")


def test_object_of_no_or_two_policies(tmp_path):
    include, body = "#include <lw_policy.h>\n", "LW_POLICY_PROGRAM(%s) { io->choice = 0; }\n"
    with pytest.raises(LwError, match="x.o has no policy; wanted is one LW_POLICY_PROGRAM"):
        objects.load(compiled(tmp_path / "x.c", include)).program()
    with pytest.raises(LwError, match="y.o has the policies a, b; wanted is one"):
        objects.load(compiled(tmp_path / "y.c", include + body % "a" + body % "b")).program()


def test_show(host, tool):
    show(tool, "dm-0", chose=810, own=187, bad_state=3)
    assert tool("policy", "show") == (
        "mpatha: by_size (program 20): 81 % of I/Os placed, 18.7 % left to the module, 0.3 % refused as a path that is less"
        " usable; 320 ns each\nmpathb: none\n")
    assert tool("policy", "show", "mpathb") == "mpathb: none\n"
    tool.file("dm-0/policy").write_text("name=x id=1\n")
    assert "is not what this tool knows of policies" in tool.fails("policy", "show")


def test_fields_may_be_added_behind(host, tool):
    show(tool, "dm-0", chose=1)
    file = tool.file("dm-0/policy")
    file.write_text(file.read_text().strip() + " more=5\n")
    assert "100 % of I/Os placed" in tool("policy", "show", "mpatha")


def test_none(host, tool):
    show(tool, "dm-0")
    assert tool("policy", "none", "mpatha") == "mpatha: by_size detached\n"
    assert tool("policy", "none", "--map", "mpatha") == "mpatha: had no policy\n"
    assert tool("policy", "show", "mpatha") == "mpatha: none\n"


def test_show_stat_and_metrics_tell(host, tool):
    show(tool, "dm-0", chose=900, own=100)
    assert "\npolicy: by_size (program 20): 90 % of I/Os placed, 10 % left to the module;" in tool("show", "mpatha")
    assert "policy" not in tool("show", "mpathb")
    first, second = json.loads(tool("stat", "-j"))["maps"]
    assert first["policy"] == dict(name="by_size", id=20, version=1, chose=900, own=100, bad_index=0, bad_state=0, nested=0,
                                   too_many_paths=0, mean_ns=320)
    assert second["policy"] is None
    metrics = tool("stat", "--prometheus")
    assert 'dm_lw_policy_info{device="mpatha",program="by_size",id="20"} 1\n' in metrics
    assert 'dm_lw_policy_choices_total{device="mpatha",result="chose"} 900\n' in metrics
    assert 'dm_lw_policy_choice_seconds{device="mpatha"} 3.2e-07\n' in metrics
    assert "mpathb" not in "".join(line for line in metrics.splitlines() if "policy" in line)


@pytest.mark.parametrize("counts, result, told", [
    (dict(chose=99, own=900, bad_state=1), "ok", "0.1 % refused"),
    (dict(chose=979, bad_index=11, bad_state=10), "warn", "1.1 % refused as no path of the group"),
    (dict(own=1, too_many=9), "warn", "90 % not asked as there are too many paths"),
    (dict(), "ok", "no I/O yet"),
])
def test_doctor(host, tool, counts, result, told):
    show(tool, "dm-0", **counts)
    was, text = only(checks_policy.policies(host))
    assert was == result and text.startswith("mpatha has the policy by_size") and told in text


def test_doctor_without_a_policy(host, tool):
    assert only(checks_policy.policies(host)) == ("ok", "no map has a policy")
    tool.file("dm-0/policy").unlink()
    tool.file("dm-10/policy").unlink()
    assert only(checks_policy.policies(host)) == ("ok", "no map has a policy")


def test_parse_of_settings():
    assert load.parse(["a=1", "b=c=d"]) == {"a": "1", "b": "c=d"}
    for words, told in ((["a"], "is not NAME=VALUE"), (["=1"], "is not NAME=VALUE"), (["a=1", "a=2"], "a is given twice")):
        with pytest.raises(LwError, match=told):
            load.parse(words)
