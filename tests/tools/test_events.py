"""dm-lw events: what the module reported, out of the journal or out of /dev/kmsg."""
# promise output/reports

import contextlib
import json
import os
import re
import signal
import subprocess
import sys

import pytest

from dm_lw import events, kernel_log
from dm_lw.sysfs import Sysfs
from tests.lib.command import write_script

from .conftest import TOOLS, interruptible
from .trees import NOON

OURS = "device-mapper: multipath latency-weighted: "
SLOW = OURS + "dm-0 (mpatha): path sdc became slow 5.120 s ago: was 512 us, is 30871 us"
RECOVERED = OURS + "dm-0 (mpatha): path sdc recovered 60.000 s ago: was 31022 us, is 514 us"
GONE = OURS + "dm-7 (old one): path sdx became slow 5.000 s ago: was 900 us, is 2000 us"
LOG = [
    (NOON, OURS + "version 0.1.0 loaded"),
    (NOON + 5.12, SLOW),
    (NOON + 6, "device-mapper: multipath: 254:0: Failing path 8:32."),
    (NOON + 7, GONE),
    (NOON + 99, RECOVERED),
    (NOON + 100, "x" + SLOW),
]


@pytest.fixture
def log(monkeypatch):
    """What the kernel said; events do not come from a copy of /sys, so the tree is the host's own here."""
    said = list(LOG)
    monkeypatch.setattr(kernel_log, "records", lambda follow=False: iter(said))
    monkeypatch.setattr(Sysfs, "is_copy", False)
    return said


def test_all_events(tool, log):
    assert tool("events").splitlines() == [
        "2025-11-21 13:00:05  mpatha      dm-0   sdc     slow       since 13:00:00"
        "  was     0.512 ms  is    30.871 ms",
        "2025-11-21 13:00:07  old one     dm-7   sdx     slow       since 13:00:02"
        "  was     0.900 ms  is     2.000 ms",
        "2025-11-21 13:01:39  mpatha      dm-0   sdc     recovered  since 13:00:39"
        "  was    31.022 ms  is     0.514 ms",
    ]


def test_json(tool, log):
    first, *_, last = map(json.loads, tool("events", "-j").splitlines())
    assert first == {"time": NOON + 5.12, "event": "slow", "map": "mpatha", "dm": "dm-0", "path": "sdc",
                     "since": NOON, "was_us": 512, "is_us": 30871}
    assert (last["event"], last["since"]) == ("recovered", NOON + 39)


@pytest.mark.parametrize("name", ["mpatha", "dm-0", "/dev/mapper/mpatha", "/dev/dm-0", "36001405aaaa"])
def test_of_one_map(tool, log, name):
    shown = tool("events", name)
    assert shown.count("\n") == 2 and "old one" not in shown


@pytest.mark.parametrize("name", ["old one", "dm-7", "/dev/mapper/old one"])
def test_of_a_map_that_is_gone(tool, log, name):
    assert tool("events", name).count("\n") == 1


def test_another_map_had_the_number(tool, log):
    log.append((NOON, SLOW.replace("mpatha", "before")))
    assert tool("events", "mpatha").count("\n") == 2
    assert tool("events", "before").count("\n") == 1
    assert tool("events", "dm-0").count("\n") == 3


def nothing(tool, *words):
    """What it says instead of nothing."""
    status, out, err = tool.run("events", *words)
    assert (status, out, err.count("\n")) == (0, "", 1)
    return err


def test_map_without_events(tool, log):
    assert nothing(tool, "mpathb").startswith("dm-lw: no events of mpathb since the boot at 20")


def test_unknown_map(tool, log):
    assert "no map is called mpathz" in tool.fails("events", "mpathz")


def test_no_events(tool, log):
    log.clear()
    assert nothing(tool).startswith("dm-lw: no events since the boot at 20")


def test_events_outlast_the_module(tool, log):
    for file in sorted(tool.root.rglob("*"), reverse=True):
        file.rmdir() if file.is_dir() else file.unlink()
    (tool.root / "kernel").mkdir()
    assert tool("events").count("\n") == 3
    log.clear()
    assert "is not loaded" in tool.fails("events", status=3)


def test_copy_of_sysfs_has_no_log(tool):
    assert "not in a copy" in tool.run("events")[2]


def test_the_line_is_the_modules():
    """The message that this reads is the one that src/admin/notice.c writes."""
    text = (TOOLS.parent / "src/admin/notice.c").read_text()
    (template,) = re.findall(r'#define LW_NOTICE_TEXT\s+"(.*)"', text)
    prefix = re.search(r'#define DM_MSG_PREFIX "(.*)"', (TOOLS.parent / "src/lw.h").read_text()).group(1)
    for what in re.findall(r'LW_NOTICE_WORDS\(n, "(.*)"\)', text):
        words = ("dm-0", "mpatha", "sda", what, 5, 120, 512, 30871)
        line = "device-mapper: %s: %s" % (prefix, re.sub("%llu|%03llu", lambda verb: verb[0].replace("ll", "")
                                                         .replace("u", "d"), template) % words)
        (event,) = events.events([(NOON, line)])
        assert (event.dm, event.map, event.path, event.was_us, event.is_us) == ("dm-0", "mpatha", "sda", 512, 30871)
        assert event.since == pytest.approx(NOON - 5.12)


@pytest.mark.parametrize("said", [
    SLOW[:-1], SLOW + " ", SLOW.replace("512", "-512"), SLOW.replace("512", "9" * 5000), SLOW.replace("512", "٣"),
    SLOW.replace("became slow", "became odd"), SLOW.replace("5.120", "5"), "", OURS,
])
def test_other_lines_are_no_events(tool, log, said):
    log[:] = [(NOON, said)]
    assert nothing(tool)


def test_kmsg_records(monkeypatch, clock):
    """Priority, number, microseconds since the boot, flags; text; lines of a dictionary."""
    clock.now = 1000.0          # of both clocks: the host was booted at 0
    record = b"4,1234,5120000,-;" + SLOW.encode() + b"\n SUBSYSTEM=x\n"
    assert kernel_log.kmsg_record(record) == (5.12, SLOW)
    assert kernel_log.kmsg_record(b"6,1,1,-,caller=T1;a\\x5cx20b\\x1b[2J\n") == (1e-6, "a\\x20b\\x1b[2J")
    # what a program wrote there, as another facility: no word of the kernel's
    assert kernel_log.kmsg_record(record.replace(b"4,", b"12,", 1)) is None
    for odd in (b"", b";", b"x,y,z;t", b"4,1;t", b"4,1," + b"9" * 50 + b",-;t", b"\xff" * 9):
        assert kernel_log.kmsg_record(odd) is None


def journal_line(**changed):
    fields = {"MESSAGE": SLOW, "SYSLOG_FACILITY": "0", "__REALTIME_TIMESTAMP": str((NOON + 5) * 1000000)}
    return json.dumps({**fields, **changed})


@pytest.fixture
def journal(monkeypatch, tmp_path):
    """A journalctl that prints a file, and notes with which arguments."""
    write_script(tmp_path / "journalctl",
                 "#!/bin/sh\necho \"$@\" >%s/arguments\ncat %s/journal\n" % (tmp_path, tmp_path))
    monkeypatch.setenv("PATH", "%s:/usr/bin:/bin" % tmp_path)
    monkeypatch.setattr(kernel_log, "JOURNAL", str(tmp_path))
    monkeypatch.setattr("os.geteuid", lambda: 0)
    return tmp_path


def test_journal_records(journal):
    lines = [journal_line(), journal_line(SYSLOG_FACILITY="3"), journal_line(MESSAGE=[255, 1]),
             journal_line(__REALTIME_TIMESTAMP="x"), "{", "[]", "null", "", journal_line(MESSAGE="a\x1bb")]
    (journal / "journal").write_text("\n".join(lines))
    assert list(kernel_log.records()) == [(NOON + 5, SLOW), (NOON + 5, "a\\x1bb")]
    assert "follow" not in (journal / "arguments").read_text()
    assert len(list(kernel_log.records(follow=True))) == 2
    assert "--dmesg --boot" in (journal / "arguments").read_text()
    assert "--follow --lines=all" in (journal / "arguments").read_text()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_journalctl_ends_with_it(journal, number):
    """Without a word, as it is the way to end it."""
    (journal / "journalctl").write_text("#!/bin/sh\necho $$ >%s/pid\ncat %s/journal\nexec sleep 600\n"
                                        % (journal, journal))
    (journal / "journal").write_text(journal_line() + "\n")
    code = ("import os, sys; os.geteuid = lambda: 0; sys.path.insert(0, %r);"
            " from dm_lw import cli, kernel_log; kernel_log.JOURNAL = %r;"
            " sys.exit(cli.main(['events', '-f']))" % (str(TOOLS), str(journal)))
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               preexec_fn=interruptible)
    assert b"slow" in process.stdout.readline()
    child = int((journal / "pid").read_text())
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    try:
        assert (process.returncode, err) == (128 + number, b"")
        with pytest.raises(ProcessLookupError):
            os.kill(child, 0)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)


def test_signal_while_journalctl_starts(journal, tool, monkeypatch):
    """It is not left behind; nor does dm-lw wait for it."""
    (journal / "journalctl").write_text("#!/bin/sh\nexec sleep 600\n")
    started = []

    class Started(subprocess.Popen):
        def __init__(self, *words, **options):
            super().__init__(*words, **options)
            started.append(self)
            signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr(kernel_log.subprocess, "Popen", Started)
    monkeypatch.setattr(Sysfs, "is_copy", False)
    try:
        assert tool.run("events", "-f") == (143, "", "")
        assert started[0].poll() == -signal.SIGTERM
    finally:
        started[0].kill()
        started[0].wait()


def test_journal_that_fails(journal, tool, monkeypatch):
    (journal / "journalctl").write_text("#!/bin/sh\nexit 7\n")
    monkeypatch.setattr(Sysfs, "is_copy", False)
    assert "exit status 7" in tool.fails("events")


def test_nobody_but_root(tool, monkeypatch, tmp_path):
    """Where the kernel keeps its log from others; a directory cannot be opened either, for another reason."""
    monkeypatch.setattr(Sysfs, "is_copy", False)
    monkeypatch.setattr(kernel_log, "JOURNAL", str(tmp_path / "none"))

    def refuse(*_words, **_options):
        raise PermissionError(1, "Operation not permitted")
    monkeypatch.setattr(kernel_log.os, "open", refuse)
    assert tool.fails("events") == "dm-lw: /dev/kmsg: only root may do this\n"


def test_no_kernel_log(tool, monkeypatch, tmp_path):
    monkeypatch.setattr(Sysfs, "is_copy", False)
    monkeypatch.setattr(kernel_log, "JOURNAL", str(tmp_path / "none"))
    monkeypatch.setattr(kernel_log, "KMSG", str(tmp_path / "kmsg"))
    assert "No such file or directory" in tool.fails("events")
