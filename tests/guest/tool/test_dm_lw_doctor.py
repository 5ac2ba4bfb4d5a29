"""dm-lw doctor on a live system: healthy, and with one thing at a time gone wrong."""
# promise output/doctor

import contextlib
import json
import os

import pytest

from tests.lib.command import LONGEST_WAIT, is_loaded, read_text, sh, unload_module, wait_until, write_text
from tests.lib.dm_lw import NOBODY, another_kernel, dm_lw, module_hidden, only_this_kernel, stand_in
from tests.lib.lio import loop_paths, ram_disk
from tests.lib.multipathd import DROP_IN, MAIN, MAIN_CONFIG, running

pytestmark = [pytest.mark.time_limit(240), pytest.mark.programs, pytest.mark.observe]

OURS = "latency-weighted 0"
CLOCK = "/sys/devices/system/clocksource/clocksource0/"
OK, WARN, FAIL, SKIP = "ok", "warn", "fail", "skip"


@pytest.fixture(scope="module")
def shared_daemon():
    with only_this_kernel(), ram_disk() as disk, loop_paths(disk) as paths:
        with running(OURS) as daemon:
            daemon.map = daemon.wait_for_map(paths)
            yield daemon
    unload_module("dm_latency_weighted")


@pytest.fixture
def daemon(shared_daemon):
    yield shared_daemon
    write_text(MAIN_CONFIG, MAIN)
    shared_daemon.configure(OURS)
    shared_daemon.reconfigure()
    wait_until(lambda: " 1 1 %s 2 1 " % OURS in sh("dmsetup", "table", shared_daemon.map),
               "the map is as it was", timeout=LONGEST_WAIT)


def examine(**how):
    """Exit status, and what each check found: a result if all is well, else (result, text)s."""
    done = dm_lw("doctor", "--json", **how)
    assert done.err == "", done
    document = json.loads(done.out)
    assert document["version"] == 1
    checks = {}
    for each in document["checks"]:
        assert each["advice"] or each["result"] == OK
        checks.setdefault(each["check"], []).append((each["result"], each["text"]))
    return done.status, checks


def results(checks):
    """What is not well, apart from the clock, which is the host's."""
    return {name: result for name, found in checks.items() for result, _ in found
            if result != OK and name != "clock"}


def expect(status, **expected):
    """Only these checks find something; what they say, in one string."""
    was, checks = examine()
    assert results(checks) == expected
    assert was == max(status, 1 if checks["clock"][0][0] == WARN else 0)
    return "\n".join(text for name in expected for result, text in checks[name] if result != OK)


def test_host_without_anything(tmp_path):
    """No multipathd, no map, no module loaded, and no sysfs. First, before the others make them."""
    with only_this_kernel():
        status, checks = examine()
        assert status == 1
        assert results(checks) == {"multipathd": WARN, "selector": WARN}
        (tmp_path / "kernel").mkdir()
        assert dm_lw("--sysfs", str(tmp_path), "doctor").status == 1
    assert not os.path.exists(DROP_IN)


def test_healthy(daemon):
    expect(0)
    text = dm_lw("doctor").out
    assert "latency-weighted: " + daemon.map in text
    assert "is loaded" in text
    for line in dm_lw("doctor", "--quiet").out.splitlines():
        assert " clock " in line or "->" in line or line.startswith("   "), line


def test_unprivileged(daemon):
    status, checks = examine(prefix=NOBODY)
    found = results(checks)
    # some versions of multipath-tools keep others than root out of /etc/multipath
    always = {"maps", "reloads", "grouping", "policy"}
    assert always <= set(found) <= always | {"kernels", "selector"}
    assert set(found.values()) == {SKIP}
    assert status == 3


def test_running_kernel_without_the_module(daemon):
    with module_hidden():
        assert "and the loaded one is gone after a boot" in expect(2, module=FAIL)
    assert is_loaded("dm_latency_weighted")


def test_another_kernel_without_the_module(daemon):
    with another_kernel() as release:
        assert release + " has no module" in expect(2, kernels=FAIL)


def test_failover_leaves_no_choice(daemon):
    # newer versions would see ALUA, and know better
    write_text(MAIN_CONFIG, MAIN.replace("group_by_prio", "failover\n\tdetect_pgpolicy no"))
    daemon.reconfigure()
    wait_until(lambda: sh("dmsetup", "table", daemon.map).count(OURS) == 2, "two groups",
               timeout=LONGEST_WAIT)
    assert "2 groups of one path" in expect(1, grouping=WARN)


def test_map_of_another_selector(daemon):
    daemon.configure("service-time 0")
    daemon.reconfigure()
    wait_until(lambda: "service-time" in sh("dmsetup", "table", daemon.map), "it changed",
               timeout=LONGEST_WAIT)
    said = expect(1, selector=WARN, maps=WARN)
    assert "%s uses service-time 0" % daemon.map in said


def test_arguments_cause_reloads(daemon):
    daemon.configure("latency-weighted 2 window_ms 50")
    assert "%s:" % DROP_IN in expect(1, selector=WARN)


@pytest.mark.parametrize("setting, until", [("rr_min_io_rq 10", (0, 15)), ('features "2 queue_mode mq"', (1,))])
def test_setting_causes_reloads(daemon, setting, until):
    daemon.configure(OURS, "\t%s\n" % setting)
    daemon.reconfigure()
    if daemon.version() >= until:
        expect(0)
        return
    assert "%s:" % DROP_IN in expect(1, reloads=WARN)
    before = daemon.reloads()
    daemon.reconfigure()
    wait_until(lambda: daemon.reloads() > before, "the map is reloaded", timeout=LONGEST_WAIT)


def test_rr_weight_causes_no_reloads(daemon):
    daemon.configure(OURS, "\trr_weight priorities\n")
    daemon.reconfigure()
    expect(0)


def test_section_that_multipathd_passes_over(daemon):
    write_text(DROP_IN, 'overrides\n{\n\tpath_selector "%s"\n}\n' % OURS)
    daemon.reconfigure()
    wait_until(lambda: "service-time" in sh("dmsetup", "table", daemon.map), "it changed", timeout=LONGEST_WAIT)
    assert "%s:3: multipath passes over" % DROP_IN in expect(1, selector=WARN, maps=WARN)


def test_not_reconfigured_yet(daemon):
    daemon.configure("service-time 0")
    assert "no file says so any more" in expect(1, selector=WARN)
    daemon.reconfigure()
    wait_until(lambda: "service-time" in sh("dmsetup", "table", daemon.map), "it changed", timeout=LONGEST_WAIT)
    daemon.configure(OURS)
    assert "is not in force" in expect(1, selector=WARN, maps=WARN)


def test_multipathd_does_not_run(daemon):
    daemon.stop()
    try:
        assert "is not running" in expect(2, multipathd=FAIL)
    finally:
        daemon.start()


def test_multipathd_says_nonsense(daemon, tmp_path):
    path = stand_in(tmp_path, "multipathd", "printf 'fail\\n'")
    path = stand_in(tmp_path, "modinfo", "head -c 400 /dev/urandom")
    status, checks = examine(path=path)
    assert status == 2
    assert {"module", "multipathd"} <= set(results(checks))


def test_garbage_in_the_files(daemon):
    with open(MAIN_CONFIG, "ab") as main:
        main.write(b"\x00\xff\xfe{{ }} \"path_selector\n}}}}\npath_selector\n")
    expect(0)


@contextlib.contextmanager
def clock_source(name):
    before = read_text(CLOCK + "current_clocksource")
    write_text(CLOCK + "current_clocksource", name)
    try:
        yield
    finally:
        write_text(CLOCK + "current_clocksource", before)


def test_slow_clock(daemon):
    slow = {"acpi_pm", "hpet"} & set(read_text(CLOCK + "available_clocksource").split())
    if not slow:
        pytest.skip("this guest has no slow clock source")
    name = sorted(slow)[0]
    with clock_source(name):
        status, checks = examine()
    assert status == 1
    assert checks["clock"][0][0] == WARN and name in checks["clock"][0][1]


def test_accounting_off(daemon):
    dm_lw("set", daemon.map, "accounting=0").success()
    try:
        assert "accounting of %s is off" % daemon.map in expect(1, accounting=WARN)
    finally:
        dm_lw("set", daemon.map, "accounting=1").success()
