"""Paths that become slow and recover: kernel log, uevent, dm-lw events; and when there is nothing to report."""
# promise output/reports

import contextlib
import json
import os
import subprocess
import time

import pytest

from tests.guest.lib.parametrized import in_full, one_mode
from tests.guest.lib.reports import HOLD, SLOW_US, USUAL_US, known_paths
from tests.lib.command import CHECKOUT, running, settle, tell_udev, wait_until, write_script, write_text
from tests.lib.dm_lw import dm_lw
from tests.lib.sysfs import MapFiles

pytestmark = [
    pytest.mark.virtual_time,
    pytest.mark.observe,
]

RULES = "/run/udev/rules.d/90-dm-latency-weighted.rules"
VARIABLES = ["DM_LW_EVENT", "DM_LW_MAP", "DM_LW_NAME", "DM_LW_PATH", "DM_LW_WAS_US", "DM_LW_IS_US", "DM_LW_SINCE"]


def events(mapped):
    """As dm-lw tells them; of this map alone, whose name no other test has."""
    return [json.loads(line) for line in dm_lw("events", "-j", mapped.name).success().splitlines()]


@contextlib.contextmanager
def monitor(file):
    """What udev tells its listeners, once its rules are through: a block of lines for each uevent."""
    with open(file, "w") as out, \
            running("stdbuf", "-oL", "udevadm", "monitor", "--udev", "--property", "--subsystem-match=module",
                    stdout=out, stderr=subprocess.STDOUT):
        wait_until(lambda: "UDEV" in read(file), "udevadm monitor listens")
        yield lambda: list(uevents(read(file)))


def read(file):
    with open(file) as opened:
        return opened.read()


def uevents(text):
    for block in text.split("\n\n"):
        words = dict(line.split("=", 1) for line in block.splitlines() if "=" in line)
        if "DM_LW_EVENT" in words:
            yield words


@pytest.mark.facts
@one_mode
def test_slow_path_is_reported_once(queue_mode, tmp_path):
    """And once more when it has recovered. The three who tell say the same."""
    with monitor(tmp_path / "uevents") as heard, \
            known_paths("lwslow" + queue_mode, queue_mode) as (mapped, (same, slow), load, reports):
        begin = time.time()
        slow.set(delay_us=SLOW_US)
        reports.wait(load, 1)
        load.watch(3 * HOLD)
        slow.set(delay_us=USUAL_US)
        reports.wait(load, 2)
        load.watch(3 * HOLD)
        said = reports()
        wait_until(lambda: len(heard()) == 2, "udev has told of both")
        told = events(mapped)
        shown = dm_lw("events", mapped.name).success()
    assert [report[:2] for report in said] == [(slow.name, "became slow"), (slow.name, "recovered")]
    assert [(event["path"], event["was_us"], event["is_us"]) for event in told] == [
        (path, was, now) for path, _, was, now in said]
    for event, uevent, what in zip(told, heard(), ("slow", "recovered")):
        assert (event["event"], event["map"], event["path"]) == (what, mapped.name, slow.name)
        assert event["dm"] == os.path.basename(mapped.path)
        assert event["time"] - event["since"] >= HOLD and event["since"] >= begin - 1
        assert [uevent[name] for name in VARIABLES[:-1]] == [
            what, event["dm"], event["map"], event["path"], str(event["was_us"]), str(event["is_us"])]
        assert float(uevent["DM_LW_SINCE"]) == pytest.approx(event["since"], abs=1)
        assert (uevent["ACTION"], uevent["DEVPATH"]) == ("change", "/module/dm_latency_weighted")
    first, second = told
    assert first["is_us"] >= 2 * first["was_us"]
    assert second["is_us"] < 1.5 * first["was_us"] < second["was_us"]
    # what people read
    assert [line.split()[5] for line in shown.splitlines()] == ["slow", "recovered"]


def test_path_that_hangs_is_reported():
    with known_paths("lwhang") as (mapped, (same, slow), load, reports):
        with slow.hanging():
            path, what, _, now = reports.wait(load, 1)
            assert (path, what) == (slow.name, "became slow")
            assert now >= HOLD * 1e6
        assert reports.wait(load, 2)[:2] == (slow.name, "recovered")


def test_off_says_nothing():
    with known_paths("lwoff", hold=0) as (mapped, (same, slow), load, reports):
        slow.set(delay_us=SLOW_US)
        load.watch(6 * HOLD)
        assert reports() == []


@in_full
def test_turned_on_while_in_use():
    with known_paths("lwon", hold=0) as (mapped, (same, slow), load, reports):
        MapFiles(mapped)["report_ms"] = HOLD * 1000
        slow.set(delay_us=SLOW_US)
        assert reports.wait(load, 1)[:2] == (slow.name, "became slow")


def test_noise_of_equal_paths_says_nothing():
    """Each latency is lognormal, and some are 30 times as long."""
    with known_paths("lwnoise", probe_max_ms=5000, count=3, sigma_permille=500, tail_permille=2,
                     tail_us=30 * USUAL_US) as (mapped, paths, load, reports):
        load.watch(15)
        assert all(path.used() > 100 for path in paths)
        assert reports() == []


@in_full
def test_all_together_are_not_reported():
    """It is their device, or the I/O has become another."""
    with known_paths("lwall") as (mapped, paths, load, reports):
        for path in paths:
            path.set(delay_us=SLOW_US)
        load.watch(6 * HOLD)
        assert reports() == []


@in_full
def test_a_reload_reports_nothing_again():
    """The new table's selector finds the path as it was reported."""
    with known_paths("lwreload") as (mapped, (same, slow), load, reports):
        slow.set(delay_us=SLOW_US)
        reports.wait(load, 1)
        for _ in range(3):
            mapped.reload()
            load.watch(1.5 * HOLD)
        assert len(reports()) == 1


@in_full
def test_example_of_a_rule(tmp_path):
    """docs/examples, with a program in place of logger that keeps what it is told."""
    kept = tmp_path / "kept"
    logger = write_script(tmp_path / "logger", "#!/bin/sh\necho \"$*\" >>%s\n" % kept)
    with open(CHECKOUT + "/docs/examples/90-dm-latency-weighted.rules") as rules:
        text = rules.read()
    os.makedirs(os.path.dirname(RULES), exist_ok=True)
    write_text(RULES, text.replace("/usr/bin/logger", str(logger)))
    tell_udev("reload")
    try:
        with known_paths("lwrule") as (mapped, (same, slow), load, reports):
            slow.set(delay_us=SLOW_US)
            _, _, was, now = reports.wait(load, 1)
            load.wait_until(kept.exists, "the rule's program ran", 20)
    finally:
        os.unlink(RULES)
        tell_udev("reload")
        settle()
    assert kept.read_text() == "-t dm-lw -p daemon.warning path %s of %s: %d us, usually %d\n" % (
        slow.name, mapped.name, now, was)
