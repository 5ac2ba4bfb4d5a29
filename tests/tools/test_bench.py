"""dm-lw bench: whom it refuses, what it compares, in which order, and what it tells."""
# promise output/dm-lw-bench: `dm-lw bench` only reads, and gives the map its table back | check: yes; two of the
#   guest tests | full: `guests-*`

import errno
import json
import os
import signal
import sys

import pytest

from dm_lw import bench, live_tables, transport
from dm_lw.bench import comparison, fio_jobs, runner, safety, selectors
from dm_lw.errors import LwError

from .fake_map import (DM, FOUND, MOUNTS, NAME, STATUS, UUID, FakeFio, device, fio_says,
                       host)  # noqa: F401 (the last is a fixture)

LONELY = "0 8 multipath 0 0 2 1 round-robin 0 1 1 8:0 1 round-robin 0 1 1 8:16 1"
SHORT = ("--runtime", "1", "--repeat", "2", "--job", "randread-1", "--job", "seqread")


@pytest.fixture
def run(host, tool, monkeypatch):  # noqa: F811
    """The command on the fake host; (status, stdout, stderr)."""
    monkeypatch.setattr(bench, "Host", lambda sysfs: host)
    return lambda *words: tool.run("bench", *words)


@pytest.fixture
def refused(run, host):  # noqa: F811
    """Its complaint; nothing was done."""
    def check(*words, status=1):
        live = host.live
        was, out, err = run(*words)
        assert (was, out, host.trace, host.live) == (status, "", [], live)
        assert status == 2 or err.startswith("dm-lw: ") and err.count("\n") == 1
        return err
    return check


def test_names_of_the_map(host):  # noqa: F811
    tables = live_tables.multipath_tables(host)
    for name in (NAME, DM, UUID[6:], "/dev/mapper/mpatha", "/dev/dm-3"):
        assert live_tables.find(tables, name).name == NAME
    with pytest.raises(LwError, match="no multipath map is called mpathz; there are: mpatha"):
        live_tables.find(tables, "mpathz")


def test_in_turn_and_given_back(run, host):  # noqa: F811
    status, out, err = run(NAME, *SHORT, "--selectors", "round-robin,latency-weighted")
    assert status == 0
    own, second, third = (["load", name, "fio", "fio"]
                          for name in ("service-time", "round-robin", "latency-weighted"))
    assert host.trace == own + second + third + second + third + own
    assert host.live == FOUND
    assert "12 runs (2 jobs, 3 selectors, 2 times), about 42 s; 15 min at most" in err
    assert "12/12 seqread, service-time: 2000 IOPS, p99 2000 us" in err


def test_table(run, golden):
    status, out, _ = run(NAME, *SHORT, "-q")
    assert status == 0
    golden("bench.txt", out)


def test_document(run, host):  # noqa: F811
    host.write("sys/block/sda/device/scsi_device/1:0:0:0/x")
    status, out, err = run(NAME, *SHORT, "-j", "-q")
    assert (status, err) == (0, "")
    document = json.loads(out)
    assert (document["version"], document["complete"]) == (1, True)
    assert (document["map"], document["dm"], document["uuid"]) == (NAME, DM, UUID)
    assert document["table"] == FOUND
    assert document["paths"] == ["sda", "sdb", "sdc"]
    assert document["own_selector"] == "service-time"
    row = [row for row in document["results"] if row["selector"] == "round-robin"][0]
    assert row == {
        "scenario": "randread-1", "transport": "scsi:unspec, undef", "selector": "round-robin",
        "kernel": host.release(), "iops": 1000, "mib_s": 1000 / 256, "mean_us": 1500,
        "p50_us": 1000, "p99_us": 2000, "p999_us": 3000, "shares": [0.75, 0.25, 0],
        "cpu": 0.25, "runs": 2,
        "spread": {"iops": [1000, 1000], "mib_s": [1000 / 256] * 2, "mean_us": [1500] * 2,
                   "p50_us": [1000] * 2, "p99_us": [2000] * 2, "p999_us": [3000] * 2,
                   "cpu": [0.25] * 2},
        "ratio": {"iops": 0.5, "p99_us": 1.0}}


def test_report(run, tmp_path):
    report = tmp_path / "report.html"
    assert run(NAME, *SHORT, "-q", "--report", str(report))[0] == 0
    page = report.read_text()
    assert page.count("<table>") == 2 and page.count("<svg") == page.count("</svg>")
    assert "service-time *" in page and FOUND in page
    assert "http" not in page           # it needs nothing else
    assert page.count("<p>latency-weighted: IOPS 1.00 times, p99 1.00 times what service-time has</p>") == 2
    assert "Medians of the runs (2 of each" in page and "Medians of 1" not in page


def test_verdicts():
    """Of ours beside what the map had; a policy's name belongs to it."""
    row = {"selector": "latency-weighted (fair)", "iops_ratio": 2.9, "p99_ratio": 0.301}
    assert list(comparison.verdicts([row, dict(row, selector="round-robin")], "service-time")) == [
        "latency-weighted (fair): IOPS 2.90 times, p99 0.30 times what service-time has"]
    assert list(comparison.verdicts([dict(row, p99_ratio=None, selector="latency-weighted")], "queue-length")) == [
        "latency-weighted: IOPS 2.90 times what queue-length has"]
    assert list(comparison.verdicts([dict(row, selector="latency-weighted *")], "latency-weighted")) == []
    assert comparison.counted_runs(1) == "One run of each"


def test_report_escapes_what_it_was_told(run, host, tmp_path):  # noqa: F811
    host.running = "6.12<b>&"
    assert run(NAME, *SHORT, "-q", "--report", str(tmp_path / "r.html"))[0] == 0
    page = (tmp_path / "r.html").read_text()
    assert "kernel 6.12&lt;b&gt;&amp;, " in page and "<b>" not in page


def test_report_without_jinja2(refused, monkeypatch):
    """It is said before minutes of fio."""
    monkeypatch.setitem(sys.modules, "jinja2", None)
    assert "needs Python's jinja2 (Debian: python3-jinja2)" in refused(NAME, "--report", "-")


def test_report_that_cannot_be_written(refused, tmp_path):
    assert "there is no directory" in refused(NAME, "--report", str(tmp_path / "no/where.html"))
    assert "is a directory" in refused(NAME, "--report", str(tmp_path))
    os.mkfifo(str(tmp_path / "fifo"))
    assert "is a FIFO; wanted is" in refused(NAME, "--report", str(tmp_path / "fifo"))


def test_report_to_stdout(run, refused):
    status, out, _ = run(NAME, *SHORT, "-q", "--report", "-")
    assert status == 0
    assert out.startswith("<!DOCTYPE html>") and out.endswith("</html>\n")


def test_report_and_json_to_stdout(refused):
    assert "name a file" in refused(NAME, "--json", "--report", "-", status=2)


def test_dry_run(run, host):  # noqa: F811
    status, out, err = run(NAME, "-n")
    assert (status, err, host.trace) == (0, "", [])
    assert out.startswith("mpatha: 48 runs (4 jobs, 4 selectors, 3 times), about 6 min; ")


def test_longer_than_the_limit(refused):
    assert "more than --limit 100 allows" in refused(NAME, "--limit", "100")


def test_limit_reached(run, host, monkeypatch):  # noqa: F811
    """What was measured is shown."""
    monkeypatch.setattr(runner, "OVERHEAD", -2)
    status, out, err = run(NAME, "--runtime", "1", "--limit", "5", "-q")
    assert status == 1
    assert err == "dm-lw: --limit reached after 3 of 48 runs\n"
    assert "randread-32" in out and "mixed-read" not in out
    assert host.live == FOUND


@pytest.mark.parametrize("spoil, told", [
    (lambda host: host.write("proc/self/mountinfo", MOUNTS + "9 1 253:3 / /srv rw - xfs x rw\n"),
     "mpatha is in use: mounted on /srv"),
    (lambda host: setattr(host, "live", LONELY), "no group of more than one path"),
    (lambda host: host.write("proc/swaps", "Filename\n/dev/dm-3 partition 1 0 -2\n"),
     "mpatha is in use: used as swap"),
    (lambda host: (host.make("sys/block/dm-3/holders/dm-4"),
                   host.write("sys/block/dm-4/dm/name", "vg-lv\n")),
     "mpatha is in use: held by vg-lv"),
    (lambda host: setattr(host, "open_count", 1), "somebody has it open"),
    (lambda host: setattr(host, "state", STATUS % "F"), "mpatha: failed: sdb"),
    (lambda host: setattr(host, "inactive", FOUND), "loaded a table that does not live yet"),
    (lambda host: host.write("sys/block/dm-3/dm/suspended", "1\n"), "mpatha is suspended"),
    (lambda host: os.unlink(host.path("dev/dm-3")), "cannot be had for itself: No such file"),
    (lambda host: setattr(host, "root_user", False), "only root may do this"),
    (lambda host: host.answers.pop(("fio",)), "fio is not installed"),
], ids=lambda value: value.split(":")[-1].strip() if isinstance(value, str) else "")
def test_refused(refused, host, spoil, told):  # noqa: F811
    spoil(host)
    assert told in refused(NAME)


def test_map_that_lost_all_paths(refused, host):  # noqa: F811
    host.live = "0 2048 multipath 1 queue_if_no_path 0 0 0"
    assert "path" in refused(NAME)


def test_udev_may_look_for_a_moment(host, clock):  # noqa: F811
    host.open_count = 1
    clock.later.append(lambda: None)
    clock.later.append(lambda: setattr(host, "open_count", 0))
    safety.require_unused(host, live_tables.multipath_tables(host)[0])


@pytest.mark.parametrize("words, told", [
    ([], "which map"),
    ([NAME, "--job", "nosuch"], "no job is called \"nosuch\"; there are: randread-1, "),
    ([NAME, "--job", "seqwrite"], "seqwrite writes: it needs --write-destroys-data"),
    ([NAME, "--repeat", "0"], "--repeat 1"),
    ([NAME, "--repeat", "9" * 400], "--repeat 1 to 1000"),
    ([NAME, "--runtime", "0.01"], "--runtime is 0.1 to 86400"),
    ([NAME, "--runtime", "nan"], "--runtime is 0.1 to 86400"),
    ([NAME, "--runtime", "inf"], "--runtime is 0.1 to 86400"),
    ([NAME, "--runtime", "1e300", "--limit", "inf"], "--runtime is 0.1 to 86400"),
    ([NAME, "--selectors", "io-affinity"], "io-affinity wants a set of CPUs for each path"),
    ([NAME, "--selectors", "../x"], "is no selector"),
    ([NAME, "--selectors", "latency-weighted window_ms 50"], "the number of arguments, here 2"),
    ([NAME, "--selectors", "latency-weighted 1 window_ms 50"], "the number of arguments, here 2"),
])
def test_wrong_usage(refused, words, told):
    assert told in refused(*words, status=2)


def test_selectors(host):  # noqa: F811
    table = live_tables.multipath_tables(host)[0]

    def labels(wanted=None):
        return [choice.label for choice in selectors.chosen(host, table, wanted)]

    assert labels() == ["service-time", "round-robin", "queue-length", "latency-weighted"]
    assert labels("latency-weighted 2 window_ms 50,latency-weighted,service-time 0") == [
        "service-time", "latency-weighted 2 window_ms 50", "latency-weighted"]
    with pytest.raises(LwError, match="this kernel has no selector historical-service-time; it"):
        labels("historical-service-time")
    with pytest.raises(LwError, match="nothing to compare"):
        labels("service-time")


def test_map_that_cannot_be_read_is_not_empty(refused, host, monkeypatch):  # noqa: F811
    """To blkid it is."""
    def failing(*_words, **_options):
        raise OSError(errno.EIO, "Input/output error")
    host.answer("blkid", status=2)
    monkeypatch.setattr(safety, "open", failing, raising=False)
    assert "mpatha cannot be read: Input/output error" in refused(
        NAME, "--job", "seqwrite", "--repeat", "1", "--write-destroys-data")


def test_jobs_that_write(run, refused, host):  # noqa: F811
    write = (NAME, "--job", "seqwrite", "--repeat", "1", "--selectors", "round-robin", "-q",
             "--write-destroys-data")
    host.answer("blkid", "ext4\n")
    assert "mpatha has ext4 on it: if it may go, wipefs --all /dev/dm-3 first" in refused(*write)
    host.answer("blkid", status=2)
    host.write("sys/block/dm-3/ro", "1\n")
    assert "mpatha is read-only" in refused(*write)
    host.write("sys/block/dm-3/ro", "0\n")
    assert run(*write)[0] == 0
    assert host.trace.count("fio writes") == 2 and "fio" not in host.trace


@pytest.mark.parametrize("job", fio_jobs.JOBS.values(), ids=lambda job: job.name)
def test_fio_is_told_not_to_write(job):
    """By the option that it refuses to write with."""
    writes = any(word in ("rw=write", "rw=randwrite", "rw=randrw") for word in job.options)
    assert ("--readonly" in fio_jobs.command(job, "/dev/dm-3", 1)) == (not writes)
    assert job.writes == writes


def test_list_jobs(run):
    status, out, _ = run("--list-jobs")
    assert status == 0
    assert [line.split()[0] for line in out.splitlines()] == list(fio_jobs.JOBS)


@pytest.mark.parametrize("fio, told", [
    (FakeFio("", "fio: io_u error on file /dev/dm-3: Input/output error\nmore", 1),
     "dm-lw: fio failed: fio: io_u error on file /dev/dm-3: Input/output error"),
    (FakeFio("note: nothing\n"), "says nothing that dm-lw understands"),
    (FakeFio("{}"), "says nothing that dm-lw understands"),
])
def test_fio_fails(run, host, fio, told):  # noqa: F811
    host.start = lambda *argv: fio
    status, out, err = run(NAME, "-q")
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert told in err
    assert host.live == FOUND


def test_io_that_hangs(run, host, monkeypatch):  # noqa: F811
    """The table cannot be put back until it is done, and that is said at once."""
    monkeypatch.setattr(fio_jobs, "LATE", 0)
    host.start = lambda *argv: FakeFio("", status=None)
    _, _, err = run(NAME)
    plan, waiting, error = err.splitlines()
    assert "perhaps an I/O hangs (dmesg); as long as it does, mpatha cannot get" in waiting
    assert error == "dm-lw: fio does not end: perhaps an I/O hangs (dmesg)"


def test_table_that_cannot_be_put_back(run, host):  # noqa: F811
    def fails():
        if "round-robin" in host.live:
            raise LwError("no")

    host.on_resume = fails
    status, _, err = run(NAME, "-q")
    assert (status, err.count("\n")) == (1, 1)
    assert "mpatha does not have its table back: no; another process goes on trying" in err


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_interrupted(run, host, name):  # noqa: F811
    start = host.start

    def interrupted(*argv):
        if "round-robin" in host.live:
            signal.raise_signal(signal.Signals[name])
        return start(*argv)

    host.start = interrupted
    status, out, err = run(NAME, "-q")
    assert (status, out) == (128 + signal.Signals[name], "")
    assert err == "dm-lw: interrupted by %s\n" % name
    assert host.live == FOUND


def test_path_fails_meanwhile(run, host):  # noqa: F811
    start = host.start

    def fails(*argv):
        if "round-robin" in host.live:
            host.state = STATUS % "F"
        return start(*argv)

    host.start = fails
    status, _, err = run(NAME, "-q")
    assert (status, "mpatha: failed: sdb" in err) == (1, True)
    assert host.live == FOUND


def test_figures_after_a_note():
    assert fio_jobs.figures(fio_says(7, note="fio: a note\n"))["iops"] == 7


def test_only_the_measured_time_counts(host, clock):  # noqa: F811
    """Not what udev or a ramp does before it, nor what fio does when its I/O is done."""
    looks = []
    for seconds, ios, busy, ticks in ((0, (0, 0), 0, 0), (1, (50, 0), 90, 100),
                                      (2, (60, 10), 100, 200), (3, (70, 40), 150, 300),
                                      (4, (70, 40), 250, 400)):
        look = fio_jobs.Counters(host, [])
        look.time, look.ios, look.ticks, look.idle = seconds, list(ios), ticks, ticks - busy
        looks.append(look)
    assert fio_jobs.usage(looks, 1) == {"shares": [0.25, 0.75], "cpu": 0.5}
    assert fio_jobs.usage(looks, 9) == {"shares": [7 / 11, 4 / 11], "cpu": 0.5}
    assert fio_jobs.usage(looks[3:], 1) == {"shares": None, "cpu": 1}
    assert fio_jobs.usage(looks[:1], 1) == {"shares": None, "cpu": None}


def test_shares_and_cpu(host):  # noqa: F811
    before = fio_jobs.Counters(host, ["8:0", "8:16"])
    after = fio_jobs.Counters(host, ["8:0", "8:16"])
    assert after.since(before) == {"shares": [0.75, 0.25], "cpu": 0.25}
    assert fio_jobs.Counters(host, ["8:99"]).since(before)["shares"] is None


@pytest.mark.parametrize("where, expected", [
    ("devices/platform/host3/session1/target3:0:0/3:0:0:0", "scsi:iscsi"),
    ("devices/pci0000:00/host3/rport-3:0-1/target3:0:0/3:0:0:0", "scsi:fcp"),
    ("devices/pci0000:00/ata1/host0/target0:0:0/0:0:0:0", "scsi:ata"),
    ("devices/tcm_loop_0/host0/target0:0:1/0:0:1:0", "scsi:unspec"),
])
def test_transport(host, where, expected):  # noqa: F811
    host.make("sys/%s/scsi_device" % where)
    host.make("sys/%s/block/sdx" % where)
    os.symlink("../..", host.path("sys/%s/block/sdx/device" % where))
    os.symlink(host.path("sys/%s/block/sdx" % where), host.path("sys/dev/block/8:99"))
    assert transport.transport(host.sysfs, "8:99") == expected


def test_transport_of_nvme(host):  # noqa: F811
    host.write("sys/block/nvme0n1/device/transport", "tcp\n")
    os.symlink("../../block/nvme0n1", host.path("sys/dev/block/259:0"))
    assert transport.transports(host.sysfs, ["259:0", "259:0", "8:0"]) == "nvme:tcp, undef"


def test_held_for_itself(host, monkeypatch):  # noqa: F811
    def busy(path, flags):
        assert flags & os.O_EXCL
        raise OSError(16, "Device or resource busy")

    monkeypatch.setattr(runner.os, "open", busy)
    with pytest.raises(LwError, match="cannot be had for itself: Device or resource busy"):
        with runner.held(host, live_tables.multipath_tables(host)[0]):
            pass
