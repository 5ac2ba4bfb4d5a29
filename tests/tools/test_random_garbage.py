"""Whatever the files and programs that dm-lw reads have to say: an exit status, at most one line of
complaint, never a traceback. The seed is the test's name, so what fails once fails again."""
# promise output/garbage: `dm-lw` ends with a status and one line for any content of files and any output of
#   programs | full: `guests-*`

import os
import random

import pytest
from dm_lw import doctor

from . import trees
from .fake_host import ONE_GROUP, OTHER, RUNNING, TABLE, TWO_GROUPS, FakeHost

SEEDS = range(12)
ROUNDS = 4                              # mutations of a tree, each on top of the last

NUMBERS = ["-1", "0", "00012", "1e9", "inf", "NaN", "0x10", "18446744073709551615", "9" * 5000, "1." + "9" * 5000,
           "1.5.2", "٣", "²", "1_000", "+5", " 7", "4294967296:1", "8:-1"]
WORDS = ["active", "failed", "unknown", "../../etc/passwd", "a" * 300, "dm-0", "{", "}", '"', "\\",
         "defaults {", "# x", "latency-weighted", "\x1b[2J", "Ω", "\u202e", "0 2097152 multipath"]
COMMANDS = (["stat"], ["stat", "-c", "-j", "1", "2"], ["stat", "--prometheus"],
            ["stat", "-o", "path,device,source,share,read,write,knee"], ["show"], ["show", "mpatha"],
            ["set", "-n", "mpatha", "max_penalty=20"], ["set", "mpatha/sda", "prefer=1"], ["reset"],
            ["latency", "mpatha"], ["stat", "-j", "-r", "--sort", "p99", "-z"],
            ["topology", "-j"])


def odd_text(chance, old):
    """Something in place of what a file said."""
    kind = chance.randrange(7)
    if kind == 0:
        return bytes(chance.randrange(256) for _ in range(chance.randrange(80)))
    if kind == 1:
        return old[:chance.randrange(len(old) + 1)]
    if kind == 2:
        return (old + b"\n") * chance.randrange(4)
    if kind == 3 and old:
        at = chance.randrange(len(old))
        return old[:at] + bytes([chance.randrange(256)]) + old[at + 1:]
    if kind == 6:
        return " ".join(chance.choice(NUMBERS) for _ in range(11)).encode()
    return (chance.choice(NUMBERS if kind == 4 else WORDS) + chance.choice(["\n", ""])).encode()


def mutate(chance, file):
    """The file says something else; or it is none, or not there."""
    kind = chance.randrange(12)
    old = file.read_bytes() if file.is_file() else b"12\n"
    if file.is_dir():
        file.rmdir()
    elif os.path.lexists(file):
        file.unlink()
    if kind == 0:
        return
    if kind == 1:
        file.mkdir()
    elif kind == 2:
        file.symlink_to(file.name)      # to itself
    else:
        file.write_bytes(odd_text(chance, old))


@pytest.mark.parametrize("seed", SEEDS)
def test_files(tool, clock, seed):
    chance = random.Random(seed)
    clock.later.clear()
    recording = str(tool.root.parent / "recording")
    trees.write("dev/block/8:0/stat 1 2 3 4 5 6 7 8 9 10 11\nkernel/debug/x 1\n", tool.root)
    files = sorted(file for file in tool.root.rglob("*") if file.is_file())
    for _ in range(ROUNDS):
        for file in chance.sample(files, chance.choice([1, 3, 30])):
            mutate(chance, file)
        for words in (*COMMANDS, ["record", recording, "1", "1"]):
            status, _, err = tool.run(*words)
            assert status in (0, 1), (words, err)
            assert err.count("\n") == status and (not err or err.startswith("dm-lw: ")), (words, err)
    status, _, err = tool.run("report", "-j", recording)      # what was recorded can be read
    assert status == 0 and not err or err.endswith(("there is no such file\n", "has no sample\n")), err


@pytest.mark.parametrize("seed", SEEDS)
def test_words_of_the_command_line(tool, seed):
    chance = random.Random(seed)
    odd = [chance.choice(NUMBERS + WORDS) for _ in range(8)]
    for word in odd:
        for words in (["set", "-n", "mpatha", "max_penalty=" + word], ["set", "-n", word, "max_penalty=20"],
                      ["set", "-n", "mpatha/" + word, "prefer=1"], ["set", "-n", "mpatha", word],
                      ["show", word], ["stat", word, "1", "1"], ["stat", "-o", word],
                      ["stat", "--prometheus", "-", word, "1", "1"], ["reset", word],
                      ["latency", word], ["stat", "--sort", word], ["stat", "--state", word]):
            status, _, err = tool.run(*words)
            assert status in (0, 1, 2), (words, err)
            assert "Traceback" not in err and (status != 1 or err.count("\n") == 1), (words, err)


@pytest.mark.parametrize("number", ["9" * 5000, "1" * 400 + ".5", "٣", "²"], ids=range(4))
def test_interval_and_count(tool, number):
    """A number that nobody means is taken for the name of a map."""
    for words in (["1", number], [number, "1"], [number]):
        assert "no map is called " in tool.fails("stat", *words)


def garbled(chance, text):
    return odd_text(chance, text.encode()).decode(errors="backslashreplace")


@pytest.fixture
def host(tmp_path):
    host = FakeHost(tmp_path)
    host.add_kernel(RUNNING)
    host.add_kernel(OTHER)
    host.add_map("dm-0", "mpatha")
    host.add_map("dm-1", "mpathb")
    host.set_drop_in("latency-weighted 0")
    for name, text in (("sys/module/dm_latency_weighted/srcversion", "ABCDEF\n"),
                       ("sys/kernel/security/lockdown", "none [integrity] confidentiality\n"),
                       ("sys/kernel/dm-latency-weighted/dm-0/paths/sda/latency_source", "stamps\n"),
                       ("sys/kernel/dm-latency-weighted/dm-0/name", "mpatha\n"),
                       ("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n"),
                       ("sys/module/nvme_core/parameters/multipath", "Y\n"),
                       ("etc/dm-latency-weighted/mpath-3600.conf", "max_penalty=30\npci-0:1 prefer=1\n"),
                       ("sys/block/dm-0/dev", "253:0\n"),
                       ("sys/kernel/dm-latency-weighted/dm-0/max_penalty", "30\n"),
                       ("sys/kernel/dm-latency-weighted/dm-0/paths/sda/device", "8:0\n"),
                       ("sys/kernel/dm-latency-weighted/dm-0/paths/sda/prefer", "1\n"),
                       ("etc/multipath.conf", "defaults {\n path_selector \"round-robin 0\"\n}\n"),
                       ("proc/12/comm", "multipathd\n")):
        host.write(name, text)
    host.answer("multipathd show daemon", "pid 12 idle\n")
    host.answer("multipathd show config", "defaults {\n\tconfig_dir \"/etc/multipath/conf.d\"\n}\n")
    host.answer("multipath -h", err="multipath-tools v0.9.4 (12/19, 2022)\n", status=1)
    host.answer("udevadm info", "ID_PATH=pci-0:1\n")
    host.set_tables(TABLE % ("mpatha", ONE_GROUP % "latency-weighted"),
                    TABLE % ("mpathb", TWO_GROUPS % ("latency-weighted", "service-time")))
    return host


@pytest.mark.parametrize("seed", SEEDS)
def test_doctor(host, tmp_path, seed):
    """Each check has a finding, whatever it finds."""
    chance = random.Random(seed)
    files = sorted(file for file in tmp_path.rglob("*") if file.is_file())
    for _ in range(ROUNDS):
        for file in chance.sample(files, 2):
            mutate(chance, file)
        for command in chance.sample(sorted(host.answers), 2):
            status, out, err = host.answers[command]
            host.answers[command] = (chance.choice([status, 1, 127, -9]), garbled(chance, out),
                                     garbled(chance, err))
        name = chance.choice(sorted(host.tables))
        host.tables[name] = garbled(chance, host.tables[name])
        found = doctor.diagnose(host)
        assert {name for name, _ in found} == set(doctor.CHECKS)
        doctor.as_json(found)
        doctor.as_text(found, True, False)
